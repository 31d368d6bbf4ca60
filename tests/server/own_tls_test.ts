/**
 * TLS of the server itself: versions and cipher suites (group FS).
 *
 * @extensions all
 */

import { assertEquals } from "@std/assert";
import { execFile, spawnSync } from "node:child_process";
import process from "node:process";
import { test } from "node:test";
import { promisify } from "node:util";
import type { LatchkeyOptions } from "../../src/mod.ts";
import { latchkey } from "../secret_leak_check.ts";
import { makeCertificate } from "./extensions/mutual_tls/make_certificate.ts";

const isDeno = "Deno" in globalThis;
const isBun = "Bun" in globalThis;
const node = isBun || isDeno ? process.env.LATCHKEY_TEST_NODE ?? "node" : process.execPath;

/** The cipher suites that a port accepts, by the version of TLS. */
async function acceptedCiphers(port: string): Promise<Readonly<Record<string, readonly string[]>>> {
  const { stdout } = await promisify(execFile)(node, ["tests/server/cipher_client.mjs", port]);
  const accepted = Object.entries<string[]>(JSON.parse(stdout)).filter(([, ciphers]) => ciphers.length > 0);
  return Object.fromEntries(accepted.map(([version, ciphers]) => [version, ciphers.sort()]));
}

const ofTls13 = ["TLS_AES_128_GCM_SHA256", "TLS_AES_256_GCM_SHA384", "TLS_CHACHA20_POLY1305_SHA256"];

test("[FS-28] each port accepts the cipher suites of BCP 195 alone, with each profile and kind of key", async (t) => {
  if (spawnSync(node, ["--version"]).status !== 0) return t.skip("needs Node for its client");
  const client = (profile?: "fapi2-security") => ({
    ...{ client_id: "web", profile, token_endpoint_auth_method: "private_key_jwt" as const },
    ...{ redirect_uris: ["https://app.example/cb"], jwks_uri: "https://app.example/jwks" },
  });
  const settings: readonly [Pick<LatchkeyOptions, "profile" | "clients">, isFapi: boolean][] = [
    [{ clients: [] }, false],
    [{ clients: [client()] }, false],
    [{ clients: [client("fapi2-security")] }, true],
    [{ clients: [], profile: "fapi2-security" }, true],
    [{ clients: [], profile: "fapi2-message-signing" }, true],
  ];
  for (const [options, isFapi] of settings) {
    for (const [kind, name] of [["EC", "ECDSA"], ["RSA", "RSA"]] as const) {
      const { cert, privateKey } = makeCertificate(kind, 3);
      const key = privateKey.export({ type: "pkcs8", format: "pem" }).toString();
      await using as = await latchkey({ ...options, alg: undefined, mutualTls: isBun ? {} : { port: 0 } });
      const { url } = await as.listen({ port: 0, host: "127.0.0.1", tls: { cert, key } });
      const metadata = await as.fetch(new Request(`${as.issuer}/.well-known/oauth-authorization-server`));
      const { token_endpoint: alias = url } = (await metadata.json()).mtls_endpoint_aliases ?? {};
      const ofTls12 = [`ECDHE-${name}-AES128-GCM-SHA256`, `ECDHE-${name}-AES256-GCM-SHA384`];
      const ofDeno = [...ofTls12, `ECDHE-${name}-CHACHA20-POLY1305`];
      const expected: Readonly<Record<string, readonly string[]>> = isDeno && isFapi
        ? { "TLSv1.3": ofTls13 }
        : { "TLSv1.2": isDeno ? ofDeno : ofTls12, "TLSv1.3": ofTls13 };
      for (const { port } of new Set([url, alias]).values().map((text) => new URL(text))) {
        assertEquals(await acceptedCiphers(port), expected, `${JSON.stringify(options)}, ${kind}`);
      }
    }
  }
});
