/** What differs from the standards at Amazon Cognito. */

import { emptyHeadResponse } from "../../core/http/message.ts";
import { endpointPath } from "../../core/http/endpoint.ts";
import { newGuid } from "./shared/derived_values.ts";
import { asText, defined, omit, withChangedBody } from "./shared/members.ts";
import { grantOwnScope } from "./shared/own_scope.ts";
import type { Provider } from "./shared/provider.ts";
import { cognitoLogOut } from "./cognito_logout.ts";

const logoutPath = "/logout/session";

export function cognitoProvider(): Provider {
  return {
    path(path, app) {
      // social-core social_core/backends/cognito.py: /login has the parameters of the authorization endpoint.
      if (path === "/login") return endpointPath(app, "authorize");
      return app.findEndpoint(path)?.name === "logout" ? logoutPath : path;
    },
    routes: () => [{
      ...{ name: "cognito_logout", path: logoutPath, methods: ["GET", "HEAD"], caller: "browser", title: "Logout" },
      ...{ doneLabel: "logged out", errors: "page", role: "step" },
      // A HEAD request must not end the session.
      load: () => Promise.resolve({ GET: cognitoLogOut, HEAD: () => emptyHeadResponse }),
    }],
    // doc_source/token-endpoint.md: all scope values that are associated with the client.
    extend: (server) => ({ ...server, grantTypes: server.grantTypes.map(grantOwnScope) }),
    claims(claims, { kind, server, user, grant: { scope } }) {
      const username = claims.preferred_username ?? user?.preferred_username ?? claims.sub;
      const groups = claims.groups ?? user?.groups;
      // doc_source/amazon-cognito-user-pools-using-the-id-token.md
      if (kind === "id_token") {
        return {
          ...omit(claims, "sid"),
          ...{ token_use: "id", origin_jti: newGuid(server), jti: newGuid(server), "cognito:username": username },
          ...defined({ "cognito:groups": groups }),
        };
      }
      // doc_source/amazon-cognito-user-pools-using-the-access-token.md
      if (kind === "access_token") {
        return {
          ...omit(claims, "aud", "sid"),
          ...{ token_use: "access", version: 2, ...user && { username, origin_jti: newGuid(server) } },
          ...defined({ "cognito:groups": groups }),
        };
      }
      if (kind !== "userinfo") return claims;
      // coreos/go-oidc issue 249, pomerium/pomerium issue 792
      const texts = [
        ...scope.includes("email") ? ["email_verified"] : [],
        ...scope.includes("phone") ? ["phone_number_verified"] : [],
      ].flatMap((name) => {
        const value = claims[name] ?? user?.[name];
        return value === undefined || value === null ? [] : [[name, asText(value)]];
      });
      return { ...claims, username, ...Object.fromEntries(texts) };
    },
    response: (response, { endpoint }) =>
      endpoint === "token_endpoint" ? withChangedBody(response, (body) => omit(body, "scope")) : response,
    // doc_source/token-endpoint.md: the error alone.
    error(response, { endpoint, rejection, request }) {
      // https://smithy.io/2.0/aws/protocols/aws-json-1_1-protocol.html#operation-error-serialization
      if (request.headers.get("x-amz-target") !== null) {
        const __type = "UnknownOperationException";
        return withChangedBody({ ...response, status: 400 }, ({ error_description: message }) => ({ __type, message }));
      }
      if (endpoint === "userinfo_endpoint") return withChangedBody(response, (body) => omit(body, "error_uri"));
      if (endpoint !== "token_endpoint") return response;
      const alone = withChangedBody(response, (body) => omit(body, "error_description", "error_uri"));
      return rejection?.error === "invalid_client" ? { ...alone, status: 400 } : alone;
    },
    callback: (parameters) =>
      parameters.error === undefined ? parameters : omit(parameters, "error_description", "error_uri"),
  };
}
