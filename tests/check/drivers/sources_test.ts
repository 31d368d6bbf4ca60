/** The findings of client libraries are those of the installed versions. */

import { test } from "node:test";
import { assertSources } from "./findings.ts";

test("the lines of the findings are in the sources", assertSources);
