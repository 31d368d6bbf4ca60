/** The header that chooses the user of an automatic login, on a server that is no mock. */

import { assert, assertEquals } from "@std/assert";
import { test } from "node:test";
import type { Latchkey, LatchkeyOptions } from "../../src/mod.ts";
import { personaHeader } from "../../src/testing/mod.ts";
import { personas } from "../../src/testing/personas.ts";
import { challenge, decodeClaims, encode, forEachCase, getRedirectParams, verifier } from "../kit.ts";
import { latchkey } from "../secret_leak_check.ts";

const issuer = "http://localhost:9000";
const redirect_uri = "http://localhost:5173/cb";

/** A server as the program starts it. */
function start(options: LatchkeyOptions = {}): Promise<Latchkey> {
  return latchkey({
    issuer,
    alg: "ES256",
    clients: [{
      client_id: "spa",
      redirect_uris: [redirect_uri],
      grant_types: ["authorization_code", "urn:ietf:params:oauth:grant-type:device_code"],
    }],
    plugins: [personas()],
    ...options,
  });
}

function authorize(as: Latchkey, headers: Readonly<Record<string, string>>, fields = {}): Promise<Response> {
  const request = { response_type: "code", client_id: "spa", redirect_uri, scope: "openid read write" };
  const query = encode({ ...request, code_challenge: challenge, code_challenge_method: "S256", ...fields });
  return as.fetch(new Request(`${as.issuer}/oauth2/authorize?${query}`, { redirect: "manual", headers }));
}

/** The user and the scope of a login, or its error. */
async function logIn(as: Latchkey, headers: Readonly<Record<string, string>>, fields = {}): Promise<string> {
  const params = getRedirectParams(await authorize(as, headers, fields));
  if (params.has("error")) return params.get("error")!;
  const grant = { grant_type: "authorization_code", client_id: "spa", redirect_uri, code_verifier: verifier };
  const body = new URLSearchParams({ ...grant, code: params.get("code")! });
  const tokens = await (await as.fetch(new Request(`${as.issuer}/oauth2/token`, { method: "POST", body }))).json();
  return `${decodeClaims(tokens.id_token).sub}: ${tokens.scope}`;
}

test("the header chooses the user, denies, and grants less, as in the mock", async () => {
  await using as = await start();
  await forEachCase([
    ["as=bob", "bob: openid read write"],
    ["as=bob&deny_scope=write", "bob: openid read"],
    ["deny=yes", "access_denied"],
    ["as=unknown", "access_denied"],
    ["", "alice: openid read write"],
  ], async ([persona, expected]) => {
    assertEquals(await logIn(as, { [personaHeader]: persona! }), expected);
  });
  assertEquals(await logIn(as, {}), "alice: openid read write");
  const both = await logIn(as, { [personaHeader]: "as=alice" }, { login_hint: "bob" });
  assertEquals(both, "alice: openid read write");
});

test("the header also decides for a device, whose user can decide later", async () => {
  await using as = await start();
  const poll = async (persona: string) => {
    const post = async (path: string, fields: Readonly<Record<string, string>>, headers = {}) => {
      const body = new URLSearchParams({ client_id: "spa", ...fields });
      return await (await as.fetch(new Request(`${issuer}/oauth2/${path}`, { method: "POST", headers, body }))).json();
    };
    const started = await post("device_authorization", { scope: "openid" }, { [personaHeader]: persona });
    const grant_type = "urn:ietf:params:oauth:grant-type:device_code";
    const { error, id_token } = await post("token", { grant_type, device_code: started.device_code });
    return error ?? decodeClaims(id_token).sub;
  };
  assertEquals([await poll("as=bob"), await poll("later=yes"), await poll("deny=yes")], [
    "bob",
    "authorization_pending",
    "access_denied",
  ]);
});

test("a page of another site cannot send the header: the preflight fails, and the header in a request has no effect", async () => {
  await using as = await start();
  const preflight = await as.fetch(
    new Request(`${issuer}/oauth2/authorize`, {
      method: "OPTIONS",
      headers: {
        origin: "http://evil.example",
        "access-control-request-method": "GET",
        "access-control-request-headers": personaHeader,
      },
    }),
  );
  for (const name of preflight.headers.keys()) assert(!name.startsWith("access-control-"), name);
  const persona = { [personaHeader]: "as=bob" };
  const bob = "bob: openid read write";
  const alice = "alice: openid read write";
  await forEachCase<readonly [Readonly<Record<string, string>>, string]>([
    // A browser that a test controls adds headers to its navigations.
    [{ "sec-fetch-mode": "navigate", "sec-fetch-site": "none" }, bob],
    [{ "sec-fetch-mode": "navigate", "sec-fetch-site": "cross-site", origin: "http://localhost:5173" }, bob],
    [{ "sec-fetch-mode": "cors", "sec-fetch-site": "same-origin" }, bob],
    [{ origin: issuer }, bob],
    [{ host: "127.0.0.1:9000" }, bob],
    [{ "sec-fetch-mode": "cors", "sec-fetch-site": "cross-site", origin: "http://evil.example" }, alice],
    [{ "sec-fetch-mode": "no-cors", "sec-fetch-site": "same-site" }, alice],
    [{ origin: "http://evil.example" }, alice],
    [{ origin: "null" }, alice],
    // After DNS rebinding, the page has the origin of the server: it gets no automatic login at all.
    [{ host: "rebound.example:9000", "sec-fetch-mode": "cors", "sec-fetch-site": "same-origin" }, "invalid_request"],
  ], async ([headers, expected]) => {
    assertEquals(await logIn(as, { ...persona, ...headers }), expected);
  });
});

test("a misspelt header is rejected, because it would choose the default user", async () => {
  await using as = await start();
  await forEachCase(["bob", "as=bob&denny=yes"], async (value) => {
    assertEquals(await logIn(as, { [personaHeader]: value }), "invalid_request");
  });
});

test("the header has no effect on a real host, and with login pages", async () => {
  await using real = await start({
    ...{ issuer: "https://auth.example.com", insecure: ["auto-login"], deviceAuthorization: true },
    users: [{ sub: "alice" }, { sub: "bob" }],
  });
  assertEquals(await logIn(real, { [personaHeader]: "as=bob" }), "alice: openid read write");
  await using interactive = await start({ login: "interactive" });
  const { status, headers } = await authorize(interactive, { [personaHeader]: "as=bob" });
  assertEquals([status, headers.get("location")!.split("?")[0]], [302, "/oauth2/login"]);
});
