/** Variations of the claims in ID tokens, access tokens and userinfo responses. */

import type { TokenKind } from "../../server/oauth/keys/jwt.ts";
import type { FaultContext } from "../faults/fault.ts";
import { type Claims, editClaims } from "../faults/resign.ts";
import type { Roll } from "./roll.ts";
import { withUnknown } from "./json_variations.ts";
import type { RollOf, Variation } from "./variation.ts";

/** A variation of the claims of one kind of token or response. */
function edit(kind: TokenKind, change: (claims: Claims, roll: Roll) => Claims): Variation["fault"] {
  return (rollOf: RollOf) => {
    const fault = editClaims(
      "other claims",
      kind,
      `issued the claims of ${kind}`,
      (claims, context: FaultContext) => change(claims, rollOf(context)),
    );
    return { ...fault, endpoints: kind === "userinfo" ? ["userinfo"] : ["token"] };
  };
}

/** The claims without some of them. */
function without(claims: Claims, ...names: readonly string[]): Claims {
  return Object.fromEntries(Object.entries(claims).filter(([name]) => !names.includes(name)));
}

/** Claims that other servers put into ID tokens. */
const furtherClaims: Claims = {
  jti: "4f1c6c0a",
  ver: 1,
  idp: "example",
  "https://example.com/roles": ["a", "b"],
  events: { "urn:example:event": {} },
};

export const claimVariations: readonly Variation[] = [
  {
    id: "id-token-unknown-claims",
    needs: "ID tokens without claims that it does not know",
    allowed: "ID tokens may contain other claims, and claims that are not understood must be ignored.",
    source: "OpenID Connect Core §2",
    fault: edit("id_token", (claims) => ({ ...furtherClaims, ...claims })),
  },
  {
    id: "id-token-audience-list",
    needs: "aud of ID tokens as a string",
    allowed: "aud is in general an array; a single audience may be a string.",
    source: "OpenID Connect Core §2",
    fault: edit("id_token", (claims) => ({ ...claims, aud: [claims.aud].flat() })),
  },
  {
    id: "id-token-azp",
    needs: "ID tokens without azp",
    allowed: "azp may be included, and is then the client_id of the client that the token was issued to.",
    source: "OpenID Connect Core §2",
    // The ID token of a refresh has azp if and only if the first one has it (§12.2).
    server: () => (server) => ({
      ...server,
      overrideClaims(kind, claims, about) {
        const issued = server.overrideClaims?.(kind, claims, about) ?? claims;
        return kind === "id_token" ? { ...issued, azp: about.client.id } : issued;
      },
    }),
  },
  {
    id: "at-hash-absent",
    needs: "at_hash in ID tokens",
    allowed: "at_hash is optional in an ID token of the token endpoint.",
    source: "OpenID Connect Core §3.1.3.6",
    fault: edit("id_token", (claims) => without(claims, "at_hash")),
  },
  {
    id: "numeric-date-fraction",
    needs: "iat of ID tokens as a whole number",
    allowed: "A NumericDate may be a number that is not whole.",
    source: "RFC 7519 §2",
    // Half a second earlier, so that no clock finds it in the future.
    fault: edit("id_token", (claims) => ({ ...claims, iat: Number(claims.iat) - 0.5 })),
  },
  {
    id: "access-token-unknown-claims",
    needs: "access tokens without claims that it does not know",
    allowed: "JWT access tokens may contain further claims.",
    source: "RFC 9068 §2.2",
    fault: edit("access_token", (claims) => ({ ...furtherClaims, ...claims })),
  },
  {
    id: "userinfo-unknown-members",
    needs: "userinfo without claims that it does not know",
    allowed: "Other claims may be used beside the standard claims.",
    source: "OpenID Connect Core §5.1.2",
    fault: edit("userinfo", (claims, roll) => withUnknown(claims, roll.whole(6))),
  },
  {
    id: "userinfo-claim-absent",
    needs: "each claim of a scope value in userinfo",
    allowed:
      "Claims of scope values are voluntary; a claim that is not returned is left out. Only sub is always there.",
    source: "OpenID Connect Core §5.3.2, §5.4",
    fault: edit("userinfo", (claims, roll) => {
      const optional = Object.keys(claims).filter((name) => name !== "sub");
      return optional.length === 0 ? claims : without(claims, roll.pick(optional));
    }),
  },
];
