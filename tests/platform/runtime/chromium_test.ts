/** A browser that ends while it is used: every command has a result. */

import { assertRejects } from "@std/assert";
import { chmod, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import process from "node:process";
import { startChromium } from "../../../src/platform/runtime/chromium.ts";

/** Responds to the first command, and ends when it gets the second one. */
const program = `#!/usr/bin/env bash
read -r -d '' <&3
printf '{"id":1,"result":{}}\\000' >&4
read -r -d '' <&3
`;

test("commands to a browser that has ended are rejected", { skip: process.platform === "win32" }, async () => {
  const folder = await mkdtemp(join(tmpdir(), "latchkey-test-"));
  const path = join(folder, "chromium");
  await writeFile(path, program);
  await chmod(path, 0o700);
  try {
    const chromium = await startChromium(path);
    for (let i = 0; i < 3; i++) await assertRejects(() => chromium.openContext(), Error, "the browser has ended");
    await chromium.close();
  } finally {
    await rm(folder, { recursive: true });
  }
});
