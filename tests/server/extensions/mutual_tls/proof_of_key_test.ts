/** A certificate counts only with the proof of its private key (RFC 8446 §4.4.3, RFC 5246 §7.4.8). */

import { assertEquals, assertMatch } from "@std/assert";
import { spawn, spawnSync } from "node:child_process";
import { createHash, X509Certificate } from "node:crypto";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { text } from "node:stream/consumers";
import { test } from "node:test";
import { parseCertificate } from "../../../../src/platform/runtime/certificate.ts";
import { selfSignedCertificate } from "../../../../src/platform/runtime/self_signed.ts";
import { requireToken } from "../../../../src/resource/mod.ts";
import type { TraceEvent } from "../../../../src/server/trace.ts";
import { encode, getRejections } from "../../../kit.ts";
import { latchkey } from "../../../secret_leak_check.ts";
import { generatePrivateKey, type KeyKind, makeCertificate } from "./make_certificate.ts";

const isDeno = "Deno" in globalThis;
const node = "Bun" in globalThis || isDeno ? process.env.LATCHKEY_TEST_NODE ?? "node" : process.execPath;

/** Sends a token request for each certificate and key. @returns The outcomes, in the same order. */
async function attemptEach(url: string, attempts: readonly object[]): Promise<readonly string[]> {
  const client = spawn(node, ["tests/server/extensions/mutual_tls/forging_client.mjs"]);
  client.stdin.end(
    JSON.stringify({ url, body: encode({ grant_type: "client_credentials", client_id: "self" }), attempts }),
  );
  const [output, errors] = await Promise.all([text(client.stdout), text(client.stderr), once(client, "close")]);
  assertEquals(errors, "");
  return JSON.parse(output);
}

/** The public part of one key with the private part of another one. */
function forge(own: JsonWebKey, other: JsonWebKey): JsonWebKey {
  const { kty, crv, x, y, n, e } = own;
  return kty === "EC" ? { ...other, kty, crv, x, y } : { ...other, kty, n, e };
}

test("[MT-04, MT-08] each key and version of certificate needs the proof of its key, in TLS 1.2 and 1.3", async (t) => {
  // On Bun, listen() has no port for certificates.
  if ("Bun" in globalThis) return;
  if (spawnSync(node, ["--version"]).status !== 0) return t.skip("needs Node for its client");
  const cases = (["EC", "RSA"] as const).flatMap((kind: KeyKind) =>
    [1, 2, 3].map((version) => ({
      name: `${kind}, version ${version}`,
      ...{ kind, isAccepted: version === 3 || !isDeno, ...makeCertificate(kind, version) },
    }))
  );
  const events: TraceEvent[] = [];
  const registered = cases.map(({ cert }) => {
    const { publicKey, raw } = new X509Certificate(cert);
    return { ...publicKey.export({ format: "jwk" }), x5c: [raw.toString("base64")] };
  });
  await using as = await latchkey({
    mutualTls: { port: 0 },
    trace: (event) => events.push(event),
    clients: [{
      client_id: "self",
      token_endpoint_auth_method: "self_signed_tls_client_auth",
      jwks: { keys: registered },
      grant_types: ["client_credentials"],
    }],
  });
  await as.listen({ port: 0, tls: await selfSignedCertificate([]) });
  const metadata = await as.fetch(new Request(`${as.issuer}/.well-known/oauth-authorization-server`));
  const { token_endpoint: url } = (await metadata.json()).mtls_endpoint_aliases;
  const attempts = cases.flatMap(({ name, kind, isAccepted, cert, privateKey }) => {
    const own = privateKey.export({ format: "jwk" });
    const forged = forge(own, generatePrivateKey(kind).export({ format: "jwk" }));
    return ["TLSv1.2", "TLSv1.3"].flatMap((version) =>
      [own, forged].map((key) => ({
        name: `${name}, ${version}, ${key === own ? "own" : "wrong"} key`,
        isAccepted: isAccepted && key === own,
        connection: { cert, key, version },
      }))
    );
  });
  const outcomes = await attemptEach(url, attempts.map(({ connection }) => connection));
  assertEquals(
    attempts.map(({ name }, i) => `${name}: ${outcomes[i] === "200 ok" ? "accepted" : "rejected"}`),
    attempts.map(({ name, isAccepted }) => `${name}: ${isAccepted ? "accepted" : "rejected"}`),
  );
  if (!isDeno) return;
  const rejections = getRejections(events);
  // Both keys of versions 1 and 2: the handshake of Deno completes.
  assertEquals(rejections.length, 16);
  for (const { explanation } of rejections) {
    assertEquals(explanation.rule, "MT-04");
    assertMatch(explanation.received!, /^one of version [12], /);
    assertMatch(explanation.fix!, /-extfile/);
  }
});

test("[MT-06] requireToken accepts no certificate whose key the runtime does not verify", async () => {
  const resource = "https://api.test/";
  for (const version of [1, 2, 3]) {
    const { cert: certificate } = makeCertificate("EC", version);
    const { raw } = new X509Certificate(certificate);
    const verifier = {
      ...{ issuer: "https://as.test", now: Date.now },
      verify: () =>
        Promise.resolve({
          ...{ iss: "https://as.test", aud: resource, client_id: "self", exp: Date.now() / 1000 + 60, iat: 1 },
          cnf: { "x5t#S256": createHash("sha256").update(raw).digest("base64url") },
        }),
    };
    const request = new Request(resource, { headers: { authorization: "Bearer token" } });
    const result = await requireToken(request, { resource, verifier, certificate });
    assertEquals(result instanceof Response ? result.status : "accepted", isDeno && version !== 3 ? 401 : "accepted");
  }
});

test("the commands of the guide make certificates of version 3, and an authority", async (t) => {
  if (spawnSync("openssl", ["version"]).status !== 0) return t.skip("needs openssl");
  const readme = readFileSync("static/docs/mutual-tls.md", "utf8");
  const commands = /```sh\n(ec=[^]*?)```/.exec(readme)![1]!;
  const folder = await mkdtemp(join(tmpdir(), "certificates-"));
  try {
    const { status, stderr } = spawnSync("sh", ["-e"], { cwd: folder, input: commands, encoding: "utf8" });
    assertEquals(status, 0, stderr);
    const [self, ca, api] = ["self.pem", "ca.pem", "api.pem"].map((name) =>
      parseCertificate(readFileSync(join(folder, name), "utf8"))!
    );
    assertEquals([self!.version, ca!.version, api!.version], [3, 3, 3]);
    assertEquals([ca!.isAuthority, api!.isAuthority, api!.isIssuedBy(ca!)], [true, false, true]);
  } finally {
    await rm(folder, { recursive: true });
  }
});
