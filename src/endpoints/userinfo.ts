/** GET and POST /oauth2/userinfo (OpenID Connect Core §5.3). */

import { readForm } from "../http/form.ts";
import type { Incoming, Reply } from "../http/message.ts";
import { json } from "../http/responses.ts";
import type { Target } from "../http/router.ts";
import { requireToken } from "../oauth/tokens/bearer.ts";
import { claimsOfScope, mayBeRequested, withRequestedClaims } from "../oauth/claims.ts";
import { OAuthError } from "../oauth/errors.ts";
import { registeredScope } from "../oauth/grants/registered.ts";
import { readParams } from "../oauth/params.ts";
import { asChallenge } from "../app/error_response.ts";
import type { Answers, Desk } from "../app/endpoint.ts";

const formType = /^application\/x-www-form-urlencoded/i;

/** The userinfo endpoint: claims about the person, as far as scope and request allow. */
export function userinfo(desk: Desk): Answers {
  async function answer(request: Incoming, target: Target): Promise<Reply> {
    const { server } = desk.during(request);
    try {
      const token = await requireToken(server, request.headers.get("authorization"), await inBody(request), "openid");
      const { claims } = token;
      const user = token.user === undefined ? undefined : server.users.find(token.user);
      const client = server.clients.find(claims.client_id)!;
      if (user === undefined) {
        throw new OAuthError("insufficient_scope", "the access token acts for no user", {
          rule: "CC-03",
          expected: "openid",
          received: "a client's own token",
        });
      }
      // Scope values that the client may no longer have release nothing, even if the access token contains them.
      const scope = registeredScope(client, claims.scope.split(" "));
      const { userinfo_claims: requested = [], userinfo_values: values } = claims;
      const names = requested.filter((name) => mayBeRequested(server.claims, name, client.scope));
      const released = withRequestedClaims(user, claimsOfScope(server.claims, user, scope), names, values);
      const alg = client.userinfoAlg;
      const response = { ...released, sub: claims.sub, ...alg && { iss: server.issuer, aud: client.id } };
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
    } catch (refusal) {
      return asChallenge(server, target, refusal);
    }
  }
  return {
    GET: answer,
    POST: answer,
    refuse: (fault, target, request) => asChallenge(desk.during(request).server, target, fault),
  };
}

/** The token in a form (RFC 6750 §2.2); a POST that is no form has it in the header. */
async function inBody(request: Incoming): Promise<string | undefined> {
  if (request.method !== "POST" || !formType.test(request.headers.get("content-type") ?? "")) return undefined;
  const params = readParams(await readForm(request));
  params.refuseRepeats("BR-01");
  return params.get("access_token");
}
