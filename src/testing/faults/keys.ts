/** Keys that are not where a client looks for them (RFC 7517; OpenID Connect Core §10.1.1). */

import { algorithmsInUse } from "../../endpoints/jwks.ts";
import type { Keys, PublishedKey } from "../../oauth/keys/keys.ts";
import type { Server } from "../../oauth/server.ts";
import { builtInKeys } from "../built_in_keys.ts";
import { edited } from "./body.ts";
import type { Fault } from "./fault.ts";
import { strangersKeys } from "./foreign_keys.ts";

/**
 * Rotates keys between two breaths: the id token is signed by a key made a moment ago, so that a JWKS that was fetched
 * before lacks it and one that is fetched now has it. The key stays.
 */
export function rotated(): Fault {
  return {
    name: "key rotated before signing",
    endpoints: ["token"],
    needs: "signed an id token",
    server: (server, at) => ({
      ...server,
      async sign(kind, alg, claims) {
        if (kind === "id_token" && at.take()) await server.keys.rotate(alg, 0);
        return await server.sign(kind, alg, claims);
      },
    }),
  };
}

/** Publishes other keys at the JWKS endpoint. */
function publishing(
  name: string,
  published: (server: Server, ...asked: Asked) => Promise<readonly PublishedKey[]>,
): Fault {
  return {
    name,
    endpoints: ["jwks"],
    server: (server) => ({
      ...server,
      keys: { ...server.keys, published: (algs) => published(server, algs) },
    }),
  };
}

type Asked = Parameters<Keys["published"]>;

/**
 * The keys that sign at this moment are gone when the JWKS is fetched, and others stand in their place: tokens signed
 * a moment ago cannot be verified any more.
 */
export function withdrawn(): Fault {
  return publishing("withdrawn keys", async ({ keys }, algs) => {
    const all = await keys.published(algs);
    const signing = await Promise.all([...new Set(all.map(({ alg }) => alg))].map((alg) => keys.signer(alg)));
    const others = signing.map(({ alg, kid }) => strangersKeys(`after-${kid}`, kid).published([alg]));
    const gone = new Set(signing.map(({ kid }) => kid));
    return [...all.filter(({ kid }) => !gone.has(kid)), ...(await Promise.all(others)).flat()];
  });
}

/** The JWKS as it was when the rule was written, as a cache on the way would answer it: what came since is not there. */
export function stale(): Fault {
  let kept: Promise<readonly PublishedKey[]> | undefined;
  const fault = publishing("stale JWKS", async ({ keys }, algs) => await (kept ??= keys.published(algs)));
  return {
    ...fault,
    begin({ server }) {
      kept = server.keys.published(algorithmsInUse(server));
      // Whoever asks for the keys will hear of it.
      kept.catch(() => {});
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
