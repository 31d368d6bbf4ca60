/** GET and POST /oauth2/userinfo (OpenID Connect Core §5.3). */

import type { HttpResponse } from "../http/message.ts";
import { json } from "../http/responses.ts";
import { requireAccessToken } from "../oauth/tokens/bearer.ts";
import { claimsForScope, mayBeRequested, withRequestedClaims } from "../oauth/claims.ts";
import { byProfile } from "../oauth/config/profiles.ts";
import { OAuthError } from "../oauth/errors.ts";
import { registeredScope } from "../oauth/grants/narrow_to_registered.ts";
import type { Context } from "../app/context.ts";
import { readParams } from "../app/read_params.ts";
import type { Handlers } from "../app/route.ts";

const formMediaType = /^application\/x-www-form-urlencoded/i;

/** The handlers of the userinfo endpoint. They return the claims that the scope and the `claims` parameter release. */
export const userinfo: Handlers = { GET: showClaims, POST: showClaims };

async function showClaims(context: Context): Promise<HttpResponse> {
  const { server, request } = context;
  const token = await requireAccessToken(
    server,
    request.headers.get("authorization"),
    await tokenFromBody(context),
    "openid",
  );
  const { claims } = token;
  const user = token.user === undefined ? undefined : await server.users.find(token.user);
  const client = (await server.clients.findHolder(claims.client_id))!;
  if (user === undefined) {
    throw new OAuthError("insufficient_scope", "the access token has no user", {
      rule: "CC-03",
      expected: "openid",
      received: "a token without a user",
    });
  }
  // A scope value that the client has lost since releases no claims, even if the access token contains it.
  const scope = registeredScope(client, claims.scope.split(" "));
  const { userinfo_claims: requestedNames = [], userinfo_values: values } = claims;
  const names = requestedNames.filter((name) => mayBeRequested(server.claims, name, client.scope));
  const releasedClaims = withRequestedClaims(user, claimsForScope(server.claims, user, scope), names, values);
  const alg = client.userinfoAlg;
  const response = { ...releasedClaims, sub: claims.sub, ...alg && { iss: server.issuer, aud: client.id } };
  const info = server.overrideClaims?.("userinfo", response, {
    client,
    user,
    grant: { id: claims.jti.slice(0, claims.jti.indexOf(".")), scope, resources: [claims.aud].flat() },
  }) ?? response;
  if (alg === undefined) return json(200, info);
  const jwt = await server.sign("userinfo", alg, info);
  return {
    status: 200,
    headers: {
      "content-type": "application/jwt",
      "cache-control": "no-store",
      "x-content-type-options": "nosniff",
    },
    body: jwt,
  };
}

/** The token in a form (RFC 6750 §2.2); `undefined` for other requests. */
async function tokenFromBody(context: Context): Promise<string | undefined> {
  const { request } = context;
  if (request.method !== "POST" || !formMediaType.test(request.headers.get("content-type") ?? "")) return undefined;
  const params = await readParams(context);
  params.rejectRepeated("BR-01");
  const token = params.get("access_token");
  if (token === undefined || context.server.accessTokenInForm) return token;
  const profile = byProfile(context.server.profile, "accessTokenInForm");
  throw new OAuthError("invalid_request", `the access token was sent in the form${profile}`, {
    rule: "BR-01",
    reason: `this server accepts no access token in a form${profile}`,
    expected: "Authorization: Bearer TOKEN",
    received: "access_token in the form",
  });
}
