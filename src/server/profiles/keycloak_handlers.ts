/**
 * The frames of keycloak-js and the document of a realm. Only pages on web origins of configured clients can load the
 * frames. keycloak/keycloak services/src/main/resources/org/keycloak/protocol/oidc/endpoints/
 */

import { type Context, readParams } from "../../core/http/context.ts";
import { endpointPath } from "../../core/http/endpoint.ts";
import { HttpError, json, redirect } from "../../core/http/message.ts";
import { algorithmsInUse } from "../../core/keys/jwks.ts";
import type { Handler } from "../../core/route.ts";
import type { Server } from "../../core/server.ts";
import { cookieName, cookieScope, readCookie, readSession, setCookie } from "../../core/sessions/cookies.ts";
import type { HostedServer } from "../hosted_server.ts";
import { isPermitted } from "../config/standing.ts";
import { framedPage } from "./shared/framed_page.ts";
import { publicKeyInfo } from "./shared/public_key.ts";
import type { Client } from "../../core/clients/clients.ts";

/** How long the test cookie lives, in seconds. */
const testCookieSeconds = 60;

/**
 * keycloak-js lib/keycloak.js sends `client_id session_state`, at first with an empty `session_state`. The frame of
 * Keycloak compares a cookie. This one asks the server each time, because scripts cannot read the session cookie.
 */
const watchLogin = `onmessage = async ({ data, source, origin }) => {
  const [client_id, session_state, ...others] = typeof data === "string" ? data.split(" ") : [];
  if (session_state === undefined || others.length > 0) return;
  const query = new URLSearchParams({ client_id, session_state, origin });
  const response = await fetch("login-status-iframe.html/init?" + query).catch(() => undefined);
  source.postMessage(response?.ok ? (await response.json()).status : "error", origin);
};`;

export const loginStatusFrame: Handler<HostedServer> = ({ server }) =>
  framedPage(
    server,
    trustedOrigins(server),
    watchLogin,
    "This page reports to an application whether its user is logged in.",
  );

/** `unchanged` if the browser has the login of the client's tokens, or none if the client has no tokens. */
export const checkLogin: Handler<HostedServer> = async (context) => {
  const { server } = context;
  const params = await readParams(context);
  const id = params.get("client_id");
  const client = id === undefined ? undefined : await server.clients.registered.find(id);
  const [origin = "", state = ""] = [params.get("origin"), params.get("session_state")];
  const origins = client === undefined ? [] : trustedOriginsOf(server, client);
  const isLocal = server.policy.acceptsAny.includes("redirectUris") &&
    localOrigins.includes(origin.replace(/:\d{1,5}$/, ":*"));
  if (client === undefined || !origins.includes(origin) && !isLocal) {
    throw new HttpError(403, "HT-22", "A page of this origin may not watch the login of this client", {
      expected: origins.join(" or ") || "client_id of a configured client",
      received: origin,
      fix: "Add a URI of this origin to the client's redirect_uris.",
    });
  }
  const session = await readSession(context);
  const ids = session === undefined ? [] : [session.sid, ...session.earlier ?? []];
  const issued = await Promise.all(
    ids.map(async (sid) => (await server.identifiers.issued(server, client, { sub: session!.sub, sid })).sid),
  );
  const isUnchanged = session === undefined ? state === "" : issued.includes(state);
  return json(200, { status: isUnchanged ? "unchanged" : "changed" });
};

/** Keycloak's frame sets the cookie by script. */
export const setTestCookie: Handler<HostedServer> = (context) =>
  redirect("GET", endpointPath(context.app, "keycloak_cookie_result"), {
    "set-cookie": testCookie(context, testCookieSeconds),
  });

/** Whether the browser sends the cookies of this server in a frame of the page. */
export const readTestCookie: Handler<HostedServer> = (context) => {
  const { server, request } = context;
  const isSent = readCookie(request.headers.get("cookie"), cookieName("frame", context)) !== undefined;
  const script = `parent.postMessage("${isSent ? "supported" : "unsupported"}", "*")`;
  const text = "This page reports to an application whether the browser sends cookies in frames.";
  return framedPage(server, trustedOrigins(server), script, text, { "set-cookie": testCookie(context, 0) });
};

function testCookie(context: Context, seconds: number): string {
  return `${setCookie(cookieName("frame", context), "1", cookieScope(context))}; Max-Age=${seconds}`;
}

function trustedOrigins(server: HostedServer): readonly string[] {
  const own = [...server.clients.registered.known().values()].flatMap((one) => trustedOriginsOf(server, one));
  return [...new Set([...own, ...server.policy.acceptsAny.includes("redirectUris") ? localOrigins : []])];
}

function trustedOriginsOf(server: Server, client: Client): readonly string[] {
  return isPermitted(server, client, "haveTrustedPages") ? webOriginsOf(client) : [];
}

/** keycloak/keycloak PublicRealmResource, with the key of the tokens if it is an RSA key. */
export const showRealm: Handler<HostedServer> = async (context) => {
  const { server, site: { base } } = context;
  const keys = await server.keys.publishedKeys(algorithmsInUse(server));
  const key = keys.find(({ kty }) => kty === "RSA");
  return json(200, {
    realm: base.slice(base.lastIndexOf("/") + 1),
    ...key !== undefined && { public_key: await publicKeyInfo(key) },
    "token-service": `${server.issuer}/protocol/openid-connect`,
    "account-service": `${server.issuer}/account`,
    "tokens-not-before": 0,
  });
};

/** Pages on this machine, where a server may accept any redirect URI. */
const localOrigins = ["http://localhost:*", "https://localhost:*", "http://127.0.0.1:*"];

/** The origins of the redirect URIs of a client: its web origins if they are `+`. */
export function webOriginsOf({ redirectUris }: Pick<Client, "redirectUris">): readonly string[] {
  return [...new Set(redirectUris.map((uri) => new URL(uri).origin).filter((origin) => origin !== "null"))];
}
