/**
 * The link to the page that explains an error, the recorded step or the page of the rule, in error responses of test
 * hosts: `error_uri` in the body, the redirect and the challenge, and the header `Link`.
 */

import { assert, assertEquals, assertMatch, assertRejects, assertStringIncludes } from "@std/assert";
import { readFile } from "node:fs/promises";
import { test } from "node:test";
import { inspect } from "node:util";
import * as openid from "openid-client";
import { inspector } from "../../../src/devtools/mod.ts";
import type { LatchkeyOptions } from "../../../src/mod.ts";
import { publicTokens, testClients } from "../../server/client_endpoints.ts";
import { basic, realHost, type TestServer, testServer } from "../../kit.ts";

type Links = Record<string, string | undefined>;

const linkOf = ({ headers }: Response) => /^<([^>]*)>; rel="help"$/.exec(headers.get("link") ?? "")?.[1];

const challengeOf = ({ headers }: Response) => headers.get("www-authenticate")!;

/** The link in each kind of error response. */
async function errorLinks({ token, authorize, get }: TestServer): Promise<Links> {
  const json = await token({ code: "guess" });
  const redirect = await authorize({ scope: "nonsense" });
  const unknown = await get("/token", { headers: { accept: "application/json" } });
  const bearer = await get("/oauth2/userinfo", { headers: { authorization: "Bearer guess" } });
  const client = await token({ client_id: "web" }, { headers: basic("web", "guess") });
  const page = await authorize({ client_id: "guess" });
  const uriOf = (response: Response) => /error_uri="([^"]*)"/.exec(challengeOf(response))?.[1];
  return {
    "json, header": linkOf(json),
    "unknown path, header": linkOf(unknown),
    "redirect, header": linkOf(redirect),
    "bearer, header": linkOf(bearer),
    "client authentication, header": linkOf(client),
    "page, header": linkOf(page),
    "wrong method, header": linkOf(await get("/oauth2/token")),
    "bearer, challenge": uriOf(bearer),
    "client authentication, challenge": uriOf(client),
    json: (await json.json()).error_uri,
    "unknown path": (await unknown.json()).error_uri,
    redirect: new URL(redirect.headers.get("location")!).searchParams.get("error_uri") ?? undefined,
    bearer: (await bearer.json()).error_uri,
    "client authentication": (await client.json()).error_uri,
  };
}

for (const issuer of ["http://localhost:9666", "https://localhost:9666/tenant"]) {
  test(`an error of ${issuer} has the link to the step that explains it`, async () => {
    const server = await testServer({ issuer, plugins: [inspector()] });
    for (const [kind, uri] of Object.entries(await errorLinks(server))) {
      assertMatch(uri ?? kind, new RegExp(`^${issuer}/flows/of/\\d+$`));
      const { headers, status } = await server.as.fetch(new Request(uri!));
      assertEquals(status, 302);
      // No fragment: it would scroll heading, reason and fix away.
      const flow = headers.get("location")!;
      assertMatch(flow, /\/flows\/\d+$/);
      const page = await (await server.as.fetch(new Request(new URL(flow, issuer)))).text();
      assertMatch(page, /<section class="step" id="step-\d"/);
    }
  });
}

for (const issuer of ["http://localhost:9666", "https://localhost:9666/tenant"]) {
  test(`[UI-13] without recorded flows an error of ${issuer} has the link to the page of its rule`, async () => {
    const pages = inspector({ requests: false, readRules: () => readFile("tests/rules.md", "utf8") });
    const server = await testServer({ issuer, plugins: [pages] });
    const links = await errorLinks(server);
    const ruleOf = (kind: string) => links[kind]?.slice(`${issuer}/docs/rules/`.length);
    for (const [kind, uri] of Object.entries(links)) {
      assertMatch(uri ?? kind, new RegExp(`^${issuer}/docs/rules/[A-Z]{2}-\\d{2}$`));
      const page = await server.as.fetch(new Request(uri!));
      assertEquals(page.status, 200, uri);
      assertStringIncludes(await page.text(), `<h1>Rule ${ruleOf(kind)}</h1>`);
    }
    const rules = ["json", "redirect", "client authentication", "page, header", "unknown path"].map(ruleOf);
    assertEquals(rules, ["TK-16", "AZ-17", "CA-07", "AZ-02", "HT-01"]);
    const page = await server.authorize({ client_id: "guess" });
    const { pathname } = new URL(links["page, header"]!);
    assertStringIncludes(await page.text(), `<a class="button plain" href="${pathname}">Read about rule AZ-02</a>`);
  });
}

test("[UI-13] the link of an earlier rejection leads to a page about its step, not about a later one", async () => {
  const server = await testServer({ ...testClients, plugins: [inspector()] });
  const { refresh_token } = await publicTokens(server);
  const send = async (fields: Record<string, string>) =>
    await (await server.post("/oauth2/token", { grant_type: "refresh_token", client_id: "spa", ...fields })).json();
  const earlier = await send({ refresh_token: refresh_token!, scope: "admin" });
  await send({ refresh_token: refresh_token! });
  const later = await send({ refresh_token: refresh_token! });
  const aboutStep = async (uri: string) => {
    const path = (await server.as.fetch(new Request(uri))).headers.get("location")!;
    const page = await (await server.get(path)).text();
    const [, reason] = /class="reason.*?(?:<strong><bdi>|<dd>)(.*?)<\/bdi>/.exec(page) ?? [];
    return [reason, /href="(#step-\d)"/.exec(page)?.[1]];
  };
  assertEquals(await aboutStep(earlier.error_uri), ["scope is more than was granted", "#step-3"]);
  assertEquals((await aboutStep(later.error_uri))[1], "#step-5");
});

test("[UI-13] without recorded flows and pages of rules, or on another host, errors have no link", async () => {
  const pages = inspector({ requests: false, readRules: () => readFile("tests/rules.md", "utf8") });
  const cases: LatchkeyOptions[] = [
    { issuer: "http://localhost:9666" },
    { ...realHost, insecure: ["auto-login", "inspector"], plugins: [inspector()] },
    { ...realHost, plugins: [pages] },
  ];
  for (const options of cases) {
    const links = await errorLinks(await testServer(options));
    assertEquals(Object.values(links).filter((link) => link !== undefined), [], JSON.stringify(links));
  }
});

test("[CA-05, BR-04] on test hosts the Basic challenge has the error of the body; elsewhere it has the realm alone", async () => {
  const reject = async (options: LatchkeyOptions) =>
    await (await testServer(options)).token({ client_id: "web" }, { headers: basic("web", "guess") });
  const response = await reject({ issuer: "http://localhost:9666", plugins: [inspector()] });
  const attributes = Object.fromEntries(
    [...challengeOf(response).matchAll(/(\w+)="([^"]*)"/g)].map(([, name, value]) => [name, value]),
  );
  const { error, error_description, error_uri } = await response.json();
  assertEquals(attributes, { realm: "http://localhost:9666", charset: "UTF-8", error, error_description, error_uri });
  assertStringIncludes(error_description, "secret");
  assertEquals(challengeOf(await reject(realHost)), 'Basic realm="https://login.widgets.com", charset="UTF-8"');
});

test("[SC-12, CA-06] the error of openid-client shows why a wrong secret was rejected, and the link; in the body without inspecting", async () => {
  const { as } = await testServer({ issuer: "http://localhost:9666", plugins: [inspector()] });
  const methods = [openid.ClientSecretBasic("guess"), openid.ClientSecretPost("guess"), openid.None()];
  for (const authentication of methods) {
    const config = await openid.discovery(new URL(as.issuer), "web", "guess", authentication, {
      [openid.customFetch]: (url, init) => as.fetch(new Request(url, init as RequestInit)),
      execute: [openid.allowInsecureRequests],
    });
    const error = await assertRejects(() => openid.refreshTokenGrant(config, "guess"));
    const isInBody = error instanceof openid.ResponseBodyError;
    assert(isInBody || error instanceof openid.WWWAuthenticateChallengeError);
    // What console.log prints: it does not show the parameters of a challenge.
    const shown = inspect(error, isInBody ? {} : { depth: null });
    assertMatch(shown, /error: 'invalid_client'/);
    assertMatch(shown, /error_description:\s+'[^']*(?:the secret of client web is wrong|must authenticate)/);
    assertMatch(shown, /error_uri: 'http:\/\/localhost:9666\/flows\/of\/\d+'/);
  }
});
