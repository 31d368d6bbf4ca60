/**
 * The login pages of providers over HTTP, as programs without a browser fill them in: fetch the authorization URL, take
 * the first form, post its fields to its action, follow to the application.
 */

import { assert, assertEquals, assertMatch, assertNotMatch, assertStringIncludes } from "@std/assert";
import { test } from "node:test";
import { extractText, parseForms } from "../../../src/client/html_form.ts";
import { loginPageNames } from "../../../src/server/config/login_page_names.ts";
import { type LatchkeyOptions, memoryStore } from "../../../src/mod.ts";
import { latchkey } from "../../secret_leak_check.ts";
import { cheapDigest } from "../digests.ts";

const callback = "https://app.example/cb";
const users = [
  { sub: "u1", preferred_username: "alice", email: "alice@app.example", password: await cheapDigest("correct horse") },
  { sub: "u2", preferred_username: "bob", email: "bob@app.example" },
];

function claimsIn(jwt: string): Record<string, unknown> {
  return JSON.parse(atob(jwt.split(".")[1]!.replaceAll("-", "+").replaceAll("_", "/")));
}

/** A program with a cookie jar, in front of a server with the login page of a provider. */
async function start(options: LatchkeyOptions) {
  const as = await latchkey({
    login: "interactive",
    clients: [{
      ...{ client_id: "shop", client_secret: "a-secret-of-the-shop" },
      ...{ redirect_uris: [callback], post_logout_redirect_uris: [callback] },
    }],
    users,
    ...options,
  });
  const issuer = as.issuer.replace(/\/$/, "");
  const metadata = await (await as.fetch(new Request(`${issuer}/.well-known/openid-configuration`))).json();
  const query = { response_type: "code", client_id: "shop", redirect_uri: callback, scope: "openid", nonce: "n" };
  return {
    as,
    issuer,
    logoutUrl: metadata.end_session_endpoint as string,
    authorizationUrl: `${metadata.authorization_endpoint}?${new URLSearchParams({ ...query, state: "s" })}`,
    program(jar = new Map<string, string>()) {
      const request = async (url: string, form?: Record<string, string>, headers: Record<string, string> = {}) => {
        const cookie = [...jar].map(([name, value]) => `${name}=${value}`).join("; ");
        const body = form && new URLSearchParams(form).toString();
        const response = await as.fetch(
          new Request(url, {
            method: form ? "POST" : "GET",
            body,
            headers: {
              ...cookie !== "" && { cookie },
              ...body !== undefined && {
                "content-type": "application/x-www-form-urlencoded",
                "content-length": String(body.length),
              },
              ...headers,
            },
            redirect: "manual",
          }),
        );
        for (const line of response.headers.getSetCookie()) {
          const [, name, value] = /^([^=]+)=([^;]*)/.exec(line)!;
          jar.set(name!, value!);
        }
        return response;
      };
      return {
        jar,
        request,
        /** Opens a URL and follows redirects within the server. */
        async open(url: string) {
          let response = await request(url);
          while (response.status >= 300 && response.status < 400) {
            const next = new URL(response.headers.get("location")!, url).href;
            if (!next.startsWith(new URL(issuer).origin)) break;
            url = next;
            response = await request(url);
          }
          const html = response.status === 200 ? await response.text() : "";
          return { url, response, html, text: extractText(html), forms: parseForms(html, url) };
        },
        /** Logs in on all pages. Returns the URL of the application. */
        async logIn(url: string, username: string, end = callback): Promise<string> {
          let { forms: [form] } = await this.open(url);
          for (let screen = 0; screen < 4; screen++) {
            const typed = form!.controls.map(({ name, type }) => [name, type === "password" ? "any" : username]);
            const response = await request(form!.action, Object.fromEntries(typed));
            const location = response.headers.get("location");
            // Without a redirect, the response is the next screen.
            const next = location === null ? form!.action : new URL(location, form!.action).href;
            if (location !== null && next.startsWith(end)) return next;
            [form] = location === null ? parseForms(await response.text(), next) : (await this.open(next)).forms;
          }
          throw new Error(`no code after four screens; the last form posts to ${form?.action}`);
        },
      };
    },
    /** The tokens for a code. */
    async tokensFor(location: string): Promise<{ readonly id_token: string; readonly access_token: string }> {
      const body = new URLSearchParams({
        ...{ grant_type: "authorization_code", code: new URL(location).searchParams.get("code")! },
        ...{ redirect_uri: callback },
      }).toString();
      return await (await as.fetch(
        new Request(metadata.token_endpoint, {
          method: "POST",
          body,
          headers: {
            "content-type": "application/x-www-form-urlencoded",
            "content-length": String(body.length),
            authorization: `Basic ${btoa("shop:a-secret-of-the-shop")}`,
          },
        }),
      )).json();
    },
  };
}

test("[UI-31] Keycloak's form stands at the authorization endpoint; its action and two fields suffice for a code", async () => {
  const { authorizationUrl, issuer, program, tokensFor } = await start({ profile: "keycloak" });
  for (const [username, password, sub] of [["alice", "correct horse", "u1"], ["BOB@app.example", "any", "u2"]]) {
    const { open, request } = program();
    const { response, url, html, forms: [form] } = await open(authorizationUrl);
    assertEquals([response.status, url], [200, authorizationUrl]);
    assertStringIncludes(html, "<title>Sign in to myrealm</title>");
    assert(form!.action.startsWith(`${issuer}/login-actions/authenticate?`));
    assertEquals(form!.controls.map(({ name }) => name), ["username", "password"]);
    // Absolute as it stands in the page.
    assertMatch(html, /action="https?:\/\//);
    const sent = await request(form!.action, { username: username!, password: password! });
    assertEquals(sent.status, 302);
    const location = sent.headers.get("location")!;
    assertMatch(location, /^https:\/\/app\.example\/cb\?(?=.*\bcode=)(?=.*\bstate=s\b)/);
    assertEquals(claimsIn((await tokensFor(location)).id_token).sub, sub);
    assertStringIncludes((await open(`${issuer}/account`)).html, "<title>Account Management</title>");
  }
});

test("[UI-31] a wrong password, an unknown user and an empty field show the form again, with the name", async () => {
  const { authorizationUrl, program } = await start({ profile: "keycloak" });
  for (
    const [username, password] of [["alice", "wrong"], ["alice", ""], ["nobody", "any"], ["bob", ""], ["", "any"]]
  ) {
    const { open, request } = program();
    const { forms: [form] } = await open(authorizationUrl);
    const again = await request(form!.action, { username: username!, password: password! });
    const html = await again.text();
    assertEquals(again.status, 200);
    assertMatch(html, /id="input-error"[^>]*>Invalid username or password\.</);
    const [second] = parseForms(html, form!.action);
    assertEquals(second!.controls.find(({ name }) => name === "username")!.value, username);
    const sent = await request(second!.action, { username: "alice", password: "correct horse" });
    assertMatch(sent.headers.get("location")!, /code=/);
  }
});

test("[UI-31] where users is any, another name logs in with any password", async () => {
  for (const loginPage of ["keycloak", "google"] as const) {
    const { authorizationUrl, tokensFor, program } = await start({ loginPage, users: "any" });
    assertEquals(
      claimsIn((await tokensFor(await program().logIn(authorizationUrl, "new@example.com"))).id_token).sub,
      "new@example.com",
    );
  }
});

test("[UI-31] a form logs in the browser that began, once, and for a page of this server alone", async () => {
  const { authorizationUrl, program } = await start({ profile: "keycloak" });
  const attacker = program();
  const { forms: [form] } = await attacker.open(authorizationUrl);
  const fields = { username: "bob", password: "any" };
  // The attacker's form in the browser of somebody else: without cookies, with those of another login.
  const victim = program();
  assertEquals((await victim.request(form!.action, fields)).status, 400);
  await victim.open(authorizationUrl);
  const posted = await victim.request(form!.action, fields);
  assertEquals([posted.status, posted.headers.get("location")], [400, null]);
  // The attacker's page posts the form of the victim.
  const { forms: [ofVictim] } = await victim.open(authorizationUrl);
  for (
    const headers of [
      { origin: "https://evil.example" },
      { origin: "https://evil.example", "sec-fetch-site": "cross-site" },
      { origin: "null", "sec-fetch-site": "cross-site" },
    ] as Record<string, string>[]
  ) {
    assertEquals((await victim.request(ofVictim!.action, fields, headers)).status, 403);
  }
  assertEquals((await victim.request(ofVictim!.action, fields)).status, 302);
  assertEquals((await victim.request(ofVictim!.action, fields)).status, 400);
  // Another host name that leads to this machine.
  assertEquals((await attacker.request(form!.action, fields, { host: "evil.example" })).status, 403);
});

test("[UI-31] a session skips the form, prompt=login shows it, and prompt=none never does", async () => {
  const { authorizationUrl, program } = await start({ profile: "keycloak" });
  const { open, request } = program();
  const silent = `${authorizationUrl}&prompt=none`;
  assertMatch((await request(silent)).headers.get("location")!, /error=login_required/);
  const { forms: [form] } = await open(authorizationUrl);
  await request(form!.action, { username: "bob", password: "any" });
  for (const url of [authorizationUrl, silent]) {
    assertMatch((await request(url)).headers.get("location")!, /\bcode=/);
  }
  assertEquals((await open(`${authorizationUrl}&prompt=login`)).forms.length, 1);
});

test("[UI-31, UI-11] no session sends a code to a redirect URI of strangers without a question", async () => {
  for (const page of ["keycloak", "auth0", "dex", "google", "okta", "entra"] as const) {
    for (const clients of ["any", undefined] as const) {
      const { authorizationUrl, program } = await start({
        ...{ loginPage: page, redirectUris: "any" },
        ...clients && { clients, users: "any" },
      });
      const browser = program();
      const to = (uri: string) => authorizationUrl.replace(encodeURIComponent(callback), encodeURIComponent(uri));
      const cases = clients ? ["http://localhost:3000/cb"] : [callback, "http://localhost:3000/cb"];
      await browser.logIn(to(cases[0]!), "bob@app.example", cases[0]!);
      const location = async (url: string) => (await browser.request(url)).headers.get("location") ?? "";
      for (const uri of cases) assertMatch(await location(to(uri)), /\bcode=/, `${page} ${clients} ${uri}`);
      const foreign = to("https://evil.example/cb");
      assertNotMatch(await location(foreign), /\bcode=/, `${page} ${clients}`);
      assertMatch(await location(`${foreign}&prompt=none`), /^https:\/\/evil\.example\/cb\?error=\w+_required/);
      assertMatch(await browser.logIn(foreign, "bob@app.example", "https://evil.example/cb"), /\bcode=/);
    }
  }
});

/** Programs that log in over HTTP, in front of the page of a provider: the last response leads to the application. */
const programs: Readonly<
  Record<string, {
    readonly options: LatchkeyOptions;
    logIn(server: Awaited<ReturnType<typeof start>>): Promise<Response>;
  }>
> = {
  "Auth0's two pages, by the state in the URL alone": {
    options: { profile: "auth0", loginPage: "auth0-identifier-first" },
    async logIn({ program, authorizationUrl, issuer }) {
      const { open, request } = program();
      const state = new URL((await open(authorizationUrl)).url).searchParams.get("state")!;
      const at = (step: string) => `${issuer}/u/login/${step}?state=${encodeURIComponent(state)}`;
      assertEquals((await request(at("password"), { state, username: "alice", password: "wrong" })).status, 400);
      const next = await request(at("identifier"), { state, username: "alice", action: "default" });
      assertMatch(next.headers.get("location")!, /\/u\/login\/password\?state=(?!.*alice)/);
      return await request(at("password"), { state, username: "alice", password: "correct horse", action: "default" });
    },
  },
  "Keycloak's form URL, rebuilt from its four parameters": {
    options: { profile: "keycloak" },
    async logIn({ program, authorizationUrl, issuer }) {
      const { open, request } = program();
      const { forms: [form] } = await open(authorizationUrl);
      const { searchParams } = new URL(form!.action);
      const names = ["session_code", "execution", "client_id", "tab_id"];
      const values = names.map((name) => [name, searchParams.get(name)!]);
      const query = new URLSearchParams(values);
      assert(values.every(([, value]) => value));
      return await request(`${issuer}/login-actions/authenticate?${query}`, {
        ...{ username: "alice", password: "correct horse", credentialId: "" },
      });
    },
  },
  "Dex: credentials posted to the URL of the connector link": {
    options: { loginPage: "dex-connectors" },
    async logIn({ program, authorizationUrl, issuer }) {
      const { open, request } = program();
      const [, link] = /href="([^"]*\/auth\/local[^"]*)"/.exec((await open(authorizationUrl)).html)!;
      const url = new URL(link!.replaceAll("&amp;", "&"), issuer).href;
      assertStringIncludes((await open(url)).text, "Log in to Your Account");
      return await request(url, { login: "alice", password: "correct horse" });
    },
  },
  "Dex and its approval, as clients of Kubeflow": {
    options: { loginPage: "dex", paths: { authorization_endpoint: "/auth", token_endpoint: "/token" } },
    async logIn({ program, authorizationUrl, issuer }) {
      const { open, request } = program();
      const { url } = await open(authorizationUrl);
      assertMatch(new URL(url).pathname, /\/auth\/.*\/login$/);
      const sent = await request(url, { login: "alice@app.example", password: "correct horse" });
      const approval = new URL(sent.headers.get("location")!, issuer);
      assertMatch(approval.pathname, /\/approval$/);
      return await request(approval.href, { approval: "approve" });
    },
  },
  "Cognito's token and relative action, read by regular expressions": {
    options: { profile: "cognito" },
    async logIn({ program, authorizationUrl, issuer }) {
      const { open, request } = program();
      const { html } = await open(authorizationUrl);
      const [, csrf] = /name="_csrf" value="([^"]*)"/.exec(html)!;
      const [, action] = /<form action="([^"]*)"[^>]*name="cognitoSignInForm"/.exec(html)!;
      return await request(new URL(issuer).origin + action!.replaceAll("&amp;", "&"), {
        ...{ _csrf: csrf!, username: "alice", password: "correct horse", cognitoAsfData: "" },
      });
    },
  },
  "mock-oauth2-server: its form posted to the authorization URL, without cookies": {
    options: { loginPage: "mock-oauth2-server", clients: "any", redirectUris: "any", users: "any" },
    logIn: async ({ program, authorizationUrl }) => await program().request(authorizationUrl, { username: "anybody" }),
  },
  "GitHub's hidden fields, sent to the path of its form": {
    options: { profile: "github" },
    async logIn({ program, authorizationUrl, issuer }) {
      const { open, request } = program();
      const { forms: [form] } = await open(authorizationUrl.replace("&scope=openid", ""));
      const fields = Object.fromEntries(form!.controls.map(({ name, value }) => [name, value]));
      assert(fields.authenticity_token && fields.return_to);
      const { origin } = new URL(issuer);
      const sent = await request(`${origin}/session`, { ...fields, login: "alice", password: "correct horse" });
      const { url } = await open(sent.headers.get("location")!);
      return await request(url, { authorize: "1" });
    },
  },
  "IdentityServer4: the first form, with the value of its button": {
    options: { loginPage: "identityserver4" },
    async logIn({ program, authorizationUrl }) {
      const { open, request } = program();
      const { forms: [form] } = await open(authorizationUrl);
      return await request(form!.action, { Username: "alice", Password: "correct horse", button: "login" });
    },
  },
};

for (const [title, { options, logIn }] of Object.entries(programs)) {
  test(`[UI-31] over HTTP: ${title}`, async () => {
    const response = await logIn(await start(options));
    assertEquals(response.status, 302);
    assertMatch(response.headers.get("location")!, /^https:\/\/app\.example\/cb\?(?=.*\bcode=)(?=.*\bstate=s\b)/);
  });
}

test("[UI-31] Okta's session token logs in without a page, once, for the right password, and not from another site", async () => {
  const { as, authorizationUrl, issuer, program } = await start({ profile: "okta", throttle: true });
  const { request } = program();
  const authenticate = async (
    password: string,
    headers: Record<string, string> = {},
    username = "alice@app.example",
  ) => {
    const body = JSON.stringify({ username, password });
    return await as.fetch(
      new Request(`${new URL(issuer).origin}/api/v1/authn`, {
        method: "POST",
        body,
        headers: { "content-type": "application/json", "content-length": String(body.length), ...headers },
      }),
    );
  };
  const wrong = await authenticate("wrong");
  assertEquals([wrong.status, (await wrong.json()).errorCode], [401, "E0000004"]);
  assertEquals((await authenticate("correct horse", { origin: "https://evil.example" })).status, 403);
  // A page whose name leads to this server (DNS rebinding) is of the same site.
  const rebound = { host: "evil.example", origin: "http://evil.example", "sec-fetch-site": "same-origin" };
  assertEquals((await authenticate("correct horse", rebound)).status, 403);
  const { status, sessionToken } = await (await authenticate("correct horse")).json();
  assertEquals(status, "SUCCESS");
  const url = `${authorizationUrl}&prompt=none&sessionToken=${encodeURIComponent(sessionToken)}`;
  const other = await program().request(url, undefined, {
    "sec-fetch-site": "cross-site",
    referer: "https://evil.example/",
  });
  assertMatch(other.headers.get("location") ?? "error=", /error=/);
  assertNotMatch((await program().request(url, undefined, rebound)).headers.get("location") ?? "", /\bcode=/);
  assertMatch((await request(url)).headers.get("location")!, /\bcode=/);
  // A used one is as if it were not sent.
  assertMatch((await program().request(url)).headers.get("location")!, /error=login_required/);
  assertEquals((await program().open(url.replace("&prompt=none", ""))).forms.length, 1);
  // Each name is verified, and the guesses have the limit of the page.
  for (const username of ["alice@app.example", "nobody"]) {
    const statuses = [];
    for (let i = 0; i < 11; i++) statuses.push((await authenticate("wrong", {}, username)).status);
    assertEquals(statuses.at(-1), 429, username);
    assertEquals(statuses[0], 401, username);
  }
});

test("[UI-31, LO-06] Okta's session token ends with the password and the user; prompt=none alone gives way to it", async () => {
  const user = { ...users[0]!, password: "new horse" };
  const changes: readonly [string, (as: Awaited<ReturnType<typeof latchkey>>) => unknown][] = [
    ["a new password", (as) => as.users.set(user)],
    ["another user", async (as) => {
      await as.users.delete("u1");
      await as.users.set(users[0]!);
    }],
  ];
  const begin = async (login: "auto" | "interactive" = "interactive") => {
    const { as, authorizationUrl, issuer, program } = await start({ profile: "okta", login });
    const body = JSON.stringify({ username: "alice@app.example", password: "correct horse" });
    const headers = { "content-type": "application/json", "content-length": String(body.length) };
    const url = `${new URL(issuer).origin}/api/v1/authn`;
    const { sessionToken } = await (await as.fetch(new Request(url, { method: "POST", body, headers }))).json();
    const get = async (query: string, headers?: Record<string, string>) =>
      (await program().request(`${authorizationUrl}&${query}`, undefined, headers)).headers.get("location") ?? "";
    return { as, sessionToken, get, authorizationUrl, program };
  };
  for (const [name, change] of changes) {
    const { as, sessionToken, get } = await begin();
    await change(as);
    assertMatch(await get(`prompt=none&sessionToken=${sessionToken}`), /error=login_required/, name);
    assertNotMatch(await get(`sessionToken=${sessionToken}`), /code=/, name);
  }
  const { sessionToken, get } = await begin();
  assertMatch(await get(`prompt=none&sessionToken=${sessionToken}x`), /error=login_required/);
  assertMatch(await get("prompt=none&sessionToken="), /error=login_required/);
  assertMatch(await get(`sessionToken=${sessionToken}&sessionToken=x`), /error=invalid_request/);
  assertMatch(await get(`prompt=none+login&sessionToken=${sessionToken}`), /error=invalid_request/);
  assertMatch(await get(`prompt=none&sessionToken=${sessionToken}`), /code=/);
  for (const login of ["auto", "interactive"] as const) {
    const { sessionToken, authorizationUrl, program } = await begin(login);
    const [endpoint, query] = authorizationUrl.split("?");
    const form = { ...Object.fromEntries(new URLSearchParams(query)), prompt: "none", sessionToken };
    const { request } = program();
    const posted = new URL((await request(endpoint!, form)).headers.get("location")!, endpoint).href;
    const location = posted.startsWith(callback) ? posted : (await request(posted)).headers.get("location")!;
    assertMatch(location, /code=/, login);
  }
});

test("[UI-30, UI-31] over http to a host that is not loopback, Okta's session token sends no code to strangers", async () => {
  const { as, program, authorizationUrl, issuer } = await start({
    ...{ profile: "okta", issuer: "http://okta.test:9000", redirectUris: "any" },
  });
  const body = JSON.stringify({ username: "alice@app.example", password: "correct horse" });
  const headers = { "content-type": "application/json", "content-length": String(body.length) };
  const url = `${new URL(issuer).origin}/api/v1/authn`;
  const { sessionToken } = await (await as.fetch(new Request(url, { method: "POST", body, headers }))).json();
  const to = (uri: string) =>
    authorizationUrl.replace(encodeURIComponent(callback), encodeURIComponent(uri)) + `&sessionToken=${sessionToken}`;
  const locationOf = async (uri: string) =>
    (await program().request(to(uri), undefined, { host: "okta.test:9000" })).headers.get("location");
  assertMatch(await locationOf("https://evil.widgets.com/cb") ?? "", /error=interaction_required/);
  assertMatch(await locationOf(callback) ?? "", /code=/);
});

test("[UI-31] whoever denies at a page that asks for consent, or cancels, sends access_denied to the application", async () => {
  for (
    const [loginPage, first, denial] of [
      ["dex", { login: "bob", password: "any" }, { approval: "rejected" }],
      ["github", { login: "bob", password: "any" }, { authorize: "0" }],
      ["identityserver4", { button: "cancel" }, undefined],
    ] as const
  ) {
    const { authorizationUrl, program, issuer } = await start({ loginPage });
    const { open, request } = program();
    const { forms: [form] } = await open(authorizationUrl);
    let response = await request(form!.action, { ...first });
    if (denial) {
      const { url } = await open(new URL(response.headers.get("location")!, issuer).href);
      response = await request(url, { ...denial });
    }
    assertMatch(response.headers.get("location")!, /error=access_denied/);
  }
});

test("[UI-31] a form without a user name, such as that of an authorization response, logs in nobody at any page", async () => {
  for (const loginPage of loginPageNames) {
    const { authorizationUrl, program } = await start({ loginPage });
    const response = await program().request(
      `${authorizationUrl}&login_hint=bob`,
      { code: "c0de", state: "s" },
      { "sec-fetch-site": "same-origin" },
    );
    assertNotMatch(response.headers.get("location") ?? "", /[?&]code=/, loginPage);
  }
});

test("[UI-31] mock-oauth2-server's form asks each time, and not for a page of another site", async () => {
  const { authorizationUrl, program } = await start({ loginPage: "mock-oauth2-server" });
  const { open, request } = program();
  for (let i = 0; i < 2; i++) {
    const { forms: [form] } = await open(authorizationUrl);
    assertEquals(form!.action, authorizationUrl);
    assertMatch((await request(form!.action, { username: "new", claims: "" })).headers.get("location")!, /code=/);
  }
  const invalid = await (await request(authorizationUrl, { username: "new", claims: "{" })).text();
  assertStringIncludes(extractText(invalid), "The claims are not JSON");
  const long = await request(authorizationUrl, { username: "new", claims: JSON.stringify({ a: "x".repeat(4096) }) });
  assertStringIncludes(extractText(await long.text()), "The claims must not be longer than");
  assertEquals((await request(authorizationUrl, { username: "bob" }, { origin: "https://evil.example" })).status, 403);
  assertMatch((await request(`${authorizationUrl}&prompt=none`)).headers.get("location")!, /error=/);
});

test("[UI-31] claims typed into mock-oauth2-server's form are in all tokens of that login, sub included, and in no other", async () => {
  const { as, authorizationUrl, program, issuer, tokensFor } = await start({
    loginPage: "mock-oauth2-server",
    accessTokenClaims: ["email"],
  });
  const { request } = program();
  const logIn = async (username: string, claims: object) => {
    const sent = await request(authorizationUrl, { username, claims: JSON.stringify(claims) });
    return await tokensFor(sent.headers.get("location")!);
  };
  const typed = { groups: ["editors"], email: "typed@app.example", acr: "reference", deep: { a: [1] } };
  for (const [username, sub] of [["new", "new"], ["u1", "u1"], ["somebody", "stable-123"]] as const) {
    const { id_token, access_token } = await logIn(username, { ...typed, ...sub !== username && { sub } });
    const userinfo = await as.fetch(
      new Request(`${issuer}/oauth2/userinfo`, { headers: { authorization: `Bearer ${access_token}` } }),
    );
    for (const claims of [claimsIn(id_token), claimsIn(access_token), await userinfo.json()]) {
      assertEquals({ ...claims, ...typed, sub }, claims);
    }
    const other = claimsIn((await logIn(sub, {})).access_token);
    assertEquals([other.groups, other.sub], [undefined, sub]);
  }
  assertEquals(as.users.find("u1")?.email, "alice@app.example");
});

test("[UI-31] claims typed into mock-oauth2-server's form change neither issuer, client, scope nor lifetime of a token", async () => {
  const { authorizationUrl, program, tokensFor } = await start({ loginPage: "mock-oauth2-server" });
  const { request } = program();
  const names = ["iss", "aud", "client_id", "scope", "jti", "iat", "exp", "sid", "cnf", "userinfo_claims", "nonce"];
  const claims = JSON.stringify(Object.fromEntries(names.map((name) => [name, "typed"])));
  const sent = await request(authorizationUrl, { username: "new", claims });
  const { id_token, access_token } = await tokensFor(sent.headers.get("location")!);
  for (const token of [id_token, access_token]) assert(!Object.values(claimsIn(token)).includes("typed"));
  const refused = await request(authorizationUrl, { username: "new", claims: `{"password":"x"}` });
  assertStringIncludes(extractText(await refused.text()), "The claims must not contain password.");
});

test("[UI-31] denials without a session are stored up to the limit of Latchkey's own page", async () => {
  for (
    const [loginPage, form] of [["identityserver4", { button: "cancel" }], ["duende", {
      "Input.Button": "cancel",
    }]] as const
  ) {
    const store = memoryStore();
    const { authorizationUrl, program } = await start({ loginPage, store });
    for (let i = 0; i < 110; i++) {
      const { open, request } = program();
      const { forms: [first] } = await open(authorizationUrl);
      assertMatch((await request(first!.action, { ...form })).headers.get("location")!, /error=access_denied/);
    }
    assertEquals(await store.count("interaction", ""), 100);
  }
});

/** Programs read hidden fields and send them back. */
const pagesWithHiddenFields = [
  ...["auth0", "auth0-identifier-first", "cognito", "duende", "github", "github-no-consent", "identityserver4"],
];

test("[UI-31] the foot names who can log in, and each page has no word of another form", async () => {
  for (const loginPage of loginPageNames) {
    if (loginPage === "latchkey") continue;
    const { authorizationUrl, program } = await start({ loginPage });
    const { html } = await program().open(authorizationUrl);
    const foot = extractText(/<footer[^]*<\/footer>/.exec(html)![0]);
    assertMatch(foot, /Latchkey/);
    assertMatch(foot, /alice/);
    assertNotMatch(foot, /password|sign|log ?in|user|e-?mail|continue|next|submit/i);
    // Dex's connectors have no form.
    if (loginPage !== "dex-connectors") assertNotMatch(html.slice(0, html.indexOf("<form")), /<(?:a|button|input)\b/);
    assertNotMatch(html, /<(?:style|svg)\b| style="/);
    // Where the button of the provider is no submit button.
    assertEquals(/<script\b/.test(html), /^(?:adfs|pingfederate)/.test(loginPage), loginPage);
    assertEquals(/type="hidden"/.test(html), pagesWithHiddenFields.includes(loginPage), loginPage);
  }
});

test("[UI-31] the logout page of a provider asks without a hint, then leads to the application; only its own form logs out", async () => {
  const keycloak = /<h1 id="kc-page-title">Logging out<[^]*Do you want to log out\?[^]*name="confirmLogout"/;
  for (
    const [options, expected, answer] of [
      [{ profile: "keycloak" }, keycloak, { confirmLogout: "" }],
      [{ profile: "keycloak", loginPage: "keycloak-v1" }, keycloak, { confirmLogout: "Logout" }],
      [{ profile: "entra" }, /Pick an account[^]*id="tilesHolder"[^]*data-test-id="bob@app.example"/, {}],
      [{ loginPage: "oidc-provider" }, /id="op.logoutForm"[^]*name="logout"/, { logout: "yes" }],
      [{ loginPage: "duende" }, /class="logout-page"[^]*Would you like to logout of IdentityServer\?/, {}],
      [{ loginPage: "identityserver4" }, /class="logout-page"[^]*Would you like to log out of IdentityServer\?/, {}],
    ] as readonly (readonly [LatchkeyOptions, RegExp, Record<string, string>])[]
  ) {
    const { authorizationUrl, tokensFor, logoutUrl, program } = await start(options);
    const browser = program();
    const { open, request } = browser;
    const target = { client_id: "shop", post_logout_redirect_uri: callback };
    // oidc-provider asks whatever the ID token says.
    const queries = [{}, target, ...options.loginPage === "oidc-provider" ? [{ ...target, hint: true }] : []];
    for (const query of queries as readonly (Partial<typeof target> & { readonly hint?: true })[]) {
      const { hint, ...others } = query;
      const { id_token: id_token_hint } = await tokensFor(await browser.logIn(authorizationUrl, "bob"));
      const { html, forms: [form] } = await open(
        `${logoutUrl}?${new URLSearchParams({ ...others, ...hint && { id_token_hint } })}`,
      );
      assertMatch(html, expected);
      const { confirm, ...fields } = Object.fromEntries(
        form!.controls.flatMap(({ type, name, value }) => type === "hidden" ? [[name, value]] : []),
      );
      // Without the token of the form, the page asks again; a page of another site may not send it.
      assertMatch(await (await request(form!.action, { ...fields, ...answer })).text(), expected);
      const foreign = { origin: "https://evil.example", "sec-fetch-site": "cross-site" };
      const whole = { ...fields, ...answer, confirm: confirm! };
      assertEquals((await request(form!.action, whole, foreign)).status, 403);
      const silent = `${authorizationUrl}&prompt=none`;
      assertMatch((await request(silent)).headers.get("location")!, /code=/);
      const loggedOut = await request(form!.action, whole);
      // IdentityServer links to the application.
      const link = /class="PostLogoutRedirectUri" href="([^"]+)"/.exec(await loggedOut.text());
      assertEquals(loggedOut.headers.get("location") ?? link?.[1], query.client_id && callback);
      assertMatch((await request(silent)).headers.get("location")!, /error=login_required/);
    }
  }
});

test("[UI-31] the choice of an account needs no password for the user who is logged in, and for nobody else", async () => {
  for (const loginPage of ["entra", "entra-no-kmsi", "google"] as const) {
    const { authorizationUrl, program } = await start({ loginPage });
    const choose = async (browser: ReturnType<typeof program>, account: string, prompt = "select_account") => {
      const { forms: [form] } = await browser.open(`${authorizationUrl}&${new URLSearchParams({ prompt })}`);
      return (await browser.request(form!.action, { account })).headers.get("location") ?? "";
    };
    const [bob, alice] = ["bob@app.example", "alice@app.example"];
    const browser = program();
    await browser.logIn(authorizationUrl, bob);
    assertMatch(await choose(browser, bob), /\bcode=/, loginPage);
    for (
      const location of [
        await choose(browser, alice),
        await choose(browser, bob, "login select_account"),
        await choose(program(), bob),
      ]
    ) assertNotMatch(location, /\bcode=/, loginPage);
  }
});

test("[UI-31] Entra asks for the password of a user whom the client names, and leads back to the first page", async () => {
  const { authorizationUrl, program } = await start({ profile: "entra" });
  for (
    const [query, isSkipped] of [
      ["login_hint=alice@app.example", true],
      ["login_hint=ALICE", true],
      ["login_hint=nobody", false],
      ["login_hint=alice&prompt=select_account", false],
    ] as const
  ) {
    const { open } = program();
    const { html } = await open(`${authorizationUrl}&${query}`);
    assertEquals([html.includes("i0118"), html.includes("i0116")], [isSkipped, !isSkipped], query);
    const [, back] = /class="backButton" href="([^"]*)"/.exec(html) ?? [];
    if (isSkipped) assertStringIncludes((await open(back!.replaceAll("&amp;", "&"))).html, "i0116");
  }
});

test("[UI-31] a page after the login names the user who has logged in, not the one of the hint", async () => {
  const typed = { identifier: "bob", Passwd: "any", login: "bob", password: "any" };
  const chosen = { account: "bob@app.example" };
  for (
    const [loginPage, prompt, named, ...forms] of [
      ["github", "login", "access your bob account", typed],
      ["google-consent", "login", 'data-email="bob"', typed, typed],
      ["google-consent", "select_account", 'data-email="bob"', chosen],
    ] as const
  ) {
    const { authorizationUrl, issuer, program } = await start({ loginPage });
    const browser = program();
    await browser.logIn(authorizationUrl, "bob");
    let page = await browser.open(`${authorizationUrl}&login_hint=alice&prompt=${prompt}`);
    for (const fields of forms) {
      const { headers } = await browser.request(page.forms[0]!.action, { ...fields });
      page = await browser.open(new URL(headers.get("location")!, issuer).href);
    }
    assertStringIncludes(page.html, named, `${loginPage} ${prompt}`);
  }
});

test("[UI-31] an error is shown below the empty or malformed field, and describes only that field", async () => {
  const [required, missing, malformed] = ["username-required", "password-required", "email-invalid"];
  for (
    const [options, [username, password], expected] of [
      [{ profile: "auth0" }, ["", ""], [`error-cs-${required}`, `error-cs-${missing}`]],
      [{ profile: "auth0" }, ["", "any"], [`error-cs-${required}`]],
      [{ profile: "auth0" }, ["bob", ""], [`error-cs-${missing}`]],
      [{ profile: "auth0" }, ["nobody@app", "any"], [`error-cs-${malformed}`]],
      [{ profile: "auth0" }, ["alice", "wrong"], ["error-element-password", "error-element-password"]],
      [{ profile: "auth0", users: "any" }, ["nobody", ""], [`error-cs-${missing}`]],
      [{ loginPage: "auth0-classic" }, ["", ""], ["auth0-lock-error-msg-email", "auth0-lock-error-msg-password"]],
      [{ loginPage: "auth0-classic" }, ["nobody", "any"], ["auth0-lock-error-msg-email"]],
      [{ loginPage: "auth0-classic-username" }, ["nobody", ""], ["auth0-lock-error-msg-password"]],
    ] as readonly (readonly [LatchkeyOptions, readonly [string, string], readonly string[]])[]
  ) {
    const { authorizationUrl, program } = await start(options);
    const { open, request } = program();
    // The hint is what the user has changed.
    const { forms: [form] } = await open(`${authorizationUrl}&login_hint=bob`);
    const typed = form!.controls.map(({ name, type }) => [name, type === "password" ? password : username]);
    const html = await (await request(form!.action, Object.fromEntries(typed))).text();
    const described = [...html.matchAll(/aria-invalid="true" aria-describedby="([^"]*)"/g)].map(([, id]) => id!);
    assertEquals(described, expected, `${JSON.stringify(options)} ${username} ${password}`);
    for (const id of described) assertEquals(html.split(` id="${id}"`).length, 2, id);
    assertEquals([...html.matchAll(/role="alert"/g)].length, new Set(described).size);
  }
});

test("[UI-31] Entra and Keycloak say that the user has logged out, unless the application is to follow", async () => {
  const texts = { entra: "You signed out of your account", keycloak: 'id="kc-info-message"' };
  for (const profile of ["entra", "keycloak"] as const) {
    const { authorizationUrl, logoutUrl, program } = await start({ profile });
    const browser = program();
    await browser.logIn(authorizationUrl, "bob@app.example");
    const { forms: [form] } = await browser.open(logoutUrl);
    const fields = Object.fromEntries(form!.controls.map(({ name, value }) => [name, value]));
    assertStringIncludes(await (await browser.request(form!.action, fields)).text(), texts[profile]);
  }
});

test("[UI-31] a real host has its own page", async () => {
  const rejected = await latchkey({
    issuer: "https://login.widgets.com",
    login: "interactive",
    loginPage: "keycloak",
    clients: [{ client_id: "shop", client_secret: "a-secret-of-the-shop", redirect_uris: [callback] }],
    users: [],
  }).then(() => undefined, String);
  assertMatch(rejected!, /loginPage\n {2}Expected Latchkey's own page/);
});

/** The users with a plain password. */
const plainUsers = [{ ...users[0]!, password: "correct horse" }, users[1]!];

test("[UI-32] a plain password of the configuration that was typed as a name is in no event", async () => {
  const events: unknown[] = [];
  const { authorizationUrl, program } = await start({
    login: "auto",
    users: plainUsers,
    trace: (event) => void events.push(event),
  });
  for (const hint of ["correct horse", "somebody else"]) {
    await program().request(`${authorizationUrl}&${new URLSearchParams({ login_hint: hint })}`);
  }
  const traced = JSON.stringify(events);
  assertStringIncludes(traced, "somebody else");
  assert(!traced.includes("correct horse"));
});

test("[UI-32] a plain password works on a test host, and never on a real one", async () => {
  const { as, authorizationUrl, program } = await start({ loginPage: "latchkey", users: plainUsers });
  const { open, request } = program();
  const { forms } = await open(authorizationUrl);
  const form = forms.find(({ controls }) => controls.some(({ type }) => type === "password"))!;
  const hidden = Object.fromEntries(
    form.controls.flatMap(({ type, name, value }) => type === "hidden" ? [[name, value]] : []),
  );
  const wrong = await request(form.action, { ...hidden, sub: "u1", password: "wrong" });
  assertEquals(wrong.status, 403);
  const right = await request(form.action, { ...hidden, sub: "u1", password: "correct horse" });
  assertMatch(right.headers.get("location")!, /\/consent\?/);
  assertNotMatch(JSON.stringify(await as.users.list()), /correct horse/);
  const rejected = await latchkey({
    issuer: "https://login.widgets.com",
    login: "interactive",
    clients: [{ client_id: "shop", client_secret: "a-secret-of-the-shop", redirect_uris: [callback] }],
    users: plainUsers,
  }).then(() => undefined, String);
  assertMatch(rejected!, /users\[0\]\.password\n {2}Expected the scrypt digest/);
  assertNotMatch(rejected!, /correct horse/);
});
