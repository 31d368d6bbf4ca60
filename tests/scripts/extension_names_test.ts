/** The check that the kernel names nothing of an extension. */

import { assertEquals } from "@std/assert";
import { test } from "node:test";
import { linesWithName } from "../../scripts/extension_names.ts";

test("a name counts as a string, a variable and a member, not in comments and sentences", () => {
  const source = `
/** The parameter acr_values. */
const rule = "DO-08"; // as DO-08 says
const message = "send acr_values, as DO-08 says";
const { acr_values } = parameters;
const all = parameters.acr_values_supported;
const device = find("device");
const names = \`DO-08 of \${rule}\`;
`;
  assertEquals(linesWithName(source, "DO-08"), [3]);
  assertEquals(linesWithName(source, "acr_values"), [5]);
  assertEquals(linesWithName(source, "acr_values_supported"), [6]);
  assertEquals(linesWithName(source, "device"), [7]);
});
