/** Keys that are not where a client looks for them (RFC 7517; OpenID Connect Core §10.1.1). */

import { algorithmsInUse } from "../../endpoints/jwks.ts";
import type { Keys, PublishedKey } from "../../oauth/keys/keys.ts";
import type { Server } from "../../oauth/server.ts";
import { builtInKeys } from "../built_in_keys.ts";
import { edited } from "./body.ts";
import type { Fault } from "./fault.ts";
import { foreignKeys } from "./foreign_keys.ts";

/**
 * Rotates keys between two breaths: the id token is signed by a key made a moment ago, so that a JWKS that was fetched
 * before lacks it and one that is fetched now has it. The key stays.
 */
export function rotated(): Fault {
  return {
    name: "key rotated before signing",
    endpoints: ["token"],
    waitsFor: "signed an id token",
    extend: (server, context) => ({
      ...server,
      async sign(kind, alg, claims) {
        if (kind === "id_token" && context.consume()) await server.keys.rotate(alg, 0);
        return await server.sign(kind, alg, claims);
      },
    }),
  };
}

/** Publishes other keys at the JWKS endpoint. */
function overrideJwks(
  name: string,
  getKeys: (server: Server, ...args: PublishedParameters) => Promise<readonly PublishedKey[]>,
): Fault {
  return {
    name,
    endpoints: ["jwks"],
    extend: (server) => ({
      ...server,
      keys: { ...server.keys, publishedKeys: (algs) => getKeys(server, algs) },
    }),
  };
}

type PublishedParameters = Parameters<Keys["publishedKeys"]>;

/**
 * The keys that sign at this moment are gone when the JWKS is fetched, and others stand in their place: tokens signed
 * a moment ago cannot be verified any more.
 */
export function withdrawn(): Fault {
  return overrideJwks("withdrawn keys", async ({ keys }, algs) => {
    const all = await keys.publishedKeys(algs);
    const signing = await Promise.all([...new Set(all.map(({ alg }) => alg))].map((alg) => keys.signer(alg)));
    const foreign = signing.map(({ alg, kid }) => foreignKeys(`after-${kid}`, kid).publishedKeys([alg]));
    const removed = new Set(signing.map(({ kid }) => kid));
    return [...all.filter(({ kid }) => !removed.has(kid)), ...(await Promise.all(foreign)).flat()];
  });
}

/** The JWKS as it was when the rule was written, as a cache on the way would answer it: what came since is not there. */
export function stale(): Fault {
  let cached: Promise<readonly PublishedKey[]> | undefined;
  const fault = overrideJwks("stale JWKS", async ({ keys }, algs) => await (cached ??= keys.publishedKeys(algs)));
  return {
    ...fault,
    onRuleAdded({ server }) {
      cached = server.keys.publishedKeys(algorithmsInUse(server));
      // Whoever asks for the keys will hear of it.
      cached.catch(() => {});
    },
  };
}

/**
 * Keys in the JWKS that are none of the client's business: one for encryption, one of an unknown type, and one for
 * signatures that signs nothing. A client must pass over them.
 */
export function extra(): Fault {
  const { x, y } = builtInKeys.ES256.at(-1)!.jwk;
  const others = [
    { kty: "OKP", crv: "X25519", use: "enc", kid: "for-encryption", x: "hSDwCYkwp1R0i33ctD73Wg2_Og0mOBr066SpjqqbTmo" },
    { kty: "UNHEARD-OF", use: "sig", kid: "of-an-unknown-type", alg: "UNHEARD-OF-256" },
    { kty: "EC", crv: "P-256", use: "sig", kid: "signs-nothing", alg: "ES256", x, y },
  ];
  return {
    ...edited(({ keys }) => ({ keys: [...others, ...keys as readonly unknown[]] }), "extra keys"),
    endpoints: ["jwks"],
  };
}
