/** The metadata documents (RFC 8414, OpenID Connect Discovery), generated from the endpoint descriptions. */

import { json } from "../http/responses.ts";
import { responseTypes } from "../oauth/authorize/authorization_request.ts";
import { responseModes } from "../oauth/authorize/destination.ts";
import { releasableClaims } from "../oauth/claims.ts";
import type { User } from "../oauth/clients/client.ts";
import { assertionAlgorithms } from "../oauth/clients/auth/assertion.ts";
import { clientAuthMethods } from "../oauth/clients/auth/mod.ts";
import { signingAlgorithms } from "../oauth/keys/signing_algorithm.ts";
import { promptValues } from "../oauth/authorize/openid.ts";
import { challengeMethods } from "../oauth/authorize/pkce.ts";
import type { MetadataForm } from "../oauth/config/settings.ts";
import type { Server } from "../oauth/server.ts";
import { subjectTypes } from "../oauth/users/subject.ts";
import { idTokenClaims } from "../oauth/tokens/id_token.ts";
import type { Context } from "../app/context.ts";
import { routeUrl } from "../app/endpoint.ts";
import type { Handlers } from "../app/route.ts";

/**
 * The paths of the metadata: both well-known names before the issuer's path (RFC 8414 §3.1, §5) and after it (OpenID
 * Connect Discovery §4; some clients append RFC 8414's name too).
 */
export function wellKnownPaths(base: string, forms: readonly MetadataForm[]): string[] {
  return [...new Set(forms.map((form) => paths[form](base)))];
}

const paths: Readonly<Record<MetadataForm, (base: string) => string>> = {
  "oauth-inserted": (base) => `/.well-known/oauth-authorization-server${base}`,
  "openid-inserted": (base) => `/.well-known/openid-configuration${base}`,
  "openid-appended": (base) => `${base}/.well-known/openid-configuration`,
  "oauth-appended": (base) => `${base}/.well-known/oauth-authorization-server`,
};

/** The handlers of the metadata documents. */
export function discoveryHandlers(): Handlers {
  let cached: { readonly users: readonly User[]; readonly claims: readonly string[] } | undefined;
  /** Computed once per list of users, because the list may be long. */
  const supportedClaims = ({ claims, scopes, users }: Server): readonly string[] => {
    const currentUsers = users.allCached();
    if (cached?.users !== currentUsers) {
      cached = { users: currentUsers, claims: [...releasableClaims(claims, scopes, currentUsers)] };
    }
    return cached.claims;
  };
  return {
    GET: (context) => {
      const document = withoutEmpty(metadata(context, supportedClaims(context.server)));
      return json(200, document, { "cache-control": "public, max-age=60" });
    },
  };
}

/** Omits empty lists (RFC 8414 §3.2). */
function withoutEmpty(document: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(document).filter(([, value]) => !Array.isArray(value) || value.length > 0));
}

function metadata({ app, server, site }: Context, claims: readonly string[]): Record<string, unknown> {
  const urls = app.endpoints.flatMap(({ metadataName, path }) =>
    metadataName === undefined ? [] : [[metadataName, routeUrl(server.issuer, site.base, path)]]
  );
  const methods = clientAuthMethods.map(({ method }) => method).filter((name) =>
    server.clientAuthMethods.includes(name)
  );
  const algorithms = assertionAlgorithms(methods);
  return {
    issuer: server.issuer,
    ...Object.fromEntries(urls),
    scopes_supported: server.scopes,
    protected_resources: server.resources.hosted.map(({ identifier }) => identifier),
    response_types_supported: responseTypes,
    response_modes_supported: responseModes,
    grant_types_supported: server.grantTypes.map((grant) => grant.type),
    ...Object.assign({}, ...server.grantTypes.map((grant) => grant.metadata)),
    token_endpoint_auth_methods_supported: methods,
    revocation_endpoint_auth_methods_supported: methods,
    introspection_endpoint_auth_methods_supported: methods.filter((method) => method !== "none"),
    token_endpoint_auth_signing_alg_values_supported: algorithms,
    revocation_endpoint_auth_signing_alg_values_supported: algorithms,
    introspection_endpoint_auth_signing_alg_values_supported: algorithms,
    code_challenge_methods_supported: challengeMethods,
    authorization_response_iss_parameter_supported: true,
    subject_types_supported: subjectTypes,
    id_token_signing_alg_values_supported: signingAlgorithms,
    userinfo_signing_alg_values_supported: signingAlgorithms,
    claims_supported: [...idTokenClaims, ...claims],
    claims_parameter_supported: true,
    prompt_values_supported: promptValues,
    ...server.clients.acceptsDocuments && { client_id_metadata_document_supported: true },
    ...server.requirePushedRequests && { require_pushed_authorization_requests: true },
    request_parameter_supported: false,
    request_uri_parameter_supported: false,
  };
}
