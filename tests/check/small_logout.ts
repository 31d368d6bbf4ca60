/** The logout URIs of the small application (OpenID Connect Back-Channel Logout §2.6, Front-Channel Logout §2). */

import type { ClientBrowser, ClientJourney } from "../../src/check/mod.ts";
import { decodePart } from "./decode_part.ts";
import { applicationUris, type Login, type Protocol } from "./small_application.ts";
import type { Claims } from "./small_client.ts";

const logoutEvent = "http://schemas.openid.net/event/backchannel-logout";

/** Responds to a request of the server, or of a frame in the browser. */
export async function respondToLogout(
  journey: ClientJourney,
  request: Request,
  protocol: Protocol,
  logins: Map<ClientBrowser, Login>,
  seenTokens: Set<string>,
): Promise<Response> {
  const { origin, pathname, searchParams } = new URL(request.url);
  const isBackChannel = `${origin}${pathname}` === applicationUris.backChannelLogout;
  const { browser, issuer } = journey;
  if (!isBackChannel) {
    const login = logins.get(browser);
    const isOwn = protocol.isSameIssuer(searchParams.get("iss") ?? "", issuer, "logout") &&
      searchParams.get("sid") === login?.sid;
    if (isOwn || protocol.has("believes every logout token")) logins.delete(browser);
    return new Response("", { status: 200 });
  }
  const token = new URLSearchParams(await request.text()).get("logout_token") ?? "";
  try {
    const { sub, sid } = protocol.has("believes every logout token")
      ? decodePart(token, 1)
      : await verifyLogoutToken(journey, protocol, token, seenTokens);
    for (const [key, login] of logins) {
      const isMeant = protocol.has("believes every logout token") ||
        (sid === undefined || login.sid === sid) && (sub === undefined || login.sub === sub);
      if (login.issuer === issuer && isMeant) logins.delete(key);
    }
    return new Response("", { status: 200 });
  } catch (error) {
    return Response.json({ error: "invalid_request", error_description: String(error) }, { status: 400 });
  }
}

async function verifyLogoutToken(
  journey: ClientJourney,
  { discover, verifySignature, isSameIssuer, decisions }: Protocol,
  token: string,
  seenTokens: Set<string>,
): Promise<Claims> {
  const claims = await verifySignature(journey, await discover(journey), token, "logout+jwt");
  const { iss, aud, iat, exp, jti, events, nonce, sub, sid } = claims;
  const now = journey.now() / 1000;
  const event = (events as Claims | undefined)?.[logoutEvent];
  const isEvent = typeof event === "object" && event !== null && !Array.isArray(event);
  const isOwn = isSameIssuer(String(iss), journey.issuer, "logout") &&
    decisions.isAudience(aud, journey.client.client_id, "logout");
  if (!isOwn) throw new Error("not for this client");
  if (typeof iat !== "number" || typeof exp !== "number" || exp <= now || iat < now - 600) throw new Error("expired");
  if (typeof jti !== "string" || seenTokens.has(jti)) throw new Error("no new jti");
  if (!isEvent) throw new Error("no logout event");
  if (nonce !== undefined) throw new Error("a logout token has no nonce");
  if (sub === undefined && sid === undefined) throw new Error("no sub and no sid");
  seenTokens.add(jti);
  return claims;
}
