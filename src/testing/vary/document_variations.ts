/** Variations of what clients keep: metadata and keys. Those of URLs and key IDs last as long as the server runs. */

import { endpointUrl } from "../../core/http/endpoint.ts";
import type { Server } from "../../core/server.ts";
import { jwtSigner } from "../../core/keys/jwt.ts";
import { extra } from "../faults/keys.ts";
import { editJsonBody, type Members } from "../faults/response_body.ts";
import { withUnknown } from "./json_variations.ts";
import type { Roll } from "./roll.ts";
import type { RollOf, Variation } from "./variation.ts";

/** A variation of the metadata documents or of the key set. */
function edit(endpoint: "discovery" | "jwks", change: (members: Members, roll: Roll) => Members): Variation["fault"] {
  return (rollOf: RollOf) => ({
    ...editJsonBody("other document", (members, context) => change(members, rollOf(context))),
    endpoints: [endpoint],
  });
}

/** The lists of metadata whose values are open to extensions. */
const openLists = [
  ...["grant_types_supported", "response_types_supported", "response_modes_supported", "scopes_supported"],
  ...["token_endpoint_auth_methods_supported", "code_challenge_methods_supported", "prompt_values_supported"],
];

/** A value that no client knows. The name of a response type has no colon (RFC 6749 §8.4). */
function unknownValue(list: string): string {
  return list === "response_types_supported" ? "example_unknown" : "urn:example:unknown";
}

/** Publishes each key under a longer ID as well, and signs with that one. */
function withKeyIds(keys: Server["keys"], suffix: string): Server["keys"] {
  return {
    ...keys,
    async signer(alg) {
      const signer = await keys.signer(alg);
      return { ...signer, kid: signer.kid + suffix };
    },
    verificationKey: (kid, ...others) =>
      keys.verificationKey(kid?.endsWith(suffix) ? kid.slice(0, -suffix.length) : kid, ...others),
    // Tokens that the server signs outside of requests name the shorter ID.
    publishedKeys: async (algs) =>
      (await keys.publishedKeys(algs)).flatMap((key) => [{ ...key, kid: key.kid + suffix }, key]),
  };
}

export const documentVariations: readonly Variation[] = [
  {
    id: "metadata-unknown-members",
    needs: "metadata without members that it does not know",
    allowed: "Additional metadata parameters may also be used.",
    source: "RFC 8414 §2; OpenID Connect Discovery §3",
    fault: edit("discovery", (members, roll) => withUnknown(members, roll.whole(6))),
  },
  {
    id: "metadata-unknown-values",
    needs: "lists in metadata without values that it does not know",
    allowed: "Extensions define further grant types, response types, methods and scope values.",
    source: "RFC 6749 §8; RFC 8414 §2",
    fault: edit("discovery", (members) =>
      Object.fromEntries(
        Object.entries(members).map(([name, value]) => [
          name,
          openLists.includes(name) && Array.isArray(value) ? [unknownValue(name), ...value] : value,
        ]),
      )),
  },
  {
    id: "metadata-optional-absent",
    needs: "scopes_supported and claims_supported in metadata",
    allowed: "scopes_supported and claims_supported are recommended, not required; a server may advertise less.",
    source: "RFC 8414 §2; OpenID Connect Discovery §3",
    fault: edit("discovery", (members) => ({ ...members, scopes_supported: undefined, claims_supported: undefined })),
  },
  {
    id: "endpoint-query",
    needs: "endpoints without a query",
    allowed: "The URL of an endpoint may have a query, which must be kept when parameters are added.",
    source: "RFC 6749 §3.1, §3.2",
    isLegal: ({ policy: { metadata } }) =>
      metadata.authorization_endpoint === undefined && metadata.token_endpoint === undefined,
    server: (roll) => {
      const query = `?tenant=${roll.whole(1000)}&v=2.0`;
      return (server, app) => {
        const [authorization_endpoint, token_endpoint] = ["authorize", "token"].map((name) =>
          endpointUrl({ app, server }, name) + query
        );
        const metadata = { authorization_endpoint, token_endpoint, ...server.policy.metadata };
        const assertionAudiences = server.assertionAudiences.flatMap((url) => [url, url + query]);
        return { ...server, assertionAudiences, policy: { ...server.policy, metadata } };
      };
    },
  },
  {
    id: "kid-length",
    needs: "key IDs of a certain length",
    allowed: "The structure of kid is unspecified; it is a case-sensitive string.",
    source: "RFC 7515 §4.1.4; RFC 7517 §4.5",
    server: (roll) => {
      const suffix = roll.pick(["~", "/2026-11-23T09:00:00Z+é", "x".repeat(500)]);
      return (server) => {
        const keys = withKeyIds(server.keys, suffix);
        return { ...server, keys: { ...keys, sign: jwtSigner(keys, keys.types) } };
      };
    },
  },
  {
    id: "jwks-further-keys",
    needs: "key sets with signing keys of known types alone",
    allowed: "Keys of a type that is not understood should be ignored; use is sig, enc or another value.",
    source: "RFC 7517 §5, §4.2",
    fault: () => extra(),
  },
  {
    id: "jwks-unknown-members",
    needs: "keys without members that it does not know",
    allowed: "Additional members can be present in a JWK and in a JWK Set, and must be ignored if not understood.",
    source: "RFC 7517 §4, §5",
    fault: edit("jwks", ({ keys, ...others }, roll) => ({
      ...withUnknown(others, roll.whole(6)),
      keys: (keys as readonly Members[]).map((key) => withUnknown(key, roll.whole(6))),
    })),
  },
  {
    id: "jwk-alg-absent",
    needs: "alg in keys of the key set",
    allowed: "alg is optional in a JWK.",
    source: "RFC 7517 §4.4",
    fault: edit("jwks", ({ keys, ...others }) => ({
      ...others,
      keys: (keys as readonly Members[]).map(({ alg: _, ...key }) => key),
    })),
  },
];
