/** The check of a single-page application with oidc-client-ts, in Chromium. */

import { assertEquals } from "@std/assert";
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { after, test } from "node:test";
import { browserApplication } from "../../src/check/mod.ts";
import { testLatchkey } from "../../src/testing/mod.ts";
import { checkClient } from "../check/patient_check.ts";
import { readPackageFile } from "../installed.ts";
import { sample } from "../sample.ts";
import { closeBrowser, executablePath, openPage } from "./harness.ts";

after(closeBrowser);

const library = executablePath && await readPackageFile("oidc-client-ts/dist/browser/oidc-client-ts.min.js");

/** The page of the application: starts a login, or ends one, and shows who is logged in. */
const pageOf = (issuer: string, client_id: string) =>
  `<title>Shop</title><script src="/oidc.js"></script><p id="user"></p><p id="error"></p><script>
const manager = new oidc.UserManager({
  authority: ${JSON.stringify(issuer)},
  client_id: ${JSON.stringify(client_id)},
  redirect_uri: location.origin + "/callback",
  scope: "openid profile",
  loadUserInfo: true,
});
const show = (id, text) => document.getElementById(id).textContent = text;
const run = location.pathname === "/callback"
  ? manager.signinCallback().then(({ profile }) => show("user", profile.sub))
  : manager.signinRedirect();
run.catch((error) => show("error", String(error)));
</script>`;

test("a single-page application in Chromium has the mistakes of its library: the browser prevents none of them", {
  skip: executablePath === undefined,
}, async () => {
  await using as = await testLatchkey({ alg: "EdDSA" });
  const { url: issuer } = await as.listen();
  let page = "";
  const app = createServer((request, response) => {
    const isScript = request.url === "/oidc.js";
    response.setHeader("content-type", isScript ? "text/javascript" : "text/html");
    response.end(isScript ? library : page);
  }).listen(0, "127.0.0.1");
  await once(app, "listening");
  const origin = `http://127.0.0.1:${(app.address() as AddressInfo).port}`;
  const { client_id } = as.client({ redirect_uri: `${origin}/callback` });
  page = pageOf(issuer, client_id);

  const driver = browserApplication({
    name: "single-page application",
    openPage: async () => (await openPage("about:blank")).page,
    async logIn(page) {
      await page.goto(origin);
      await page.locator("#user:not(:empty), #error:not(:empty)").waitFor({ state: "attached" });
    },
    readUser: async (page) => await page.locator("#user").textContent() || undefined,
    verifiesIdTokenSignature: false,
  });
  const passed = sample(["response/state-wrong", "token/type-case"], 2, 0);
  const only = [...passed, "response/iss-wrong", "transport/redirect"];
  const report = await checkClient(driver, { as, only });
  const failed = [...new Set(report.failures.map(({ attack: { id } }) => id))];
  assertEquals(failed, ["transport/redirect"], String(report));
  const warned = report.results.filter(({ verdict }) => verdict === "warning").map(({ attack: { id } }) => id);
  // A client of one issuer need not compare iss.
  assertEquals([...new Set(warned)], ["response/iss-wrong", "transport/redirect"], String(report));
  assertEquals(report.counts.inconclusive, 0, String(report));
  app.close();
});
