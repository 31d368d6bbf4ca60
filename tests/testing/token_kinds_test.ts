/**
 * The kinds of JWTs: `typ` of access tokens by setting and profile, and no JWT serves as one of another kind (groups
 * JA, BR).
 */

import { assert, assertEquals, assertMatch } from "@std/assert";
import { decodeProtectedHeader } from "jose";
import { test } from "node:test";
import { jwksVerifier, requireToken } from "../../src/resource/mod.ts";
import type { ResourceRejection } from "../../src/resource/protected_resource.ts";
import type { TestLatchkey, TestLatchkeyOptions } from "../../src/testing/mod.ts";
import { basic, challenge, forEachCase } from "../kit.ts";
import { testLatchkey } from "./test_latchkey.ts";

const audience = "https://api.test";
const tokenExchange = "urn:ietf:params:oauth:grant-type:token-exchange";
const tokenType = "urn:ietf:params:oauth:token-type:";
const otherServer = "https://other.test";

/** Servers by the `typ` of their access tokens: `undefined` if they have none. */
const servers: Readonly<Record<string, readonly [typ: string | undefined, options: TestLatchkeyOptions]>> = {
  default: ["at+jwt", {}],
  "at+jwt": ["at+jwt", { accessTokenTyp: "at+jwt" }],
  JWT: ["JWT", { accessTokenTyp: "JWT" }],
  none: [undefined, { accessTokenTyp: "none" }],
  keycloak: ["JWT", { profile: "keycloak" }],
  auth0: ["JWT", { profile: "auth0", accessTokenFormat: "jwt" }],
  "auth0 with the profile of RFC 9068": ["at+jwt", {
    ...{ profile: "auth0", accessTokenFormat: "jwt", accessTokenTyp: "at+jwt" },
  }],
  okta: [undefined, { profile: "okta" }],
  entra: ["JWT", { profile: "entra" }],
  cognito: [undefined, { profile: "cognito" }],
};

interface Kit {
  readonly as: TestLatchkey;
  readonly client: { readonly client_id: string; readonly client_secret: string };
  /** The URL of an endpoint; `undefined` if the metadata lacks it. */
  readonly url: (name: string) => string | undefined;
  readonly post: (name: string, fields: Readonly<Record<string, string>>) => Promise<Response>;
}

async function openKit(options: TestLatchkeyOptions): Promise<Kit> {
  const as = await testLatchkey({
    // A scope value that machines may have, at profiles too.
    claims: { read: [] },
    ...{ audience, tokenExchange: {}, resourceAuthorizationServers: [{ issuer: otherServer }] },
    responseModes: ["query", "query.jwt"],
    ...options,
  });
  const client = as.client({
    confidential: true,
    token_endpoint_auth_method: "client_secret_basic",
    grant_types: ["authorization_code", "refresh_token", "client_credentials", tokenExchange],
    userinfo_signed_response_alg: "EdDSA",
    post_logout_redirect_uris: ["https://client.test/out"],
  });
  const metadata = await (await as.fetch(`${as.issuer.replace(/\/$/, "")}/.well-known/openid-configuration`)).json();
  const url = (name: string) => metadata[name];
  const post: Kit["post"] = (name, fields) =>
    as.fetch(url(name), {
      method: "POST",
      headers: basic(client.client_id, client.client_secret),
      body: new URLSearchParams(fields),
    });
  return { as, client, url, post };
}

function authorizationUrl({ client, url }: Kit, fields: Readonly<Record<string, string>>): string {
  const query = new URLSearchParams({
    ...{ response_type: "code", client_id: client.client_id, scope: "openid", state: "st4te", nonce: "n0nce" },
    ...{ code_challenge: challenge, code_challenge_method: "S256", login_hint: "alice" },
    redirect_uri: "https://client.test/callback",
    ...fields,
  });
  return `${url("authorization_endpoint")}?${query}`;
}

type Kind = keyof Awaited<ReturnType<typeof issueAll>>;

/** One JWT of each kind, signed by the server. */
async function issueAll({ as, client, url, post }: Kit) {
  const { tokens } = await as.logIn(client, { scope: "openid read" });
  const bearer = { headers: { authorization: `Bearer ${tokens.access_token}` } };
  const machine = await (await post("token_endpoint", { grant_type: "client_credentials", scope: "read" })).json();
  const exchanged = await (await post("token_endpoint", {
    ...{ grant_type: tokenExchange, requested_token_type: `${tokenType}id-jag`, audience: otherServer },
    ...{ subject_token: tokens.id_token!, subject_token_type: `${tokenType}id_token` },
  })).json();
  const introspected = url("introspection_endpoint") && await as.fetch(url("introspection_endpoint")!, {
    method: "POST",
    headers: { ...basic(client.client_id, client.client_secret), accept: "application/token-introspection+jwt" },
    body: new URLSearchParams({ token: tokens.access_token }),
  });
  const callback = await as.browser().authorize(
    authorizationUrl({ as, client, url, post }, { response_mode: "query.jwt" }),
  );
  return {
    "access token": tokens.access_token,
    "access token of a client": machine.access_token as string,
    "minted access token": await as.mint.accessToken({ client, scope: "openid read" }),
    "ID token": tokens.id_token!,
    "minted ID token": await as.mint.idToken({ client }),
    "userinfo response": await (await as.fetch(url("userinfo_endpoint")!, bearer)).text(),
    "logout token": await as.mint.logoutToken({ client }),
    "introspection response": introspected ? await introspected.text() : undefined,
    "authorization response": new URL(callback.url).searchParams.get("response")!,
    "ID-JAG": exchanged.access_token as string | undefined,
    assertion: await as.mint.assertion({ issuer: as.issuer }),
  };
}

/** Where a JWT can be sent, whether it is accepted there, and what is accepted. */
const places: Readonly<
  Record<string, readonly [accepted: readonly Kind[], accepts: (kit: Kit, jwt: string) => Promise<boolean | undefined>]>
> = {
  userinfo: [["access token", "minted access token"], async ({ as, url }, jwt) => {
    const response = await as.fetch(url("userinfo_endpoint")!, { headers: { authorization: `Bearer ${jwt}` } });
    return response.status === 200;
  }],
  introspection: [
    ["access token", "access token of a client", "minted access token"],
    async ({ url, post }, token) =>
      url("introspection_endpoint") && (await (await post("introspection_endpoint", { token })).json()).active,
  ],
  "subject token that is an access token": [
    ["access token", "access token of a client", "minted access token"],
    async ({ post }, subject_token) => {
      const fields = { grant_type: tokenExchange, subject_token, subject_token_type: `${tokenType}access_token` };
      return (await post("token_endpoint", fields)).status === 200;
    },
  ],
  "subject token that is an ID token": [["ID token"], async ({ post }, subject_token) => {
    const response = await post("token_endpoint", {
      ...{ grant_type: tokenExchange, requested_token_type: `${tokenType}id-jag`, audience: otherServer },
      ...{ subject_token, subject_token_type: `${tokenType}id_token` },
    });
    return response.status === 200;
  }],
  "id_token_hint of a login": [["ID token", "minted ID token"], async (kit, id_token_hint) => {
    const response = await kit.as.fetch(authorizationUrl(kit, { id_token_hint }), { redirect: "manual" });
    return new URL(response.headers.get("location") ?? "a:").searchParams.has("code");
  }],
  "id_token_hint of a logout": [["ID token", "minted ID token"], async ({ as, url }, hint) => {
    const end = url("end_session_endpoint");
    if (end === undefined) return undefined;
    const query = new URLSearchParams({ id_token_hint: hint, post_logout_redirect_uri: "https://client.test/out" });
    const response = await as.fetch(`${end}?${query}`, { redirect: "manual" });
    return response.headers.get("location")?.startsWith("https://client.test/out") ?? false;
  }],
  "client assertion": [[], async ({ as, url }, client_assertion) => {
    const body = new URLSearchParams({
      ...{ grant_type: "client_credentials", client_assertion },
      client_assertion_type: "urn:ietf:params:oauth:client-assertion-type:jwt-bearer",
    });
    return (await as.fetch(url("token_endpoint")!, { method: "POST", body })).status === 200;
  }],
  "assertion of an issuer": [[], async ({ post }, assertion) => {
    const grant_type = "urn:ietf:params:oauth:grant-type:jwt-bearer";
    return (await post("token_endpoint", { grant_type, assertion })).status === 200;
  }],
  "request object": [[], async (kit, request) => {
    const response = await kit.as.fetch(authorizationUrl(kit, { request }), { redirect: "manual" });
    return new URL(response.headers.get("location") ?? "a:").searchParams.has("code");
  }],
};

/** What profiles take for something else: an `audience` for an API, a logout with `logout_uri`. */
const notAt: Readonly<Record<string, string>> = {
  auth0: "subject token that is an ID token",
  "auth0 with the profile of RFC 9068": "subject token that is an ID token",
  cognito: "id_token_hint of a logout",
};

test("[JA-01] access tokens have the typ of the setting, or of the provider, and no other JWT has another typ for it", async () => {
  await forEachCase(Object.values(servers), async ([typ, options]) => {
    const kit = await openKit(options);
    await using _ = kit.as;
    const jwts = await issueAll(kit);
    const typs = Object.entries(jwts).map(([kind, jwt]) => [kind, jwt && decodeProtectedHeader(jwt).typ]);
    assertEquals(Object.fromEntries(typs), {
      "access token": typ,
      "access token of a client": typ,
      "minted access token": typ,
      "ID token": "JWT",
      "minted ID token": "JWT",
      "userinfo response": "JWT",
      "logout token": "logout+jwt",
      "introspection response": jwts["introspection response"] && "token-introspection+jwt",
      "authorization response": undefined,
      "ID-JAG": jwts["ID-JAG"] && "oauth-id-jag+jwt",
      assertion: "JWT",
    });
  });
});

test("[JA-04, BR-03] each place accepts the JWTs of its kind and no other, whatever the typ of access tokens is", async () => {
  for (const [name, [, options]] of Object.entries(servers)) {
    const kit = await openKit(options);
    await using _ = kit.as;
    const jwts = Object.entries(await issueAll(kit)).filter(([, jwt]) => jwt !== undefined) as [Kind, string][];
    for (const [place, [accepted, accepts]] of Object.entries(places)) {
      const found: Kind[] = [];
      let isAbsent = false;
      for (const [kind, jwt] of jwts) {
        const result = await accepts(kit, jwt);
        if (result === undefined) isAbsent = true;
        else if (result) found.push(kind);
      }
      if (!isAbsent && notAt[name] !== place) assertEquals(found, accepted, `${name}: ${place}`);
    }
  }
});

test("[JA-04, PR-08] a resource accepts the access tokens of its server of its option accessTokenTyp, and no other JWT", async () => {
  for (const typ of ["at+jwt", "JWT", "none"] as const) {
    const kit = await openKit({ accessTokenTyp: typ });
    const { as } = kit;
    await using _ = as;
    const mcp = as.resource("/mcp", { scopes: ["read"], tools: {} });
    const jwts = await issueAll(kit);
    for (const accessTokenTyp of ["at+jwt", "JWT", "none"] as const) {
      const rejections: ResourceRejection[] = [];
      const verifier = jwksVerifier({
        issuer: as.issuer,
        fetch: as.fetch as typeof fetch,
        now: as.clock.now,
        accessTokenTyp,
      });
      const check = async (jwt: string, resource: string) =>
        !(await requireToken(new Request(resource, { headers: { authorization: `Bearer ${jwt}` } }), {
          ...{ resource, verifier, onRejection: (rejection: ResourceRejection) => void rejections.push(rejection) },
        }) instanceof Response);
      const found: string[] = [];
      for (const [kind, jwt] of Object.entries(jwts)) if (await check(jwt!, audience)) found.push(kind);
      const expected = ["access token", "access token of a client", "minted access token"];
      assertEquals(found, accessTokenTyp === typ || typ === "at+jwt" ? expected : [], `${typ}, at ${accessTokenTyp}`);
      if (accessTokenTyp === "at+jwt" && typ !== "at+jwt") {
        assertMatch(rejections[0]!.received!, typ === "JWT" ? /typ "JWT"/ : /no typ/);
        assertMatch(rejections[0]!.fix!, /pass it to jwksVerifier\(\) as accessTokenTyp/);
      }
      // An ID token for a client whose ID is that of the resource has the right audience.
      const named = as.client({ client_id: "https://named.test" });
      const idToken = (await as.logIn(named, { scope: "openid" })).tokens.id_token!;
      assert(!await check(idToken, "https://named.test"), `ID token at ${accessTokenTyp}`);
    }
    const call = async (token: string) =>
      (await as.fetch(mcp.url, {
        method: "POST",
        headers: {
          ...{ authorization: `Bearer ${token}`, "content-type": "application/json" },
          accept: "application/json, text/event-stream",
        },
        body: JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/list" }),
      })).status;
    const ofResource = await as.logIn(kit.client, { scope: "openid read", resource: mcp.url });
    assertEquals([typ, await call(ofResource.tokens.access_token)], [typ, 200]);
    const idToken = (await as.logIn(as.client({ client_id: mcp.url }), { scope: "openid" })).tokens.id_token!;
    assertEquals([typ, await call(idToken)], [typ, 401]);
  }
});

test("[JA-01] access tokens from before a change of the setting to another typ are still accepted", async () => {
  const kit = await openKit({ accessTokenTyp: "JWT" });
  await using _ = kit.as;
  const token = await kit.as.mint.accessToken({ client: kit.client, scope: "openid", typ: "at+jwt" });
  const { headers } = new Request("https://a.test", { headers: { authorization: `Bearer ${token}` } });
  assertEquals((await kit.as.fetch(kit.url("userinfo_endpoint")!, { headers })).status, 200);
});
