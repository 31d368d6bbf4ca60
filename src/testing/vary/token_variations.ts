/** Variations of token responses, and of the values of codes and tokens. */

import { metadataOf } from "../../server/config/client_metadata.ts";
import { mustAuthenticate } from "../../server/config/client_metadata.ts";
import { splitScope } from "../../core/http/params.ts";
import { randomToken } from "../../core/keys/secrets.ts";
import type { GrantType, Server } from "../../core/server.ts";
import { encodeBase64url } from "../../core/keys/crypto.ts";
import { confirmationOf } from "../../server/extensions/bound_tokens/mod.ts";
import type { HostedServer } from "../../server/hosted_server.ts";
import type { FaultContext } from "../faults/fault.ts";
import { withOpaqueToken } from "../fixed_values.ts";
import { withPolicy } from "../with_policy.ts";
import type { Roll } from "./roll.ts";
import { editTokens, isDecided, type Variation } from "./variation.ts";
import { resourcesOf } from "../../server/token/resources.ts";

/** Letters of a text in the case that the draws choose. */
function otherCase(text: string, roll: Roll): string {
  return text.replace(/[a-z]/gi, (letter) => roll.whole(2) === 0 ? letter.toLowerCase() : letter.toUpperCase());
}

/** A value that is longer than usual. Its random part is at least that of other tokens. */
function longToken({ randomBytes }: Server, roll: Roll): string {
  return encodeBase64url(randomBytes(32 + roll.whole(1000)));
}

/** Characters that a code and a refresh token may have, and that a form must encode (RFC 6749 Appendix A.11, A.17). */
const encodedCharacters = "+/=&%?#~:;,@!'()*$ [].";

/** The functions that make varied values: a server has one of them. */
const varied = new WeakSet<Server["newToken"]>();

/** A variation of the value of a code or token that the server stores. */
function otherValue(
  kind: "code" | "refresh_token",
  endpoints: readonly string[],
  create: (server: Server, roll: Roll) => string,
): Variation["fault"] {
  return (rollOf) => ({
    name: "other value",
    endpoints,
    waitsFor: `issued a ${kind}`,
    followsLogin: kind === "code",
    extend(server, context) {
      if (varied.has(server.newToken)) return server;
      // A successor has a value, and is not varied.
      const newToken: Server["newToken"] = (current, issued, value) =>
        issued === kind && value === undefined && context.consume()
          ? create(server, rollOf(context))
          : server.newToken(current, issued, value);
      varied.add(newToken);
      return { ...server, newToken };
    },
  });
}

const authorizationEndpoints = ["authorize", "login", "consent"];

/** Whether access tokens are for this server alone, so that no API agreed on their format with it. */
function hasNoApi({ policy, audience, issuer }: HostedServer): boolean {
  return policy.resources === undefined && audience === issuer && policy.accessTokenClaims.length === 0;
}

/** Rotates the refresh tokens of confidential clients, and those bound to a key, which the server otherwise renews. */
function withRotation(grant: GrantType, context: FaultContext): GrantType {
  if (grant.type !== "refresh_token") return grant;
  return {
    ...grant,
    async authorize(server: HostedServer, request) {
      const { refresh } = server.policy;
      const mayRenew = mustAuthenticate(request.client)
        ? !refresh.rotateConfidential
        : confirmationOf(request) !== undefined && !refresh.rotateBound;
      if (!mayRenew || !context.consume()) {
        return await grant.authorize(server, request);
      }
      return await grant.authorize(
        withPolicy(server, { refresh: { ...refresh, rotateConfidential: true, rotateBound: true } }),
        request,
      );
    },
  };
}

export const tokenVariations: readonly Variation[] = [
  {
    id: "token-type-case",
    needs: "token_type in one letter case",
    allowed: "The value of token_type is case insensitive.",
    source: "RFC 6749 §5.1",
    fault: (rollOf) =>
      editTokens("issued tokens", ({ issued: { token_type } }, context) => ({
        token_type: otherCase(token_type!, rollOf(context)),
      })),
  },
  {
    id: "expires-in-absent",
    needs: "expires_in in token responses",
    allowed: "expires_in is recommended, not required; a server may document the lifetime elsewhere.",
    source: "RFC 6749 §5.1",
    fault: () => editTokens("issued tokens", () => ({ expires_in: undefined })),
  },
  {
    id: "scope-order",
    needs: "the scope values of token responses in the order of the request",
    allowed: "The order of scope values does not matter.",
    source: "RFC 6749 §3.3",
    fault: (rollOf) =>
      editTokens("granted two scope values", ({ issued: { scope = "" } }, context) => {
        const values = splitScope(scope);
        return values.length < 2 ? undefined : { scope: rollOf(context).shuffle(values).join(" ") };
      }),
  },
  {
    id: "refresh-scope-absent",
    needs: "scope in responses to refreshes",
    allowed:
      "scope is optional if the granted scope is what was requested; a refresh without scope requests all of it.",
    source: "RFC 6749 §5.1, §6",
    fault: () =>
      editTokens(
        "refreshed tokens without asking for less",
        ({ request: { parameters } }) =>
          parameters.get("grant_type") === "refresh_token" && parameters.get("scope") === undefined
            ? { scope: undefined }
            : undefined,
      ),
  },
  {
    id: "refresh-token-absent",
    needs: "a refresh token without offline_access",
    allowed: "Issuing a refresh token is at the discretion of the server.",
    source: "RFC 6749 §1.5",
    fault: () =>
      editTokens(
        "issued a first refresh token without offline_access",
        ({ issued: { refresh_token }, authorization: { scope }, request: { parameters } }) =>
          refresh_token !== undefined && parameters.get("grant_type") !== "refresh_token" &&
            !scope.includes("offline_access")
            ? { refresh_token: undefined }
            : undefined,
      ),
  },
  {
    id: "refresh-token-kept",
    needs: "the refresh token in every response to a refresh",
    allowed: "A server may issue a new refresh token; without one in the response the old one stays valid.",
    source: "RFC 6749 §6",
    fault: () =>
      editTokens(
        "refreshed tokens without rotation",
        ({ issued: { refresh_token }, request: { parameters } }) =>
          refresh_token !== undefined && refresh_token === parameters.get("refresh_token")
            ? { refresh_token: undefined }
            : undefined,
      ),
  },
  {
    id: "refresh-token-rotated",
    needs: "one refresh token for all refreshes, of a confidential client or with DPoP",
    allowed: "A server may issue a new refresh token, and the client must then discard the old one.",
    source: "RFC 6749 §6",
    isLegal: (server) => !isDecided(server, "refresh.rotateConfidential"),
    fault: () => ({
      name: "rotation",
      endpoints: ["token"],
      waitsFor: "refreshed the tokens of a confidential client, or with DPoP",
      extend: (server, context) => ({
        ...server,
        grantTypes: server.grantTypes.map((grant) => withRotation(grant, context)),
      }),
    }),
  },
  {
    id: "refresh-id-token-absent",
    needs: "an ID token in responses to refreshes",
    allowed: "The response to a refresh might not contain an ID token.",
    source: "OpenID Connect Core §12.2",
    fault: () =>
      editTokens(
        "refreshed an ID token",
        ({ issued: { id_token }, request: { parameters } }) =>
          id_token !== undefined && parameters.get("grant_type") === "refresh_token"
            ? { id_token: undefined }
            : undefined,
      ),
  },
  {
    id: "access-token-opaque",
    needs: "access tokens that are JWTs",
    allowed: "An access token is usually opaque to the client, and may have any format.",
    source: "RFC 6749 §1.4",
    isLegal: hasNoApi,
    fault: (rollOf) => ({
      name: "opaque access token",
      endpoints: ["token"],
      waitsFor: "issued an access token for the server itself",
      extend: (server, context) => ({
        ...server,
        tokenIssuers: withOpaqueToken(server, (inner, authorization) => {
          const mayVary = metadataOf(authorization.client).access_token_format === undefined &&
            resourcesOf(authorization).length === 0;
          return mayVary && context.consume() ? () => opaqueToken(inner, rollOf(context)) : undefined;
        }),
      }),
    }),
  },
  {
    id: "code-length",
    needs: "short codes",
    allowed: "The size of a code is left undefined, and a client should not make assumptions about it.",
    source: "RFC 6749 §4.1.2",
    fault: otherValue("code", authorizationEndpoints, longToken),
  },
  {
    id: "code-characters",
    needs: "codes that are the same when they are form-encoded",
    allowed: "A code may have every visible ASCII character and the space.",
    source: "RFC 6749 Appendix A.11",
    fault: otherValue(
      "code",
      authorizationEndpoints,
      (server, roll) => randomToken(server.randomBytes) + roll.shuffle([...encodedCharacters]).join("") + "z",
    ),
  },
  {
    id: "refresh-token-length",
    needs: "short refresh tokens",
    allowed: "The sizes of tokens are left undefined, and a client should not make assumptions about them.",
    source: "RFC 6749 §5.1",
    fault: otherValue("refresh_token", ["token"], longToken),
  },
  {
    id: "refresh-token-characters",
    needs: "refresh tokens that are the same when they are form-encoded",
    allowed: "A refresh token may have every visible ASCII character and the space.",
    source: "RFC 6749 Appendix A.17",
    fault: otherValue(
      "refresh_token",
      ["token"],
      (server, roll) => randomToken(server.randomBytes) + roll.shuffle([...encodedCharacters]).join("") + "z",
    ),
  },
];

/** An opaque token with each character that a Bearer header may carry (RFC 6750 §2.1). A dot would make it a JWT. */
function opaqueToken(server: Server, roll: Roll): string {
  return roll.shuffle([..."-_~+/"]).join("") + longToken(server, roll) + "=".repeat(roll.whole(3));
}
