/** A correct application that requests userinfo for each page is accused of nothing, and a mistaken one is found. */

import { assert, assertEquals } from "@std/assert";
import { test } from "node:test";
import * as openid from "openid-client";
import { webApplication } from "../../src/check/web_application.ts";
import type { CheckReport } from "../../src/check/mod.ts";
import type { Fetch } from "../../src/testing/fetch.ts";
import type { TestLatchkey } from "../../src/testing/test_latchkey.ts";
import { testLatchkey } from "../testing/test_latchkey.ts";
import { checkClient } from "./patient_check.ts";

const issuer = "http://localhost:9000";
const application = "http://localhost:3000";

/** Pages of an application that keeps tokens alone: each asks userinfo who is logged in, and compares its sub. */
function pagesOf({ fetch: send }: TestLatchkey, comparesSub: boolean): (request: Request) => Promise<Response> {
  const logins = new Map<string, { readonly state: string; readonly nonce: string; readonly verifier: string }>();
  const sessions = new Map<string, { readonly sub: string; readonly token: string }>();
  const fetch = ((url, init) => send(url, init as RequestInit)) as openid.CustomFetch;
  let config: Promise<openid.Configuration> | undefined;
  const options = { [openid.customFetch]: fetch, execute: [openid.allowInsecureRequests] };
  const discover = () =>
    config ??= openid.discovery(new URL(issuer), "shop", undefined, openid.None(), options).then((found) => {
      openid.enableNonRepudiationChecks(found);
      return found;
    }).catch((error) => {
      config = undefined;
      throw error;
    });
  const redirect = (location: string, cookie: string) =>
    new Response(null, { status: 302, headers: { location, "set-cookie": `${cookie}; HttpOnly; SameSite=Lax` } });
  const page = (html: string, status = 200) => new Response(html, { status, headers: { "content-type": "text/html" } });

  async function respond(request: Request): Promise<Response> {
    const { pathname } = new URL(request.url);
    const cookie = (name: string) =>
      new RegExp(`(?:^|; )${name}=([^;]+)`).exec(request.headers.get("cookie") ?? "")?.[1] ?? "";
    const server = await discover();
    if (pathname === "/login") {
      const [id, state, nonce, verifier] = [1, 2, 3, 4].map(openid.randomState) as [string, string, string, string];
      logins.set(id, { state, nonce, verifier });
      const parameters = { redirect_uri: `${application}/callback`, scope: "openid profile", state, nonce };
      const code_challenge = await openid.calculatePKCECodeChallenge(verifier);
      const url = openid.buildAuthorizationUrl(server, {
        ...{ ...parameters, code_challenge, code_challenge_method: "S256" },
      });
      return redirect(url.href, `login=${id}`);
    }
    if (pathname === "/callback") {
      const { state, nonce, verifier } = logins.get(cookie("login")) ?? {};
      logins.delete(cookie("login"));
      if (state === undefined) return page("No login has begun in this browser.", 400);
      const checks = { pkceCodeVerifier: verifier, expectedState: state, expectedNonce: nonce, idTokenExpected: true };
      const tokens = await openid.authorizationCodeGrant(server, new URL(request.url), checks);
      const id = openid.randomState();
      sessions.set(id, { sub: tokens.claims()!.sub, token: tokens.access_token });
      return redirect("/", `session=${id}`);
    }
    const session = sessions.get(cookie("session"));
    if (session === undefined) return page(`<a href="/login">Log in</a>`);
    const expected = comparesSub ? session.sub : openid.skipSubjectCheck;
    const info = await openid.fetchUserInfo(server, session.token, expected);
    return page(`<p>Hello ${info.name} <img src="${info.picture}"></p>`);
  }

  return (request) => respond(request).catch(() => page("Something went wrong.", 502));
}

/** Checks the application by the attacks on userinfo. */
async function check(comparesSub: boolean, only: readonly string[]): Promise<CheckReport> {
  const users = [{ sub: "alice", name: "Ada Adams" }, { sub: "bob", name: "Bob Brown" }];
  await using as = await testLatchkey({ issuer, alg: "EdDSA", users });
  as.client({ client_id: "shop", redirect_uri: `${application}/callback` });
  const respond = pagesOf(as, comparesSub);
  const driver = webApplication(`${application}/login`, {
    loggedInText: "Ada Adams",
    fetch: ((url, init) => respond(new Request(url, init as RequestInit))) as Fetch,
  });
  return await checkClient(driver, { as, recoveryMs: 0, only });
}

test("an application that requests userinfo for each page is accused of nothing", async () => {
  const report = await check(true, [
    "userinfo",
    "transport/redirect",
    "transport/status-complete",
    "id-token/sub-other",
  ]);
  assert(report.control.passed, String(report));
  const found = report.results.filter(({ verdict }) => verdict !== "passed" && verdict !== "skipped");
  assertEquals(found.map(({ verdict, attack: { id }, because }) => `${verdict} ${id}: ${because}`), [], String(report));
});

test("an application that requests userinfo for each page, and does not compare sub, is found", async () => {
  const { failures } = await check(false, ["userinfo/sub-other"]);
  assert(failures.length > 0);
});
