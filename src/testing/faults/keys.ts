/** Missing and outdated keys in the JWKS (RFC 7517; OpenID Connect Core §10.1.1). */

import { algorithmsInUse } from "../../core/keys/jwks.ts";
import type { Keys, PublishedKey } from "../../core/keys/keys.ts";
import type { Server } from "../../core/server.ts";
import { defineFault, type FaultFactory } from "./definition.ts";
import type { Fault } from "./fault.ts";
import { foreignKeys } from "../keys.ts";

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
