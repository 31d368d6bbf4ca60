/** The check of single-page applications in Chromium. */

import { assert, assertEquals } from "@std/assert";
import { once } from "node:events";
import { readdir } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { findingLines, unclearIn } from "../check/accusations.ts";
import { browserApplication, type CheckOptions, type CheckReport } from "../../src/check/mod.ts";
import { testLatchkey } from "../../src/testing/mod.ts";
import { checkClient } from "../check/patient_check.ts";
import { checkInProcess } from "../cli/check_runs.ts";
import { startChromium } from "../../src/platform/runtime/chromium.ts";
import { singlePageApplication, type SinglePageOptions } from "../../src/check/single_page_application.ts";
import { readPackageFile } from "../installed.ts";
import { sample } from "../sample.ts";
import { closeBrowser, executablePath, openPage as openTestPage } from "./harness.ts";

after(closeBrowser);

/** The page of the application: starts a login, or ends one, and shows who is logged in. */
const pageOf = (issuer: string, client_id: string) =>
  `<title>Shop</title><script src="/oauth.js"></script><p id="user"></p><p id="error"></p><script>
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

const texts = { loggedInText: "alice", users: [{ sub: "alice" }, { sub: "bob" }] };

/** Checks a page in Chromium, with the script of a library at `/oauth.js`. */
async function checkPage(
  pageOf: (issuer: string, client_id: string) => string,
  library: string,
  options: CheckOptions,
  openPage?: SinglePageOptions["openPage"],
): Promise<CheckReport> {
  await using as = await testLatchkey({ alg: "EdDSA" });
  const { url: issuer } = await as.listen();
  let page = "";
  const app = createServer((request, response) => {
    const isScript = request.url === "/oauth.js";
    response.setHeader("content-type", isScript ? "text/javascript" : "text/html");
    response.end(isScript ? library : page);
  }).listen(0, "127.0.0.1");
  await once(app, "listening");
  const origin = `http://127.0.0.1:${(app.address() as AddressInfo).port}`;
  const { client_id } = as.client({ redirect_uri: `${origin}/callback` });
  page = pageOf(issuer, client_id);

  const driver = openPage ? singlePageApplication(origin, { openPage, ...texts }) : browserApplication({
    name: "single-page application",
    async openPage() {
      const opened = await openTestPage("about:blank");
      return Object.assign(opened.page, { close: () => opened[Symbol.asyncDispose]() });
    },
    async logIn(page) {
      await page.goto(origin);
      await page.locator("#user:not(:empty), #error:not(:empty)").waitFor({ state: "attached" });
      const error = await page.locator("#error").textContent();
      if (error) throw new Error(error);
    },
    readUser: async (page) => await page.locator("#user").textContent() || undefined,
  });
  const report = await checkClient(driver, { as, ...options });
  app.close();
  assertEquals(report.control.passed, true, String(report));
  return report;
}

test("a single-page application in Chromium has the mistakes of its library: the browser prevents none of them", {
  skip: executablePath === undefined,
}, async () => {
  const library = await readPackageFile("oidc-client-ts/dist/browser/oidc-client-ts.min.js");
  const passed = sample(["response/state-wrong", "token/type-case"], 2, 0);
  const only = [...passed, "response/iss-wrong", "transport/redirect"];
  const report = await checkPage(pageOf, library, { only });
  const failed = [...new Set(report.failures.map(({ attack: { id } }) => id))];
  assertEquals(failed, ["transport/redirect"], String(report));
  const warned = report.results.filter(({ verdict }) => verdict === "warning").map(({ attack: { id } }) => id);
  // A client of one issuer need not compare iss.
  assertEquals([...new Set(warned)], ["response/iss-wrong", "transport/redirect"], String(report));
  assertEquals(unclearIn(report).length, 0, String(report));
});

/** A page that makes every check of oauth4webapi, and those that it leaves to its caller. */
const correctPage = (issuer: string, client_id: string) =>
  `<title>Shop</title><p id="user"></p><p id="error"></p><script type="module">
import * as oauth from "/oauth.js";
const issuer = new URL(${JSON.stringify(issuer)});
const client = { client_id: ${JSON.stringify(client_id)}, id_token_signed_response_alg: "EdDSA" };
const options = { [oauth.allowInsecureRequests]: true, signal: () => AbortSignal.timeout(2000) };
const redirect_uri = location.origin + "/callback";
const show = (id, text) => document.getElementById(id).textContent = text;
async function discover() {
  const as = await oauth.processDiscoveryResponse(issuer, await oauth.discoveryRequest(issuer, options));
  if (as.issuer !== ${JSON.stringify(issuer)}) throw new Error("wrong issuer");
  return as;
}
async function begin() {
  const as = await discover();
  const login = {
    state: oauth.generateRandomState(),
    nonce: oauth.generateRandomNonce(),
    verifier: oauth.generateRandomCodeVerifier(),
  };
  sessionStorage.setItem("login", JSON.stringify(login));
  const url = new URL(as.authorization_endpoint);
  if (!/^https?:$/.test(url.protocol)) throw new Error("wrong authorization endpoint");
  url.search = new URLSearchParams({
    client_id: client.client_id, redirect_uri, response_type: "code", scope: "openid profile",
    state: login.state, nonce: login.nonce,
    code_challenge: await oauth.calculatePKCECodeChallenge(login.verifier), code_challenge_method: "S256",
  });
  location.assign(url);
}
async function complete() {
  const { state, nonce, verifier } = JSON.parse(sessionStorage.getItem("login"));
  sessionStorage.removeItem("login");
  const url = new URL(location.href);
  history.replaceState(null, "", "/callback");
  const as = await discover();
  const params = oauth.validateAuthResponse(as, client, url, state);
  const response = await oauth.authorizationCodeGrantRequest(
    as, client, oauth.None(), params, redirect_uri, verifier, options);
  const tokens = await oauth.processAuthorizationCodeResponse(
    as, client, response, { expectedNonce: nonce, requireIdToken: true });
  await oauth.validateApplicationLevelSignature(as, response, options);
  const { sub, azp = client.client_id } = oauth.getValidatedIdTokenClaims(tokens);
  if (sub === "" || azp !== client.client_id) throw new Error("wrong sub or azp");
  show("user", sub);
}
(location.pathname === "/callback" ? complete() : begin()).catch((error) => show("error", String(error)));
</script>`;

test("a correct single-page application in Chromium is accused of nothing", {
  skip: executablePath === undefined,
}, async () => {
  const report = await checkPage(correctPage, await readPackageFile("oauth4webapi/build/index.js"), {
    only: [
      // These log in a second user, or withhold a response.
      ...["session/two-users", "error/never-returns", "response/swapped", "response/late"],
      ...["response/iss-missing", "response/code-missing", "id-token/alg-other", "id-token/user-similar"],
    ],
  });
  assertEquals(findingLines(report), [], String(report));
});

test("a single-page application is checked without code, also one that waits for a click", {
  skip: executablePath === undefined,
}, async () => {
  const waitingPage = (issuer: string, client_id: string) =>
    "<button>Log in</button>" +
    correctPage(issuer, client_id).replace(
      ": begin())",
      `: (async () => document.querySelector("button").onclick = begin)())`,
    );
  const chromium = await startChromium(executablePath!);
  try {
    const library = await readPackageFile("oauth4webapi/build/index.js");
    for (const [page, only] of [[correctPage, "response/code-missing"], [waitingPage, "token/type-case"]] as const) {
      const report = await checkPage(page, library, { only: [only] }, chromium.openPage);
      assertEquals([report.passed, report.counts.passed], [true, report.results.length], String(report));
    }
  } finally {
    await chromium.close();
  }
});

test("the browser of a check listens on no port, to which every user of the machine could connect", {
  skip: executablePath === undefined,
}, async () => {
  const folders = async () => (await readdir(tmpdir())).filter((name) => name.startsWith("latchkey-chromium-"));
  const earlier = await folders();
  const chromium = await startChromium(executablePath!);
  try {
    const own = (await folders()).filter((name) => !earlier.includes(name));
    const files = await Promise.all(own.map((name) => readdir(join(tmpdir(), name))));
    assert(files.length > 0);
    // Chromium writes the port there.
    assertEquals(files.flat().filter((name) => name === "DevToolsActivePort"), []);
  } finally {
    await chromium.close();
  }
});

test(
  "latchkey check --browser checks an application in this browser",
  { skip: executablePath === undefined },
  async () => {
    const { code, stdout } = await checkInProcess(["--only", "token/type-case", "--browser", executablePath!]);
    assertEquals(code, 0, stdout);
  },
);
