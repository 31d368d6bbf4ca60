/** The logout URIs of the small application (OpenID Connect Back-Channel Logout §2.6, Front-Channel Logout §2). */

import type { ClientBrowser, ClientJourney } from "../../src/check/mod.ts";
import { decodePart } from "./decode_part.ts";
import type { Login } from "./decisions.ts";
import { applicationUris, type Protocol } from "./small_application.ts";
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
    const [iss, sid] = [searchParams.get("iss"), searchParams.get("sid")];
    const expected = protocol.isSameIssuer(iss ?? "", issuer, "logout") ? iss ?? "" : issuer;
    const isOwn = protocol.decisions.isFrontChannelMeant(login, iss, sid, expected);
    if (isOwn || protocol.has("believes every logout token")) logins.delete(browser);
    return new Response("", { status: 200 });
  }
  const token = new URLSearchParams(await request.text()).get("logout_token") ?? "";
  try {
    const claims = protocol.has("believes every logout token")
      ? decodePart(token, 1)
      : await verifyLogoutToken(journey, protocol, token, seenTokens);
    const isMeant = (login: Login) =>
      protocol.has("believes every logout token")
        ? login.issuer === issuer
        : protocol.decisions.isMeant(login, claims, issuer);
    const meant = [...logins].filter(([, login]) => isMeant(login)).map(([key]) => key);
    for (const key of protocol.decisions.ended(meant)) logins.delete(key);
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
