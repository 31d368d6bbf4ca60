/** Authorization responses with an ID token. Loaded with the first request for one. */

import { detailsName, hasAuthorizationDetails } from "../../token/authorization_details.ts";
import type { AuthorizationRequest, PendingAuthorization } from "../../../core/authorize/authorization_request.ts";
import { issueCode } from "../../../core/authorize/code.ts";
import { randomId } from "../../../core/keys/secrets.ts";
import type { Grant } from "../../../core/store/store.ts";
import type { AuthenticatedRequest, Authorization } from "../../../core/token/grants/authenticated_request.ts";
import { tokenHash } from "../../../core/keys/jwt.ts";
import { warn } from "../../trace.ts";
import { paramsFromFields, type ResponseFields } from "../../../core/http/params.ts";
import type { CheckInput, Server } from "../../../core/server.ts";
import { issueTokens, signIdToken } from "../../../core/token/tokens/mod.ts";
import { namedClaims } from "../../token/requested_claims.ts";
import { hasCode } from "../../config/client_metadata.ts";
import { isPublicUri } from "../../config/host_kinds.ts";
import { reject as rejectByCore } from "../../../core/rules/reject.ts";
import { reject } from "./rules.ts";
import { resourcesOf } from "../../token/resources.ts";

/** Maximum length of an ID token in a URL, in characters. */
const maxLengthInUrl = 8192;

/** Verifies what an ID token in the response demands of a request. */
export function assertRequest(from: CheckInput, request: Partial<AuthorizationRequest>): void {
  const { scope = [], nonce } = request;
  const responseType = request.responseType!;
  if (!scope.includes("openid")) throw reject("HY-02", { responseType, scope });
  if (nonce === undefined) throw reject("HY-03", { responseType });
  warnLocalUri(from);
  if (hasCode(responseType)) return;
  const unusable = resourcesOf(request).length > 0
    ? "resource"
    : hasAuthorizationDetails(request)
    ? detailsName
    : (namedClaims.of(request)?.userinfo ?? []).length > 0
    ? "claims for userinfo"
    : undefined;
  if (unusable !== undefined) throw reject("HY-13", { responseType, unusable });
}

/** Warns about a redirect URI of a web client that only a server on a test host accepts. */
function warnLocalUri({ server, client, params }: CheckInput): void {
  const uri = params.get("redirect_uri") ?? client.redirectUris[0] ?? "";
  if (client.metadata.application_type === "native" || isPublicUri(uri)) return;
  warn(server, client.id, {
    reason: "the ID token is sent to a redirect URI that a web client may have only at a server on a test host",
    expected: 'an https URI that is not on localhost, or application_type: "native" (OpenID Connect Registration §2)',
    received: uri,
    fix: "Use https and a host name, also during development, or response_type=code.",
  });
}

/**
 * Issues an authorization response with an ID token. Without a code, the token has the claims that userinfo would
 * return.
 */
export async function issueIdTokenResponse(
  server: Server,
  pending: PendingAuthorization,
  grant: Grant,
): Promise<ResponseFields> {
  const { request: { responseType, nonce }, destination: { mode, state }, client } = pending;
  const grantId = randomId(server.randomBytes);
  const code = hasCode(responseType) ? await issueCode(server, pending, grant, grantId) : undefined;
  const { subject, scope, extensions } = grant;
  const authorization = { client, scope, grantId, subject, nonce, grant, extensions };
  if (!scope.includes("openid")) throw rejectByCore("AZ-18", { granted: scope });
  const hash = (text: string) => tokenHash(client.idTokenAlg, text);
  const hashes = {
    ...code !== undefined && { c_hash: await hash(code) },
    // FAPI 1.0 Advanced §5.2.2.1.
    ...state !== undefined && { s_hash: await hash(state) },
  };
  const content = code === undefined ? "like-userinfo" : server.claims.idToken;
  const { id_token = "" } = await issueTokens(server, notRequested(authorization), {
    ...authorization,
    // Neither an access token nor a refresh token is issued.
    refresh: {},
    issue: async (now) => ({
      id_token: await signIdToken(server, authorization, now, hashes, content),
    }),
  });
  if (id_token.length > maxLengthInUrl && server.responseModes.get(mode)?.carrier === "fragment") {
    throw reject("HY-15", { length: id_token.length, max: maxLengthInUrl });
  }
  return [...code === undefined ? [] : [["code", code] as const], ["id_token", id_token]];
}

/** Stands for the token request, which a token of an authorization response does not have. */
function notRequested({ client }: Authorization): AuthenticatedRequest {
  return {
    client,
    params: paramsFromFields([["grant_type", "implicit"]]),
    method: "GET",
    url: "",
    connection: {},
    header: () => null,
  };
}
