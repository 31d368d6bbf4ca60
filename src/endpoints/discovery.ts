/** The metadata documents (RFC 8414, OpenID Connect Discovery): read off what is really there. */

import { json } from "../http/responses.ts";
import { responseModes, responseTypes } from "../oauth/authorize/authorization_request.ts";
import { releasableClaims } from "../oauth/claims.ts";
import type { User } from "../oauth/clients/client.ts";
import { assertionAlgorithms } from "../oauth/clients/auth/assertion.ts";
import { clientAuthMethods } from "../oauth/clients/auth/mod.ts";
import { signingAlgorithms } from "../oauth/keys/signing_algorithm.ts";
import { promptValues } from "../oauth/authorize/openid.ts";
import { challengeMethods } from "../oauth/authorize/pkce.ts";
import type { Server } from "../oauth/server.ts";
import { subjectTypes } from "../oauth/users/subject.ts";
import { idTokenClaims } from "../oauth/tokens/id_token.ts";
import { jsonError } from "../app/error_response.ts";
import type { App, Endpoint } from "../app/endpoint.ts";
import { routeUrl } from "../app/endpoint.ts";

/** Where the document is found: both well-known names before the issuer's path, and OpenID's after it as well. */
export function wellKnownPaths(base: string): string[] {
  return [
    ...new Set([
      `/.well-known/oauth-authorization-server${base}`,
      `/.well-known/openid-configuration${base}`,
      `${base}/.well-known/openid-configuration`,
    ]),
  ];
}

/** One endpoint per place; `endpoints` are the ones the document names. */
export function discoveryEndpoints(app: App, endpoints: readonly Endpoint[]): Endpoint[] {
  const { site } = app;
  let cached: { readonly users: readonly User[]; readonly claims: readonly string[] } | undefined;
  /** Computed once for each list of users, because the list may be long. */
  const supportedClaims = ({ claims, scopes, users }: Server): readonly string[] => {
    const currentUsers = users.all();
    if (cached?.users !== currentUsers) {
      cached = { users: currentUsers, claims: [...releasableClaims(claims, scopes, currentUsers)] };
    }
    return cached.claims;
  };
  return wellKnownPaths(site.base).map((path): Endpoint => ({
    path,
    cors: true,
    GET(request) {
      const { server } = app.contextFor(request);
      const document = withoutEmpty(metadata(server, site.base, endpoints, supportedClaims(server)));
      return json(200, document, { "cache-control": "public, max-age=60" });
    },
    reject: (error, target, request) => jsonError(app.contextFor(request).server, target, error),
  }));
}

/** An empty list says less than none (RFC 8414 §3.2). */
function withoutEmpty(document: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(document).filter(([, value]) => !Array.isArray(value) || value.length > 0));
}

function metadata(
  server: Server,
  base: string,
  endpoints: readonly Endpoint[],
  claims: readonly string[],
): Record<string, unknown> {
  const urls = endpoints.flatMap(({ name, path }) =>
    name === undefined ? [] : [[name, routeUrl(server.issuer, base, path)]]
  );
  const methods = clientAuthMethods.map((authMethod) => authMethod.method);
  return {
    issuer: server.issuer,
    ...Object.fromEntries(urls),
    scopes_supported: server.scopes,
    response_types_supported: responseTypes,
    response_modes_supported: responseModes,
    grant_types_supported: server.grantTypes.map((grant) => grant.type),
    token_endpoint_auth_methods_supported: methods,
    revocation_endpoint_auth_methods_supported: methods,
    introspection_endpoint_auth_methods_supported: methods.filter((method) => method !== "none"),
    token_endpoint_auth_signing_alg_values_supported: assertionAlgorithms,
    revocation_endpoint_auth_signing_alg_values_supported: assertionAlgorithms,
    introspection_endpoint_auth_signing_alg_values_supported: assertionAlgorithms,
    code_challenge_methods_supported: challengeMethods,
    authorization_response_iss_parameter_supported: true,
    subject_types_supported: subjectTypes,
    id_token_signing_alg_values_supported: signingAlgorithms,
    userinfo_signing_alg_values_supported: signingAlgorithms,
    claims_supported: [...idTokenClaims, ...claims],
    claims_parameter_supported: true,
    prompt_values_supported: promptValues,
    request_parameter_supported: false,
    request_uri_parameter_supported: false,
  };
}
