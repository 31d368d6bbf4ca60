/**
 * Client libraries that others wrote, and that check what they are given: the whole flow by discovery, and its errors.
 */

import { assert, assertEquals, assertMatch, assertRejects } from "@std/assert";
import { test } from "node:test";
import * as oauth from "oauth4webapi";
import * as openid from "openid-client";
import type { ClientMetadata, Latchkey, LatchkeyOptions } from "../../../src/mod.ts";
import { decodeClaims, forEachCase } from "../../kit.ts";
import { latchkey } from "../../secret_leak_check.ts";

const publicUri = "https://spa.example/cb";
/** With a query of its own, which oauth4webapi keeps and openid-client cuts off. */
const tenantUri = "https://spa.example/cb?tenant=a%20b";
const confidentialUri = "https://web.example/cb";
const secret = "s3cret: with % + & and spaces";
const algorithms = ["RS256", "ES256", "EdDSA"] as const;

/** A public and a confidential client for each algorithm, and one that sends its secret in the body. */
const clients: ClientMetadata[] = [
  ...algorithms.flatMap((alg): ClientMetadata[] => [
    { client_id: `spa-${alg}`, redirect_uris: [publicUri, tenantUri], id_token_signed_response_alg: alg },
    {
      client_id: `web-${alg}`,
      client_secret: secret,
      redirect_uris: [confidentialUri],
      id_token_signed_response_alg: alg,
    },
  ]),
  {
    client_id: "poster",
    client_secret: secret,
    token_endpoint_auth_method: "client_secret_post",
    redirect_uris: [confidentialUri],
  },
];

/** A server in this process, and how a library's requests reach it. */
interface Reached {
  readonly as: Latchkey;
  readonly fetch: (url: string, init: RequestInit) => Promise<Response>;
}

/** Without a socket: the library's requests become calls. */
async function inProcess(options: LatchkeyOptions = {}): Promise<Reached> {
  const as = await latchkey({ issuer: "https://as.test", alg: "RS256", clients, ...options });
  return { as, fetch: (url, init) => as.fetch(new Request(url, init)) };
}

/** Over a socket: the library's requests travel. */
async function overSocket(): Promise<Reached> {
  const as = await latchkey({ alg: "RS256", clients });
  await as.listen({ port: 0 });
  return { as, fetch: (url, init) => fetch(url, init) };
}

/** The browser's part: opens the address and gives where it is sent. */
async function visit({ fetch }: Reached, address: URL): Promise<URL> {
  const response = await fetch(address.href, { redirect: "manual" });
  await response.body?.cancel();
  return new URL(response.headers.get("location")!);
}

/** openid-client, set up by discovery. */
async function discover(
  reached: Reached,
  id: string,
  algorithm: "oidc" | "oauth2" = "oidc",
  given = secret,
): Promise<openid.Configuration> {
  const { as, fetch } = reached;
  const auth = id === "poster"
    ? openid.ClientSecretPost(given)
    : id.startsWith("web")
    ? openid.ClientSecretBasic(given)
    : openid.None();
  const alg = id.split("-")[1];
  return await openid.discovery(new URL(as.issuer), id, alg && { id_token_signed_response_alg: alg }, auth, {
    algorithm,
    execute: [
      openid.enableNonRepudiationChecks,
      ...as.issuer.startsWith("https:") ? [] : [openid.allowInsecureRequests],
    ],
    [openid.customFetch]: (url, init) => fetch(url, init as RequestInit),
  });
}

/** The whole flow with openid-client, everything checked that it can check. */
async function openidFlow(reached: Reached, id: string, algorithm: "oidc" | "oauth2" = "oidc") {
  const config = await discover(reached, id, algorithm);
  const pkceCodeVerifier = openid.randomPKCECodeVerifier();
  const [state, nonce] = [openid.randomState(), openid.randomNonce()];
  const address = openid.buildAuthorizationUrl(config, {
    redirect_uri: id.startsWith("spa") ? publicUri : confidentialUri,
    scope: "openid profile read",
    code_challenge: await openid.calculatePKCECodeChallenge(pkceCodeVerifier),
    code_challenge_method: "S256",
    state,
    nonce,
    max_age: "60",
  });
  const callback = await visit(reached, address);
  return await openid.authorizationCodeGrant(config, callback, {
    pkceCodeVerifier,
    expectedState: state,
    expectedNonce: nonce,
    maxAge: 60,
    idTokenExpected: true,
  });
}

test("[ID-01, ID-02, ID-05] openid-client completes the flow as every kind of client, with every algorithm", async () => {
  const reached = await inProcess();
  await forEachCase(clients.map((client) => client.client_id), async (id) => {
    const tokens = await openidFlow(reached, id);
    const claims = tokens.claims()!;
    assertEquals([claims.iss, claims.sub, claims.aud], ["https://as.test", "alice", id]);
    assertEquals([tokens.token_type, tokens.expires_in, tokens.scope], ["bearer", 3600, "openid profile read"]);
    const { alg } = JSON.parse(atob(tokens.id_token!.split(".")[0]!));
    assertEquals(alg, id.split("-")[1] ?? "RS256");
  });
});

test("[ID-01] openid-client completes the flow over a socket, by both metadata documents", async () => {
  const reached = await overSocket();
  try {
    await forEachCase(["spa-RS256", "web-RS256", "spa-EdDSA", "web-ES256"], async (id) => {
      for (const algorithm of ["oidc", "oauth2"] as const) {
        assertEquals((await openidFlow(reached, id, algorithm)).claims()!.iss, reached.as.issuer);
      }
    });
  } finally {
    await reached.as.close();
  }
});

test("[MD-02, MD-03] openid-client discovers an issuer with a path or a trailing slash", async () => {
  await forEachCase(
    ["https://as.test/t1", "https://as.test/", "https://as.test/t1/", "http://localhost:9000"],
    async (issuer) => {
      const reached = await inProcess({ issuer });
      for (const algorithm of ["oidc", "oauth2"] as const) {
        assertEquals((await openidFlow(reached, "spa-ES256", algorithm)).claims()!.iss, issuer);
      }
    },
  );
});

test("[ID-01] openid-client rejects an ID token with another algorithm than the registered one", async () => {
  const reached = await inProcess({ clients: [{ client_id: "spa-ES256", redirect_uris: [publicUri] }] });
  await assertRejects(() => openidFlow(reached, "spa-ES256"));
});

test("[AZ-17, AR-05] openid-client reads an error of the authorization endpoint", async () => {
  const reached = await inProcess();
  const config = await discover(reached, "spa-RS256");
  const callback = await visit(
    reached,
    openid.buildAuthorizationUrl(config, { redirect_uri: publicUri, scope: "nothing", state: "st4te" }),
  );
  const grant = () => openid.authorizationCodeGrant(config, callback, { expectedState: "st4te" });
  const error = await assertRejects(grant, openid.AuthorizationResponseError);
  assertEquals([error.error, error.cause.get("iss")], ["invalid_scope", "https://as.test"]);
  assertMatch(error.error_description!, /\[AZ-17\]$/);
});

test("[PK-09, CI-06] openid-client reads a rejected code, and a rejected client with its challenge", async () => {
  const reached = await inProcess();
  const config = await discover(reached, "web-ES256");
  const pkceCodeVerifier = openid.randomPKCECodeVerifier();
  const address = openid.buildAuthorizationUrl(config, {
    redirect_uri: confidentialUri,
    scope: "read",
    code_challenge: await openid.calculatePKCECodeChallenge(pkceCodeVerifier),
    code_challenge_method: "S256",
  });
  const callback = await visit(reached, address);

  const attacker = await discover(reached, "web-ES256", "oidc", "another secret");
  const rejected = await assertRejects(
    () => openid.authorizationCodeGrant(attacker, callback, { pkceCodeVerifier }),
    openid.WWWAuthenticateChallengeError,
  );
  const [challenge] = rejected.cause;
  assertEquals([rejected.status, challenge!.scheme, challenge!.parameters.realm], [401, "basic", "https://as.test"]);
  assertEquals((await rejected.response.json()).error, "invalid_client");

  const other = openid.randomPKCECodeVerifier();
  const unproved = await assertRejects(
    () => openid.authorizationCodeGrant(config, callback, { pkceCodeVerifier: other }),
    openid.ResponseBodyError,
  );
  assertEquals([unproved.status, unproved.error], [400, "invalid_grant"]);
  assertMatch(unproved.error_description!, /\[PK-09\]$/);

  const tokens = await openid.authorizationCodeGrant(config, callback, { pkceCodeVerifier });
  assertEquals([tokens.scope, tokens.id_token], ["read", undefined]);
  const replayed = await assertRejects(
    () => openid.authorizationCodeGrant(config, callback, { pkceCodeVerifier }),
    openid.ResponseBodyError,
  );
  assertEquals([replayed.status, replayed.error], [400, "invalid_grant"]);
});

/** oauth4webapi, set up by discovery: the server and client as it knows them, and how it sends. */
async function prepare(reached: Reached, id: string) {
  const { as, fetch } = reached;
  const sending = {
    [oauth.customFetch]: (url: string, init: unknown) => fetch(url, init as RequestInit),
    [oauth.allowInsecureRequests]: !as.issuer.startsWith("https:"),
  };
  const found = await oauth.discoveryRequest(new URL(as.issuer), { algorithm: "oidc", ...sending });
  const server = await oauth.processDiscoveryResponse(new URL(as.issuer), found);
  const client: oauth.Client = { client_id: id, id_token_signed_response_alg: id.split("-")[1] ?? "RS256" };
  return { sending, server, client };
}

/** The whole flow with oauth4webapi, with a challenge or, for confidential clients, without. */
async function webApiFlow(reached: Reached, id: string, challenged = true) {
  const { sending, server, client } = await prepare(reached, id);
  const redirectUri = id.startsWith("spa") ? tenantUri : confidentialUri;
  const verifier = oauth.generateRandomCodeVerifier();
  const [state, nonce] = [oauth.generateRandomState(), oauth.generateRandomNonce()];
  const address = new URL(server.authorization_endpoint!);
  address.search = new URLSearchParams({
    response_type: "code",
    client_id: id,
    redirect_uri: redirectUri,
    scope: "openid read",
    state,
    nonce,
    ...challenged && {
      code_challenge: await oauth.calculatePKCECodeChallenge(verifier),
      code_challenge_method: "S256",
    },
  }).toString();
  const callback = oauth.validateAuthResponse(server, client, await visit(reached, address), state);
  const auth = id.startsWith("spa")
    ? oauth.None()
    : id === "poster"
    ? oauth.ClientSecretPost(secret)
    : oauth.ClientSecretBasic(secret);
  const response = await oauth.authorizationCodeGrantRequest(
    server,
    client,
    auth,
    callback,
    redirectUri,
    challenged ? verifier : oauth.nopkce,
    sending,
  );
  const tokens = await oauth.processAuthorizationCodeResponse(server, client, response, {
    expectedNonce: nonce,
    requireIdToken: true,
  });
  await oauth.validateApplicationLevelSignature(server, response, sending);
  return { server, sending, tokens };
}

test("[JA-02, JA-04, ID-01] oauth4webapi completes the flow and, as a resource server, accepts the access token and rejects the ID token", async () => {
  const reached = await inProcess();
  await forEachCase(clients.map((client) => client.client_id), async (id) => {
    const { server, sending, tokens } = await webApiFlow(reached, id);
    assertEquals(oauth.getValidatedIdTokenClaims(tokens)!.sub, "alice");
    const bearing = (token: string) =>
      new Request("https://api.example/", { headers: { authorization: `Bearer ${token}` } });
    const claims = await oauth.validateJwtAccessToken(server, bearing(tokens.access_token), "https://as.test", sending);
    assertEquals([claims.client_id, claims.sub, claims.scope], [id, "alice", "openid read"]);
    await assertRejects(() => oauth.validateJwtAccessToken(server, bearing(tokens.id_token!), id, sending));
    assertEquals(decodeClaims(tokens.access_token).iss, "https://as.test");
  });
});

test("[PK-02] oauth4webapi completes the flow without a challenge as a confidential client", async () => {
  const reached = await inProcess();
  await forEachCase(["web-RS256", "poster"], async (id) => {
    assertEquals((await webApiFlow(reached, id, false)).tokens.scope, "openid read");
  });
  const rejected = await assertRejects(() => webApiFlow(reached, "spa-ES256", false), oauth.AuthorizationResponseError);
  assertEquals(rejected.error, "invalid_request");
});

test("[JA-04] oauth4webapi completes the flow over a socket", async () => {
  const reached = await overSocket();
  try {
    await forEachCase(["spa-RS256", "web-ES256", "poster"], async (id) => {
      const { server, sending, tokens } = await webApiFlow(reached, id);
      const request = new Request("https://api.example/", {
        headers: { authorization: `Bearer ${tokens.access_token}` },
      });
      assert(await oauth.validateJwtAccessToken(server, request, reached.as.issuer, sending));
    });
  } finally {
    await reached.as.close();
  }
});

test("[TK-16, CA-07] oauth4webapi reads errors of both endpoints", async () => {
  const reached = await inProcess();
  const { sending, server, client } = await prepare(reached, "web-RS256");
  const result = async (given: string, code: string) => {
    const callback = oauth.validateAuthResponse(
      server,
      client,
      new URLSearchParams({ code, iss: "https://as.test" }),
      oauth.expectNoState,
    );
    const response = await oauth.authorizationCodeGrantRequest(
      server,
      client,
      oauth.ClientSecretBasic(given),
      callback,
      confidentialUri,
      oauth.nopkce,
      sending,
    );
    return await oauth.processAuthorizationCodeResponse(server, client, response);
  };
  const unknown = await assertRejects(() => result(secret, "never issued"), oauth.ResponseBodyError);
  assertEquals([unknown.status, unknown.error], [400, "invalid_grant"]);
  assertMatch(unknown.error_description!, /\[TK-16\]$/);
  const rejected = await assertRejects(() => result("wrong", "never issued"), oauth.WWWAuthenticateChallengeError);
  assertEquals([rejected.status, rejected.cause[0]!.scheme], [401, "basic"]);
  const denied = new URL(server.authorization_endpoint!);
  denied.search = new URLSearchParams({
    response_type: "token",
    client_id: "web-RS256",
    redirect_uri: confidentialUri,
    state: "s",
  })
    .toString();
  const callback = await visit(reached, denied);
  let caught: unknown;
  try {
    oauth.validateAuthResponse(server, client, callback, "s");
  } catch (error) {
    caught = error;
  }
  assert(caught instanceof oauth.AuthorizationResponseError);
  assertEquals(caught.error, "unsupported_response_type");
});
