/**
 * The port that asks clients for certificates (RFC 8705 §5), with real connections.
 *
 * @extensions all
 */

import { assertEquals, assertMatch, assertRejects } from "@std/assert";
import { X509Certificate } from "node:crypto";
import { Agent, request as httpsRequest } from "node:https";
import { test } from "node:test";
import type { PrivateJwk } from "../../../../src/client/private_jwk.ts";
import { createProofKey, signProof } from "../../../../src/client/proof.ts";
import { generateKey } from "../../../../src/core/keys/web_keys.ts";
import { selfSignedCertificate } from "../../../../src/platform/runtime/self_signed.ts";
import type { TraceEvent } from "../../../../src/server/trace.ts";
import { assertionOf, sharedKey, signingContext } from "../../client_jwts.ts";
import { foreignIssuer, jwtBearer } from "../../foreign_issuer.ts";
import { basic, decodeClaims, encode, getRejections } from "../../../kit.ts";
import { findFreePort } from "../../../platform/runtime/free_port.ts";
import { latchkey } from "../../../secret_leak_check.ts";

const ciba = "urn:openid:params:grant-type:ciba";
const deviceCode = "urn:ietf:params:oauth:grant-type:device_code";
const isBun = "Bun" in globalThis;
const tls = await selfSignedCertificate([]);
const own = await selfSignedCertificate(["client.test"]);
const other = await selfSignedCertificate(["other.test"]);
const x5c = [new X509Certificate(own.cert).raw.toString("base64")];

function start(events: TraceEvent[] = []): ReturnType<typeof latchkey> {
  return latchkey({
    mutualTls: { port: 0 },
    trace: (event) => events.push(event),
    clients: [{
      client_id: "self",
      token_endpoint_auth_method: "self_signed_tls_client_auth",
      jwks: { keys: [{ kty: "EC", x5c }] },
      grant_types: ["client_credentials"],
      tls_client_certificate_bound_access_tokens: true,
    }],
  });
}

/** A request; with `body` a POST of a form. */
function send(
  url: string,
  options: { readonly cert?: string; readonly key?: string; readonly agent?: Agent },
  body?: string,
  headers: Readonly<Record<string, string>> = {},
): Promise<{ readonly status: number | undefined; readonly json: Record<string, string> }> {
  const { promise, resolve, reject } = Promise.withResolvers<
    { status: number | undefined; json: Record<string, string> }
  >();
  const form = { "content-type": "application/x-www-form-urlencoded" };
  const outgoing = httpsRequest(url, {
    ...options,
    ca: tls.cert,
    method: body === undefined ? "GET" : "POST",
    headers: { ...body !== undefined && form, ...headers },
  }, (incoming) => {
    let text = "";
    incoming.setEncoding("utf8").on("data", (part) => text += part);
    incoming.on("end", () => resolve({ status: incoming.statusCode, json: JSON.parse(text) }));
  });
  outgoing.on("error", reject).end(body);
  return promise;
}

test("[MT-08] the second port takes the certificate of each connection; the first one never asks", async () => {
  const events: TraceEvent[] = [];
  await using as = await start(events);
  if (isBun) {
    await assertRejects(() => as.listen({ port: 0, tls }), Error, "Bun");
    return;
  }
  await as.listen({ port: 0, tls });
  const { json: metadata } = await send(`${as.issuer}/.well-known/oauth-authorization-server`, {});
  const aliases = metadata.mtls_endpoint_aliases as unknown as Record<string, string>;
  const origin = new URL(aliases.token_endpoint!).origin;
  assertMatch(origin, /^https:\/\/localhost:\d+$/);
  assertEquals(origin === new URL(as.issuer).origin, false);
  const clientEndpoints = Object.keys(metadata).filter((name) =>
    name.endsWith("_endpoint") && !["authorization_endpoint", "end_session_endpoint"].includes(name)
  );
  assertEquals(Object.keys(aliases).sort(), clientEndpoints.sort());
  for (const [name, url] of Object.entries(aliases)) assertEquals(url.replace(origin, as.issuer), metadata[name]);

  const body = encode({ grant_type: "client_credentials", client_id: "self" });
  const attempt = async (url: string, options: Parameters<typeof send>[1], headers?: Record<string, string>) => {
    const { status, json } = await send(url, options, body, headers);
    return `${status} ${json.error ?? "ok"}`;
  };
  const agent = new Agent({ keepAlive: false });
  // Further connections resume the TLS session of the first one.
  for (let i = 0; i < 3; i++) assertEquals(await attempt(aliases.token_endpoint!, { ...own, agent }), "200 ok");
  const kept = new Agent({ keepAlive: true });
  for (let i = 0; i < 2; i++) assertEquals(await attempt(aliases.token_endpoint!, { ...own, agent: kept }), "200 ok");
  assertEquals(await attempt(aliases.token_endpoint!, other), "401 invalid_client");
  assertEquals(await attempt(aliases.token_endpoint!, {}), "401 invalid_client");
  assertEquals(await attempt(metadata.token_endpoint!, own), "401 invalid_client");
  assertEquals(
    getRejections(events).at(-1)?.explanation.received,
    `no certificate; only requests to ${origin} can have one (mtls_endpoint_aliases)`,
  );
  const forged = { "client-cert": `:${x5c[0]}:` };
  for (const url of [aliases.token_endpoint!, metadata.token_endpoint!]) {
    assertEquals(await attempt(url, {}, forged), "401 invalid_client");
  }
  const { json: tokens } = await send(aliases.token_endpoint!, own, body);
  const { cnf } = decodeClaims(tokens.access_token!) as { cnf?: Record<string, string> };
  assertEquals(Object.keys(cnf ?? {}), ["x5t#S256"]);
  agent.destroy();
  kept.destroy();
});

test("[DO-02, MT-08] a DPoP proof names the endpoint at either port, and counts once", async () => {
  if (isBun) return;
  await using as = await start();
  await as.clients.set({
    client_id: "proving",
    token_endpoint_auth_method: "self_signed_tls_client_auth",
    jwks: { keys: [{ kty: "EC", x5c }] },
    grant_types: ["client_credentials"],
  });
  await as.listen({ port: 0, tls });
  const { json } = await send(`${as.issuer}/.well-known/oauth-authorization-server`, {});
  const { token_endpoint: alias } = json.mtls_endpoint_aliases as unknown as Record<string, string>;
  const key = await createProofKey(await generateKey("ES256") as PrivateJwk);
  const attempt = async (dpop: string) => {
    const body = encode({ grant_type: "client_credentials", client_id: "proving" });
    const { json } = await send(alias!, own, body, { dpop });
    return json.error ?? json.token_type;
  };
  const proofFor = (url: string) => signProof(signingContext(Date.now() / 1000), key, { method: "POST", url });
  const proof = await proofFor(alias!);
  assertEquals(await attempt(proof), "DPoP");
  assertEquals(await attempt(proof), "invalid_dpop_proof");
  assertEquals(await attempt(await proofFor(json.token_endpoint!)), "DPoP");
  assertEquals(await attempt(await proofFor(alias!.replace("/token", "/par"))), "invalid_dpop_proof");
});

test("[JC-05, MT-08] aud of an assertion is each URL that metadata names, of the token endpoint or the called one", async () => {
  if (isBun) return;
  const key = await sharedKey("ES256");
  const grant_types = ["client_credentials", "authorization_code", ciba, deviceCode] as const;
  await using as = await latchkey({
    mutualTls: { port: 0 },
    clients: [{
      client_id: "key",
      ...{ token_endpoint_auth_method: "private_key_jwt", jwks: { keys: [key.jwk] } },
      ...{ grant_types, redirect_uris: ["https://client.test/cb"] },
    }],
  });
  await as.listen({ port: 0, tls });
  const { json: metadata } = await send(`${as.issuer}/.well-known/oauth-authorization-server`, {});
  const aliases = metadata.mtls_endpoint_aliases as unknown as Record<string, string>;
  const names = [];
  for (const name of Object.keys(aliases)) {
    const ask = async (aud: string) => {
      const assertion = await assertionOf("key", key, {}, signingContext(Date.now() / 1000, aud));
      const body = encode({ grant_type: "client_credentials", ...assertion });
      return (await send(aliases[name]!, {}, body)).json.error;
    };
    // The other endpoints authenticate no clients.
    if (await ask("https://elsewhere.test") !== "invalid_client") continue;
    names.push(name);
    const accepted = [];
    for (const [called, urls] of [["token", "token_endpoint"], ["own", name]] as const) {
      for (const [place, aud] of [["first", metadata[urls]!], ["alias", aliases[urls]!]] as const) {
        if (await ask(aud) !== "invalid_client") accepted.push(`${called} ${place}`);
      }
    }
    const takesOwn = ["token", "pushed_authorization_request", "backchannel_authentication"].includes(
      name.slice(0, -9),
    );
    assertEquals(accepted, ["token first", "token alias", ...takesOwn ? ["own first", "own alias"] : []], name);
    assertEquals(await ask(new URL("/", aliases[name]).href), "invalid_client");
  }
  assertEquals(names.length, 6);
});

test("[JB-05, MT-08] aud of an assertion of another issuer is a URL of the token endpoint in metadata", async () => {
  if (isBun) return;
  const idp = await foreignIssuer();
  await using as = await latchkey({
    mutualTls: { port: 0 },
    trustedIssuers: [idp.entry()],
    clients: [{ client_id: "gateway", client_secret: "gateway-secret", grant_types: [jwtBearer] }],
    users: [{ sub: "alice" }],
    scopes: ["read"],
  });
  await as.listen({ port: 0, tls });
  const { json: metadata } = await send(`${as.issuer}/.well-known/oauth-authorization-server`, {});
  const { token_endpoint: alias } = metadata.mtls_endpoint_aliases as unknown as Record<string, string>;
  const seconds = Math.floor(Date.now() / 1000);
  const exchange = async (aud: string) => {
    const assertion = await idp.assertion("alice", { claims: { aud, iat: seconds, exp: seconds + 300 } });
    const body = encode({ grant_type: jwtBearer, assertion, scope: "read" });
    return (await send(alias!, {}, body, basic("gateway", "gateway-secret"))).json.error ?? "ok";
  };
  const outcomes = [];
  for (const aud of [as.issuer, metadata.token_endpoint!, alias!, `${alias}/other`]) outcomes.push(await exchange(aud));
  assertEquals(outcomes, ["ok", "ok", "ok", "invalid_grant"]);
});

test("[MT-08] a port for certificates without TLS stops the start", async () => {
  await using as = await start();
  const { message } = await assertRejects(() => as.listen({ port: 0 }), Error);
  assertEquals(
    message,
    "Cannot ask clients for certificates without TLS. Give a certificate and its key, set tls to self-signed, or remove mutualTls.port.",
  );
});

test("[MT-08] if the port for certificates is in use, the server does not listen at all, and may try again", async () => {
  if (isBun) return;
  // Not one that the system chooses: an outgoing connection could take it before the last attempt.
  const port = await findFreePort();
  await using first = await latchkey({ mutualTls: { port } });
  await first.listen({ port: 0, tls });
  await using as = await latchkey({ mutualTls: { port } });
  for (let attempts = 0; attempts < 2; attempts++) {
    await assertRejects(() => as.listen({ port: 0, tls }), Error, "the port is in use");
  }
  await first.close();
  const { url } = await as.listen({ port: 0, tls });
  assertEquals(url, as.issuer);
});
