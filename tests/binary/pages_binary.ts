/** The pages of the one file in a real Chromium: styles, scripts and events come out of it too. */

import { assertEquals } from "@std/assert";
import { after, test } from "node:test";
import { closeBrowser, executablePath, openPage } from "../browser/harness.ts";
import { findPageProblems } from "../browser/inspect.ts";
import { startProgram } from "../platform/runtime/run_program.ts";

const skip = executablePath === undefined;
after(closeBrowser);

test("from home to tokens and to the recorded flow, by clicks only", { skip }, async () => {
  const program = await startProgram({ args: ["--port", "0"] });
  try {
    await using opened = await openPage(`http://localhost:${program.port}/`);
    const { page, problems } = opened;
    assertEquals(await findPageProblems(opened), []);
    await page.getByRole("link", { name: "Start the demo flow", exact: true }).click();
    await page.getByRole("heading", { name: "Authorization Successful!", level: 1 }).waitFor();
    await page.getByRole("button", { name: "Exchange the code" }).click();
    await page.getByRole("heading", { name: "Code exchanged" }).waitFor();
    await page.goto(`http://localhost:${program.port}/flows`);
    // The first click shows it beside the list, the second opens it.
    const flow = page.locator('#flows a[href="/flows/1"]');
    await flow.click();
    await flow.click();
    await page.waitForURL(/\/flows\/1$/);
    assertEquals(await findPageProblems(opened), []);
    await page.goto(`http://localhost:${program.port}/docs/rules/PK-09`);
    await page.getByRole("heading", { name: "Rule PK-09", level: 1 }).waitFor();
    // The requirement, which the file contains.
    await page.getByText("The comparison takes constant time").waitFor();
    assertEquals(problems, []);
  } finally {
    program.signal("SIGKILL");
    await program.exited;
  }
});
