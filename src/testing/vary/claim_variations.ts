/** Variations of the claims in ID tokens, access tokens and userinfo responses. */

import { randomId } from "../../core/keys/secrets.ts";
import type { RequestCheck, Server } from "../../core/server.ts";
import type { HostedServer } from "../../server/hosted_server.ts";
import type { HostedClient } from "../../server/config/client_metadata.ts";
import type { FaultContext } from "../faults/fault.ts";
import { type Claims, editClaims, type TokenKind } from "../faults/resign.ts";
import type { Roll } from "./roll.ts";
import { withUnknown } from "./json_variations.ts";
import type { RollOf, Variation } from "./variation.ts";
import { withChange } from "../faults/with_change.ts";

/** A variation of the claims of one kind of token or response. */
function edit(
  kind: TokenKind,
  change: (claims: Claims, roll: Roll, server: Server) => Claims,
): Variation["fault"] {
  return (rollOf: RollOf) => {
    const fault = editClaims(
      "other claims",
      kind,
      `issued the claims of ${kind}`,
      (claims, context: FaultContext) => change(claims, rollOf(context), context.app.server),
    );
    return { ...fault, endpoints: kind === "userinfo" ? ["userinfo"] : ["token"] };
  };
}

/** The claims without some of them. */
function without(claims: Claims, ...names: readonly string[]): Claims {
  return Object.fromEntries(Object.entries(claims).filter(([name]) => !names.includes(name)));
}

/** Claims that no client knows. A name with a domain is resistant to collisions (RFC 7519 §4.2). */
const furtherClaims: Claims = {
  "https://example.com/roles": ["a", "b"],
  "https://example.com/tenant": { id: 7, name: null },
};

/** Leaves out auth_time in ID tokens of the clients that have never asked for it. */
function withoutAuthTime<Own extends HostedServer>(server: Own, asking: Set<string>): Own {
  const check: RequestCheck = {
    redirectOnly: true,
    read({ params, client }) {
      if (params.get("max_age") !== undefined || params.get("claims")?.includes("auth_time")) asking.add(client.id);
    },
  };
  return {
    ...server,
    requestChecks: [check, ...server.requestChecks],
    claimChange: withChange(server, (kind, issued, about) => {
      const { id, metadata }: HostedClient = about.client;
      const isRequired = asking.has(id) || metadata.require_auth_time || metadata.default_max_age !== undefined;
      return kind === "id_token" && !isRequired ? without(issued, "auth_time") : issued;
    }),
  };
}

export const claimVariations: readonly Variation[] = [
  {
    id: "id-token-unknown-claims",
    needs: "ID tokens without claims that it does not know",
    allowed: "ID tokens may contain other claims, and claims that are not understood must be ignored.",
    source: "OpenID Connect Core §2",
    fault: edit("id_token", (claims, _, { randomBytes }) => ({
      ...{ ...furtherClaims, ver: "2.0", idp: "example", nbf: claims.iat, jti: randomId(randomBytes) },
      ...claims,
    })),
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
      claimChange: withChange(server, (kind, issued, about) => {
        return kind === "id_token" ? { ...issued, azp: about.client.id } : issued;
      }),
    }),
  },
  {
    id: "auth-time-absent",
    needs: "auth_time in ID tokens, and does not ask for it",
    allowed: "auth_time is required if max_age was sent or auth_time requested as essential; otherwise it is optional.",
    source: "OpenID Connect Core §2",
    server() {
      const asking = new Set<string>();
      return (server) => withoutAuthTime(server, asking);
    },
  },
  // sid stays: metadata announces backchannel_logout_session_supported (Back-Channel Logout §2.1).
  {
    id: "at-hash-absent",
    needs: "at_hash in ID tokens",
    allowed: "at_hash is optional in an ID token of the token endpoint.",
    source: "OpenID Connect Core §3.1.3.6",
    fault: edit("id_token", (claims) => without(claims, "at_hash")),
  },
  {
    id: "numeric-date-fraction",
    needs: "exp and iat of ID tokens as whole numbers",
    allowed: "A NumericDate may be a number that is not whole.",
    source: "RFC 7519 §2",
    // iat is neither in the future nor before the login.
    fault: edit("id_token", ({ exp, iat, auth_time, ...claims }) => ({
      ...claims,
      exp: Number(exp) + 0.5,
      iat: Math.max(Number(iat) - 0.5, Number(auth_time ?? 0)),
      auth_time,
    })),
  },
  {
    id: "access-token-unknown-claims",
    needs: "access tokens without claims that it does not know",
    allowed: "A server may return arbitrary claims that no specification defines, with names that do not collide.",
    source: "RFC 9068 §2.2.2",
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
