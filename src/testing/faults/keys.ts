/** Rotated, missing, outdated and additional keys in the JWKS (RFC 7517; OpenID Connect Core §10.1.1). */

import { algorithmsInUse } from "../../core/keys/jwks.ts";
import type { Keys, PublishedKey } from "../../core/keys/keys.ts";
import type { Server } from "../../core/server.ts";
import { builtInKeys } from "../built_in_keys.ts";
import { defineFault, type FaultFactory } from "./definition.ts";
import { editJsonBody } from "./response_body.ts";
import type { Fault } from "./fault.ts";
import { foreignKeys } from "../keys.ts";

/**
 * Rotates the signing key just before the ID token is signed: a JWKS that was fetched earlier lacks the new key, and
 * one that is fetched later has it. The server keeps the new key.
 */
export const rotated: FaultFactory<() => Fault> = defineFault({
  id: "keys.rotated",
  row: "keys/rotated",
  endpoints: ["token"],
  create: () => ({
    name: "key rotated before signing",
    waitsFor: "signed an ID token",
    extend: (server, context) => ({
      ...server,
      keys: {
        ...server.keys,
        async sign(kind, alg, claims) {
          if (kind === "id_token" && context.consume()) await server.keyRotation.rotate(alg, 0);
          return await server.keys.sign(kind, alg, claims);
        },
      },
    }),
  }),
});

type PublishedParameters = Parameters<Keys["publishedKeys"]>;

/** A fault that publishes other keys at the JWKS endpoint. */
function overrideJwks(
  name: string,
  getKeys: (server: Server, ...args: PublishedParameters) => Promise<readonly PublishedKey[]>,
): Fault {
  return {
    name,
    extend: (server) => ({ ...server, keys: { ...server.keys, publishedKeys: (algs) => getKeys(server, algs) } }),
  };
}

/** The JWKS has other keys instead of the current signing keys: tokens that they signed can no longer be verified. */
export const withdrawn: FaultFactory<() => Fault> = defineFault({
  id: "keys.withdrawn",
  title: "JWKS does not have the signing key",
  endpoints: ["jwks"],
  correctClient:
    "The client rejects tokens that the missing key signed, and does not fall back to another key of the JWKS.",
  create: () =>
    overrideJwks("withdrawn keys", async ({ keys }, algs) => {
      const all = await keys.publishedKeys(algs);
      const signing = await Promise.all([...new Set(all.map(({ alg }) => alg))].map((alg) => keys.signer(alg)));
      const foreign = signing.map(({ alg, kid }) => foreignKeys(`after-${kid}`, kid).publishedKeys([alg]));
      const removed = new Set(signing.map(({ kid }) => kid));
      return [...all.filter(({ kid }) => !removed.has(kid)), ...(await Promise.all(foreign)).flat()];
    }),
});

/** Returns the JWKS as it was when the rule was added, as an HTTP cache does: later keys are missing. */
export const stale: FaultFactory<() => Fault> = defineFault({
  id: "keys.stale",
  title: "JWKS is outdated, as from an HTTP cache",
  endpoints: ["jwks"],
  correctClient:
    "The client fetches the JWKS once more for an unknown kid, and rejects the token if the key is missing.",
  create() {
    let cached: Promise<readonly PublishedKey[]> | undefined;
    const fault = overrideJwks("stale JWKS", async ({ keys }, algs) => await (cached ??= keys.publishedKeys(algs)));
    return {
      ...fault,
      onRuleAdded({ server }) {
        cached = server.keys.publishedKeys(algorithmsInUse(server));
        // The error reaches the client that fetches the keys.
        cached.catch(() => {});
      },
    };
  },
});

/** Adds a key for encryption, one of an unknown type, one for an unknown use, and a signing key that signs nothing. */
export const extra: FaultFactory<() => Fault> = defineFault({
  id: "keys.extra",
  row: "keys/extra",
  endpoints: ["jwks"],
  create() {
    const { x, y } = builtInKeys.ES256.at(-1)!.jwk;
    const extraKeys = [
      {
        kty: "OKP",
        crv: "X25519",
        use: "enc",
        kid: "for-encryption",
        x: "hSDwCYkwp1R0i33ctD73Wg2_Og0mOBr066SpjqqbTmo",
      },
      { kty: "UNKNOWN", use: "sig", kid: "of-an-unknown-type", alg: "UNKNOWN-256" },
      { kty: "EC", crv: "P-256", use: "example_unknown", kid: "for-an-unknown-use", x, y },
      { kty: "EC", crv: "P-256", use: "sig", kid: "signs-nothing", alg: "ES256", x, y },
    ];
    return editJsonBody("extra keys", ({ keys }) => ({ keys: [...extraKeys, ...keys as readonly unknown[]] }));
  },
});
