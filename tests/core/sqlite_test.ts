/** The SQLite store sits the exam. What only a file that processes share can get wrong is in tests/platform/store/. */

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after } from "node:test";
import { sqliteStore } from "../../src/core/store/sqlite.ts";
import { storeConformance } from "./store_exam.ts";

const folder = mkdtempSync(join(tmpdir(), "latchkey-core-"));
after(() => rmSync(folder, { recursive: true }));

let files = 0;
const openLast = () => sqliteStore(join(folder, `${files}.db`));

storeConformance("SQLite file", () => (files++, openLast()), { reopen: openLast });
storeConformance("SQLite in memory", () => sqliteStore(":memory:"));
