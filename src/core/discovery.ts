/** The metadata documents (RFC 8414, OpenID Connect Discovery), generated from the endpoint descriptions. */

import { publicUrl } from "./http/endpoint.ts";
import { json } from "./http/message.ts";
import { releasableClaims } from "./clients/claims.ts";
import { acceptedSigningAlgorithms } from "./keys/signing_algorithm.ts";
import { immediate } from "./immediate.ts";
import { promptValues } from "./http/params.ts";
import type { Server } from "./server.ts";
import { idTokenClaimNames } from "./token/tokens/mod.ts";
import type { Context } from "./http/context.ts";
import type { CoreExtension } from "./extension.ts";
import type { Handlers } from "./route.ts";

/**
 * The handlers of the metadata documents.
 *
 * @param extensions The extensions, which add members.
 */
export function discoveryHandlers(extensions: readonly Pick<CoreExtension, "metadata" | "name">[]): Handlers {
  let cached: { readonly from: readonly unknown[]; readonly names: readonly string[] } | undefined;
  /** Computed again only when its sources have changed, because there may be many users. */
  const supportedClaims = ({ claims, policy: { scopes }, users }: Server): readonly string[] => {
    const from = [users.known(), claims, scopes];
    if (cached === undefined || cached.from.some((source, i) => source !== from[i])) {
      cached = { from, names: [...releasableClaims(claims, scopes, [...users.known().values()])] };
    }
    return cached.names;
  };
  return {
    GET: (context) => {
      const { server } = context;
      const document = metadata(context, supportedClaims(server));
      for (const { name, metadata } of extensions) {
        const added = metadata?.(server, context.app.endpoints, document);
        Object.assign(document, immediate(`metadata of the extension ${name}`, added));
      }
      return json(200, withoutEmpty(document), { "cache-control": "public, max-age=60" });
    },
  };
}

/** Omits empty lists (RFC 8414 §3.2). */
function withoutEmpty(document: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(document).filter(([, value]) => !Array.isArray(value) || value.length > 0));
}

function metadata({ app, server }: Context, claims: readonly string[]): Record<string, unknown> {
  const urls = app.endpoints.flatMap((endpoint) =>
    endpoint.metadataName === undefined ? [] : [[endpoint.metadataName, publicUrl(server, endpoint)]]
  );
  const methods = server.clientAuthentication.map(({ method }) => method).filter((name) =>
    server.policy.clientAuthMethods.includes(name)
  );
  return {
    issuer: server.issuer,
    ...Object.fromEntries(urls),
    scopes_supported: server.policy.scopes,
    response_types_supported: server.policy.responseTypes,
    response_modes_supported: server.policy.responseModes,
    grant_types_supported: server.grantTypes.map((grant) => grant.type),
    ...Object.assign({}, ...server.grantTypes.map((grant) => grant.metadata)),
    token_endpoint_auth_methods_supported: methods,
    revocation_endpoint_auth_methods_supported: methods,
    introspection_endpoint_auth_methods_supported: methods.filter((method) => method !== "none"),
    code_challenge_methods_supported: ["S256"],
    authorization_response_iss_parameter_supported: true,
    subject_types_supported: ["public"],
    id_token_signing_alg_values_supported: acceptedSigningAlgorithms(server.policy),
    claims_supported: [...idTokenClaimNames, ...claims],
    prompt_values_supported: promptValues,
    // The default is true (OpenID Connect Discovery §3).
    request_uri_parameter_supported: false,
  };
}
