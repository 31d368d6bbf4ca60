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
import type { CheckReport, ClientDriver } from "../../src/check/mod.ts";
import { testLatchkey } from "../../src/testing/mod.ts";
import { checkClient } from "../check/patient_check.ts";
import { checkInProcess } from "../cli/check_runs.ts";
import { accountKeys, accountPage, accountTextsFor } from "../check/broken_accounts.ts";
import { partOf } from "../check/catalogue_part.ts";
import { startWebApplication } from "../check/small_web_application.ts";
import { type Chromium, startChromium } from "../../src/platform/runtime/chromium.ts";
import { effects } from "../../src/check/effects.ts";
import { checkUsers } from "../../src/check/user_texts.ts";
import { singlePageApplication } from "../../src/check/single_page_application.ts";
import { readPackageFile } from "../installed.ts";
import { sample } from "../sample.ts";
import { closeBrowser, executablePath, openPage as openTestPage } from "./harness.ts";

const skip = executablePath === undefined;
let started: Promise<Chromium> | undefined;

/** The browser of the checks. */
const chromium = () => started ??= startChromium(executablePath!);

after(async () => {
  await (await started)?.close();
  await closeBrowser();
});

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

/** Sends the requests of a page. */
const workerScript = `onmessage = async ({ data: [url, init], ports: [port] }) => {
  const response = await fetch(url, init).catch(() => Response.error());
  port.postMessage([response.status, [...response.headers], await response.text()]);
}`;

/** Checks a page in Chromium, with the script of a library at `/oauth.js`. */
async function checkPage(
  pageOf: (issuer: string, client_id: string) => string,
  library: string,
  only: readonly string[],
  createDriver?: (origin: string) => ClientDriver,
): Promise<CheckReport> {
  await using as = await testLatchkey({
    ...{ alg: "EdDSA", users: checkUsers, responseModes: ["query", "form_post", "fragment"] },
  });
  const { url: issuer } = await as.listen();
  let page = "";
  const app = createServer((request, response) => {
    const script = { "/oauth.js": library, "/worker.js": workerScript }[request.url!];
    response.setHeader("content-type", script === undefined ? "text/html" : "text/javascript");
    response.end(script ?? page);
  }).listen(0, "127.0.0.1");
  await once(app, "listening");
  const origin = `http://127.0.0.1:${(app.address() as AddressInfo).port}`;
  const { client_id } = as.client({ redirect_uris: [`${origin}/callback`, `${origin}/`] });
  page = pageOf(issuer, client_id);
  const { openContext } = await chromium();
  const driver = createDriver?.(origin) ?? singlePageApplication(origin, { openContext, users: checkUsers });
  const report = await checkClient(driver, { as, only });
  app.close();
  assertEquals(report.control.passed, true, String(report));
  return report;
}

/** A driver that opens a browser itself. */
const ownBrowser = (origin: string): ClientDriver => ({
  name: "single-page application",
  opensBrowser: true,
  async logIn() {
    await using opened = await openTestPage(origin);
    const { page } = opened;
    await page.locator("#user:not(:empty), #error:not(:empty)").waitFor({ state: "attached" });
    const error = await page.locator("#error").textContent();
    if (error) throw new Error(error);
    return { sub: await page.locator("#user").textContent() ?? "" };
  },
});

test("a single-page application in Chromium has the mistakes of its library: the browser prevents none of them", {
  skip,
}, async () => {
  const library = await readPackageFile("oidc-client-ts/dist/browser/oidc-client-ts.min.js");
  const passed = sample(["response/state-wrong", "token/type-case"], 2, 0);
  const only = [...passed, "response/iss-wrong", "transport/redirect"];
  const report = await checkPage(pageOf, library, only, ownBrowser);
  const failed = [...new Set(report.failures.map(({ attack: { id } }) => id))];
  assertEquals(failed, ["transport/redirect"], String(report));
  const warned = report.results.filter(({ verdict }) => verdict === "warning").map(({ attack: { id } }) => id);
  // A client of one issuer need not compare iss.
  assertEquals([...new Set(warned)], ["response/iss-wrong", "transport/redirect"], String(report));
  assertEquals(unclearIn(report).length, 0, String(report));
});

test(
  "a single-page application that begins the login at every error never ends, and its pictures are no requests of a server",
  {
    skip,
  },
  async () => {
    const library = await readPackageFile("oidc-client-ts/dist/browser/oidc-client-ts.min.js");
    const endless = (issuer: string, client_id: string) =>
      pageOf(issuer, client_id)
        .replace('run.catch((error) => show("error", String(error)));', "run.catch(() => manager.signinRedirect());")
        .replace(
          "({ profile }) => ",
          `({ profile }) => {
    document.body.append(Object.assign(new Image(), { src: profile.picture ?? "" }));
    return profile;
  }).then((profile) => `,
        );
    const { results } = await checkPage(endless, library, ["response/state-wrong", "userinfo/url-fetched"]);
    const others = results.filter(({ verdict, cause, attack: { id } }) =>
      id === "userinfo/url-fetched" ? verdict !== "passed" : verdict !== "skipped" && cause !== effects.endless.cause
    );
    assertEquals(others.map(({ attack: { id }, because }) => `${id}: ${because}`), []);
  },
);

/**
 * Correct applications: whether each waits for a click, renews its tokens in a frame, leaves requests to a worker, and
 * has the response in the fragment of its only page and reads no body of an error.
 */
const correct: Readonly<
  Record<
    string,
    {
      readonly waits?: boolean;
      readonly renews?: boolean;
      readonly hasWorker?: boolean;
      readonly hasFragment?: boolean;
    }
  >
> = {
  "waits for a click": { waits: true },
  "logs in by itself": {},
  "renews its tokens without pages": { waits: true, renews: true },
  "sends its requests from a worker": { hasWorker: true },
  "has its response in a fragment, and reads no body of an error": { waits: true, hasFragment: true },
};

/** A page that makes every check of oauth4webapi, and those that it leaves to its caller. */
const correctPage =
  ({ waits, renews, hasWorker, hasFragment }: typeof correct[string]) => (issuer: string, client_id: string) =>
    `<title>Shop</title><p id="user"></p><p id="error"></p><script type="module">
import * as oauth from "/oauth.js";
const issuer = new URL(${JSON.stringify(issuer)});
const client = { client_id: ${JSON.stringify(client_id)}, id_token_signed_response_alg: "EdDSA" };
const options = { [oauth.allowInsecureRequests]: true, signal: () => AbortSignal.timeout(4000) };
const worker = ${hasWorker === true} && new Worker("/worker.js");
if (worker) {
  options[oauth.customFetch] = (url, { method, headers, body }) =>
    new Promise((resolve, reject) => {
      const { port1, port2 } = new MessageChannel();
      port1.onmessage = ({ data: [status, headers, text] }) =>
        status ? resolve(new Response(text || null, { status, headers })) : reject(new TypeError("no response"));
      worker.postMessage([url, { method, headers: [...new Headers(headers)], body: body?.toString() }], [port2]);
    });
}
if (${hasFragment === true}) {
  options[oauth.customFetch] = async (url, init) => {
    const response = await fetch(url, init);
    if (!response.ok) throw new Error("status " + response.status);
    return response;
  };
}
const redirect_uri = location.origin + "/${hasFragment ? "" : "callback"}";
const show = (id, text) => document.getElementById(id).textContent = text;
async function discover() {
  const as = await oauth.processDiscoveryResponse(issuer, await oauth.discoveryRequest(issuer, options));
  if (as.issuer !== ${JSON.stringify(issuer)}) throw new Error("wrong issuer");
  return as;
}
async function begin(prompt) {
  const as = await discover();
  const login = {
    state: oauth.generateRandomState(),
    nonce: oauth.generateRandomNonce(),
    verifier: oauth.generateRandomCodeVerifier(),
  };
  const url = new URL(as.authorization_endpoint);
  if (!/^https?:$/.test(url.protocol)) throw new Error("wrong authorization endpoint");
  url.search = new URLSearchParams({
    client_id: client.client_id, redirect_uri, response_type: "code", scope: "openid profile email",
    state: login.state, nonce: login.nonce, ...prompt && { prompt },
    ...${hasFragment === true} && { response_mode: "fragment" },
    code_challenge: await oauth.calculatePKCECodeChallenge(login.verifier), code_challenge_method: "S256",
  });
  return { url, login };
}
async function exchange(url, { state, nonce, verifier }) {
  const as = await discover();
  const received = ${hasFragment === true} ? new URLSearchParams(url.hash.slice(1)) : url;
  const params = oauth.validateAuthResponse(as, client, received, state);
  const response = await oauth.authorizationCodeGrantRequest(
    as, client, oauth.None(), params, redirect_uri, verifier, options);
  const tokens = await oauth.processAuthorizationCodeResponse(
    as, client, response, { expectedNonce: nonce, requireIdToken: true });
  await oauth.validateApplicationLevelSignature(as, response, options);
  const { sub, azp = client.client_id } = oauth.getValidatedIdTokenClaims(tokens);
  if (sub === "" || azp !== client.client_id) throw new Error("wrong sub or azp");
  const userinfo = await oauth.userInfoRequest(as, client, tokens.access_token, options);
  if (!/json/.test(userinfo.headers.get("content-type"))) throw new Error("wrong media type");
  return await oauth.processUserInfoResponse(as, client, sub, userinfo);
}
async function logIn() {
  const { url, login } = await begin();
  sessionStorage.setItem("login", JSON.stringify(login));
  location.assign(url);
}
async function complete() {
  const login = JSON.parse(sessionStorage.getItem("login"));
  sessionStorage.removeItem("login");
  const url = new URL(location.href);
  history.replaceState(null, "", location.pathname);
  const user = await exchange(url, login);
  show("user", user.name ?? user.email ?? user.sub);
  if (${renews === true}) await renew(user.sub).catch(() => {});
}
async function renew(sub) {
  const { url, login } = await begin("none");
  const frame = document.body.appendChild(Object.assign(document.createElement("iframe"), { src: url, hidden: true }));
  const { data } = await new Promise((resolve) => addEventListener("message", resolve, { once: true }));
  frame.remove();
  if ((await exchange(new URL(data), login)).sub !== sub) throw new Error("another user");
}
const run = parent !== window
  ? async () => parent.postMessage(location.href, location.origin)
  : location.pathname === "/callback" || location.hash.includes("state=")
  ? complete
  : ${waits === true}
  ? async () => {
    document.body.append(document.createElement("button"));
    document.querySelector("button").textContent = "Log in";
    document.querySelector("button").onclick = logIn;
  }
  : logIn;
run().catch((error) => show("error", String(error)));
</script>`;

for (const [place, [name, kind]] of Object.entries(correct).entries()) {
  test(`a correct single-page application in Chromium is accused of nothing: it ${name}`, { skip }, async () => {
    const report = await checkPage(correctPage(kind), await readPackageFile("oauth4webapi/build/index.js"), [
      ...kind.hasFragment ? ["error/token", "response/late"] : [],
      ...["session/two-users", "response/swapped", "response/twice", "userinfo/thin", "session/markup"],
      ...partOf(["session", "response", "error", "userinfo", "token"], 20, place),
    ]);
    // In a slow browser the page may give up a request before it meets an attack, which is no accusation.
    const accusations = findingLines(report).filter((line) => !line.startsWith("skipped"));
    assertEquals(accusations, [], String(report));
  });
}

/** Mistakes: a text of the page, what is in its place, and the attack that finds it. */
const mistakes: Readonly<Record<string, readonly [text: string, instead: string, foundBy: string]>> = {
  "writes texts as HTML": [".textContent = text", ".innerHTML = text", "session/markup"],
  "goes to any target": [
    `show("user", user.name`,
    `location.assign(sessionStorage.getItem("target") ?? "#");
  show("user", user.name`,
    "session/return-target",
  ],
  "sends its token in a URL": [
    "const userinfo = await",
    `await fetch("/orders?access_token=" + tokens.access_token);
  const userinfo = await`,
    "session/token-in-url",
  ],
};

for (const [name, [text, instead, foundBy]] of Object.entries(mistakes)) {
  test(`a single-page application in Chromium is found by ${foundBy}: it ${name}`, { skip }, async () => {
    const stores = `const target = new URL(location.href).searchParams.get("next");
  if (target) sessionStorage.setItem("target", target);
  location.assign(url)`;
    const page = (issuer: string, client_id: string) =>
      correctPage({})(issuer, client_id).replace("location.assign(url)", () => stores).replace(text, () => instead);
    const report = await checkPage(page, await readPackageFile("oauth4webapi/build/index.js"), [foundBy]);
    assert(report.counts.failed > 0, String(report));
  });
}

for (const [place, key] of sample([...Object.keys(accountKeys).entries()], 8, 1)) {
  test(
    `in Chromium, an application that finds accounts by ${key} is found by what its page shows`,
    { skip },
    async () => {
      for (const text of sample(accountTextsFor(key), 2, place)) {
        await using as = await testLatchkey({ alg: "EdDSA", users: checkUsers });
        const { url: issuer } = await as.listen();
        const { userPage, loggedInText } = accountPage(key, text);
        await using application = await startWebApplication((url) => {
          as.client({ client_id: "shop", redirect_uri: `${url}/callback` });
          return { issuer, clientId: "shop", alg: "EdDSA", userPage };
        });
        const { openContext } = await chromium();
        const driver = singlePageApplication(`${application.url}/login`, {
          openContext,
          users: checkUsers,
          loggedInText,
        });
        const report = await checkClient(driver, { as, only: ["id-token/user-similar"] });
        assert(report.counts.failed > 0, `${text}: ${report}`);
      }
    },
  );
}

test(
  "the browser of a check listens on no port, to which every user of the machine could connect",
  { skip },
  async () => {
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
  },
);

test(
  "latchkey check --browser checks an application in this browser",
  { skip },
  async () => {
    const { code, stdout } = await checkInProcess(["--only", "token/type-case", "--browser", executablePath!]);
    assertEquals(code, 0, stdout);
  },
);
