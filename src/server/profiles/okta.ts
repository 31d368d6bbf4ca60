/** What differs from the standards at Okta. */

import type { App } from "../app.ts";
import { isTextList } from "../../core/http/json_value.ts";
import type { Members, ProviderRequest, RequestFacts } from "../config/provider_functions.ts";
import type { Server } from "../../core/server.ts";
import { newGuid } from "./shared/derived_values.ts";
import { omit, withChangedBody } from "./shared/members.ts";
import type { Provider } from "./shared/provider.ts";
import { webMessage } from "./shared/web_message.ts";
import { clientEndpoint } from "../../core/token/client_endpoint.ts";
import { describeToken } from "../../core/token/introspect.ts";
import type { Handlers } from "../../core/route.ts";
import { warn } from "../trace.ts";
import { allowWidgets, approveBySessionToken, authnEndpoint, readSessionToken } from "./okta_authn.ts";

export function oktaProvider(): Provider {
  // okta-auth-js lib/oidc/util/browser.ts compares the member state of the message.
  const messages = webMessage("okta_post_message", (response) => response);
  let app: App;
  return {
    setup(assembled, changes) {
      messages.setup(assembled, changes);
      app = assembled;
    },
    handle: (next) => allowWidgets(messages.handle(next), () => app.server.clients),
    // https://developer.okta.com/docs/concepts/auth-servers/: the org server has its endpoints below /oauth2/v1.
    path: (path, { site }) => path.replace(/^\/oauth2\/v1\//, `${site.base}/v1/`),
    // okta/okta-auth-js test/support/tokens.js: cid, uid, scp and the login as sub.
    claims(claims, { kind, server, user }) {
      const { sub, client_id, scope } = claims;
      if (kind === "access_token") {
        return {
          ...omit(claims, "client_id", "scope", "sid"),
          ...{ ver: 1, cid: client_id, ...user && { uid: user.sub } },
          ...typeof scope === "string" && { scp: scope.split(" ") },
          sub: claims.preferred_username ?? user?.preferred_username ?? claims.email ?? user?.email ?? sub,
        };
      }
      if (kind === "userinfo") return { ...claims, sub: user?.sub ?? sub };
      if (kind !== "id_token") return claims;
      return { ...claims, ver: 1, jti: `ID.${newGuid(server)}`, idp: "00o1latchkey", amr: claims.amr ?? ["pwd"] };
    },
    originalClaims: ({ uid, cid, scp, ...claims }) => ({
      ...claims,
      sub: uid ?? claims.sub,
      client_id: cid ?? claims.client_id,
      scope: isTextList(scp) ? scp.join(" ") : scp ?? claims.scope,
    }),
    // https://developer.okta.com/docs/api/openapi/okta-oauth/oauth/tag/CustomAS/ (introspect): a client without a
    // secret sends its client_id alone. okta-auth-js lib/oidc/introspect.ts does so in a browser.
    routes: ({ endpoints }) => [{
      ...endpoints.find(({ name }) => name === "introspect")!,
      cors: true,
      load: () => Promise.resolve(oktaIntrospection),
    }, authnEndpoint()],
    extend: (server) => ({ ...server, requestChecks: [...server.requestChecks, readSessionToken] }),
    approve: approveBySessionToken,
    request: acceptBareId,
    error(response, { endpoint, server, rejection }) {
      // okta-auth-js test/support/xhr/error-userinfo-invalid-token.js: the challenge alone says what is wrong.
      if (endpoint === "userinfo_endpoint") return { ...response, body: "" };
      const isUnknown = rejection?.client === undefined || !server.clients.known().has(rejection.client);
      if (rejection?.error === "invalid_client" && isUnknown) {
        return { ...response, status: 401, body: unknownClient(server) };
      }
      if (endpoint !== "token_endpoint") return response;
      if (rejection?.error === "invalid_client") return { ...response, status: 401 };
      // okta/okta-auth-js lib/oidc/util/errors.ts
      return !["RT-02", "RT-04", "RT-07"].includes(rejection?.rule ?? "")
        ? response
        : withChangedBody(response, (body) => ({
          ...body,
          error_description: "The refresh token is invalid or expired.",
        }));
    },
  };
}

/** https://github.com/okta/okta-idx-java/issues/500 */
function unknownClient(server: Server): Members {
  return {
    errorCode: "invalid_client",
    errorSummary: "Invalid value for 'client_id' parameter.",
    errorLink: "invalid_client",
    errorId: `oae${newGuid(server).replaceAll("-", "")}`,
    errorCauses: [],
  };
}

/**
 * Adds a colon after the client_id in the header of HTTP Basic, if it lacks one: okta-auth-js lib/oidc/revokeToken.ts
 * sends `btoa(clientId)` for a client without a secret.
 */
function acceptBareId(request: ProviderRequest, { warn }: RequestFacts<Server>): ProviderRequest {
  const encoded = /^Basic +([\w+/=-]{1,1000})$/i.exec(request.authorization ?? "")?.[1];
  if (encoded === undefined) return request;
  let id: string;
  try {
    id = atob(encoded);
  } catch {
    return request;
  }
  if (id.includes(":")) return request;
  warn({
    reason: "Okta accepts HTTP Basic with a client_id and no colon; other servers do not",
    expected: "Basic, a space and BASE64(client_id:)",
    received: "Basic, a space and BASE64(client_id)",
    fix: "Send client_id in the body, which the provider accepts too.",
  });
  return { ...request, authorization: `Basic ${btoa(`${id}:`)}` };
}

/** A public client sees only its own tokens, and needs the token to see it. */
export const oktaIntrospection: Handlers = clientEndpoint(async (server, request) => {
  const { client } = request;
  const response = await server.responses.introspection(server, request, await describeToken(server, request));
  if (!client.confidential) {
    warn(server, client.id, {
      rule: "CA-07",
      reason: "Okta lets a client without a secret introspect its own tokens; other servers do not",
      expected: "a client that authenticates (RFC 7662 §2.1)",
      received: "a public client",
      fix: "Verify access tokens by their signature, or introspect them at your API, with a secret.",
    });
  }
  return response;
}, { isChallenged: true });
