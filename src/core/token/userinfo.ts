/** GET and POST /oauth2/userinfo (OpenID Connect Core §5.3). */

import { type HttpResponse, withHeaders } from "../http/message.ts";
import type { AccessToken } from "./tokens/access_token.ts";
import { requireAccessToken, resourceRequest } from "./tokens/read_access_token.ts";
import { hasTokenInQuery, type OtherPlace } from "./tokens/sent_token.ts";
import { policyOf } from "../clients/clients.ts";
import { splitScope } from "../http/params.ts";
import { reject } from "../rules/reject.ts";
import { registeredScope } from "./grants/narrow_grant.ts";
import type { Server } from "../server.ts";
import { type Context, readParams } from "../http/context.ts";
import type { Handlers } from "../route.ts";

const formMediaType = /^application\/x-www-form-urlencoded/i;

/** Returns the claims that the scope releases, and those that an extension adds. */
export const userinfo: Handlers = { GET: respond, POST: respond };

async function respond(context: Context): Promise<HttpResponse | Response> {
  const { server } = context;
  const other = await findOtherPlace(context);
  const token = await requireAccessToken(server, resourceRequest(context), other, ...requiredScope(server));
  const response = await showClaims(server, token, other?.name === "form");
  return token.headers === undefined ? response : withHeaders(response, token.headers);
}

/**
 * `openid` (OpenID Connect Core §5.3). A server without that scope value speaks plain OAuth: any token of a user gets
 * what its scope releases.
 */
function requiredScope({ policy: { scopes } }: Server): readonly string[] {
  return scopes.includes("openid") ? ["openid"] : [];
}

async function showClaims(server: Server, token: AccessToken, isInForm: boolean): Promise<HttpResponse> {
  const { claims } = token;
  const user = token.user === undefined ? undefined : await server.users.find(token.user);
  const client = (await server.clients.findHolder(claims.client_id))!;
  server.observe(server, client.id, "userinfo", { clientId: client.id });
  if (isInForm) assertFormAllowed(policyOf(server, client));
  if (user === undefined) throw reject("CC-03", undefined, { scope: requiredScope(server)[0] });
  // A scope value that the client has lost since the token was issued releases no claims.
  const scope = registeredScope(client, splitScope(claims.scope ?? ""));
  const releasedClaims = await server.grants.userinfoClaims(server, token, client, user, scope);
  return await server.responses.userinfo(server, { ...releasedClaims, sub: claims.sub }, {
    token,
    client,
    user,
    scope,
  });
}

/** The place of a token besides the header. One in the query beside the header is ignored. */
async function findOtherPlace(context: Context): Promise<OtherPlace | undefined> {
  const token = await tokenFromBody(context);
  if (token !== undefined) return { name: "form", token };
  const { url, headers } = context.request;
  return headers.get("authorization") === null && hasTokenInQuery(url) ? { name: "query" } : undefined;
}

/** The token in a form (RFC 6750 §2.2); `undefined` for other requests. */
async function tokenFromBody(context: Context): Promise<string | undefined> {
  const { request } = context;
  if (request.method !== "POST" || !formMediaType.test(request.headers.get("content-type") ?? "")) return undefined;
  const params = await readParams(context);
  params.rejectRepeated((facts) => reject("BR-01", facts));
  const token = params.get("access_token");
  if (token !== undefined) assertFormAllowed(context.server.policy);
  return token;
}

function assertFormAllowed(policy: Server["policy"]): void {
  if (!policy.accessTokenInForm) throw reject("BR-01", { policy });
}
