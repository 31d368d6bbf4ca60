/** The list of users of automatic login in a real Chromium, with and without script: `deno test -A tests/browser/`. */

import { assertEquals, assertMatch } from "@std/assert";
import { test } from "node:test";
import { inspector } from "../../src/devtools/mod.ts";
import { latchkey } from "./server.ts";
import { challenge, encode } from "../kit.ts";
import { browserVariants, executablePath, listen, openPage, takeScreenshot } from "./harness.ts";
import { findPageProblems } from "./inspect.ts";

const skip = executablePath === undefined;
const watching = inspector();
const as = await latchkey({ plugins: [watching], alg: "EdDSA" });
const url = await listen(as);

for (const { name, options } of browserVariants) {
  test(`[OI-10] one click on the list of users logs in another one, ${name}`, { skip }, async () => {
    const query = encode({
      ...{ response_type: "code", client_id: "demo-public", redirect_uri: `${url}/authorized`, scope: "openid" },
      ...{ prompt: "select_account", code_challenge: challenge, code_challenge_method: "S256" },
    });
    await using opened = await openPage(`${url}/oauth2/authorize?${query}`, options);
    const { page } = opened;
    assertMatch(page.url(), /\/oauth2\/select_account\?/);
    assertEquals(await findPageProblems(opened), []);
    await takeScreenshot(opened, `select-account-${name}`);
    await page.getByRole("button", { name: /bob/i }).click();
    await page.waitForURL(/\/authorized\?code=/);
    assertEquals(watching.recorder.flows().at(-1)!.sub, "bob");
  });
}
