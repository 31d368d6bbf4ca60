/**
 * Okta's primary authentication without a page: a password becomes a session token, and the authorization request with
 * it logs in. Suites without a browser log in so, such as Cypress's command and JHipster's:
 * https://developer.okta.com/docs/reference/api/authn/#primary-authentication
 */

import type { Approver } from "../login/approver.ts";
import { decodeWithMac, encodeWithMac } from "../../core/sessions/session.ts";
import { describePage, isCrossSite, rejectCrossSite, rejectUntrustedHost } from "../../core/http/cross_site.ts";
import { type HttpResponse, json, withHeaders } from "../../core/http/message.ts";
import { parseTarget, type RequestHandler } from "../../core/http/router.ts";
import type { RequestCheck } from "../../core/server.ts";
import type { AuthorizationRequest } from "../../core/authorize/authorization_request.ts";
import { randomId, storageKey } from "../../core/keys/secrets.ts";
import { reject } from "../../core/rules/reject.ts";
import { readJsonObject } from "../../platform/http/json_body.ts";
import { userForClientHint } from "../clients/login_hint.ts";
import type { Endpoint } from "../endpoint.ts";
import type { HostedServer } from "../hosted_server.ts";
import { hasPassword } from "../login/account_picker.ts";
import { rejectCrossSiteLogin } from "../login/cross_site_login.ts";
import { storeOf } from "../stored/records.ts";
import { credentialsFor } from "./shared/credentials.ts";
import { newGuid } from "./shared/derived_values.ts";
import { asText } from "./shared/members.ts";

const sessionTokenLifetimeMs = 5 * 60_000;

const purpose = "okta session token";

const authnPath = "/api/v1/authn";

interface SessionToken {
  readonly id: string;
  readonly sub: string;
  /** Another one after a change of the password, or for another user with this `sub`. */
  readonly fingerprint: string;
  readonly validUntil: number;
}

/** `POST /api/v1/authn`. */
export function authnEndpoint(): Endpoint {
  return {
    ...{ name: "okta_authn", path: authnPath, methods: ["POST"], caller: "any", title: "Authentication" },
    ...{ errors: "json", role: "step" },
    parameters: [{ name: "password", secret: "password" }, { name: "sessionToken", secret: "session_token" }],
    responseParameters: [{ name: "sessionToken", secret: "session_token", linksFlow: true }],
    load: () => ({
      async POST(context) {
        const { request, target } = context;
        const server = context.server as HostedServer;
        rejectUntrustedHost(server, request, "UI-20");
        rejectCrossSite(context);
        const { username, password } = await readJsonObject(request, "HT-06");
        const [login, typed] = [asText(username) ?? "", asText(password) ?? ""];
        const user = await userForClientHint(server, login, undefined);
        const credentials = { sub: user?.sub ?? login, user, password: typed, address: target.clientAddress.address };
        const isOpen = user !== undefined && !hasPassword(user);
        const result = isOpen ? "right" : await server.verifyPassword(server, credentials);
        if (typeof result === "object") {
          const summary = "API call exceeded rate limit due to too many requests.";
          return oktaError(server, 429, "E0000047", summary, { "retry-after": String(result.retryAfterSeconds) });
        }
        if (user === undefined || typed === "" || result === "wrong") {
          return oktaError(server, 401, "E0000004", "Authentication failed");
        }
        const validUntil = server.now() + sessionTokenLifetimeMs;
        const fingerprint = await server.grants.loginFingerprint(server, user);
        const token: SessionToken = { id: randomId(server.randomBytes), sub: user.sub, fingerprint, validUntil };
        const { given_name: firstName, family_name: lastName } = user;
        return json(200, {
          expiresAt: new Date(validUntil).toISOString(),
          status: "SUCCESS",
          sessionToken: await encodeWithMac(server, purpose, token),
          _embedded: {
            user: { id: user.sub, profile: { login: user.preferred_username ?? login, firstName, lastName } },
          },
        });
      },
    }),
  };
}

/**
 * Lets pages of clients authenticate: those with the sign-in widget, which sends cookies (okta-auth-js lib/tx/api.ts).
 * The Trusted Origins of this server are those of redirect URIs: https://developer.okta.com/docs/guides/enable-cors/
 */
export function allowWidgets(next: RequestHandler, clients: () => HostedServer["clients"]): RequestHandler {
  return async (request, peer) => {
    const origin = request.headers.get("origin");
    const isTrusted = origin !== null && parseTarget(request.url, {}).path === authnPath &&
      clients().hasPagesAt(origin);
    if (!isTrusted) return await next(request, peer);
    if (request.method !== "OPTIONS") return withHeaders(await next(request, peer), credentialsFor(origin));
    const allowed = request.headers.get("access-control-request-headers") ?? "";
    const preflight = { "access-control-allow-methods": "POST", "access-control-allow-headers": allowed };
    return { status: 204, headers: { ...credentialsFor(origin), ...preflight }, body: null };
  };
}

/** https://developer.okta.com/docs/reference/error-codes/ */
function oktaError(
  server: HostedServer,
  status: number,
  errorCode: string,
  errorSummary: string,
  headers?: Readonly<Record<string, string>>,
): HttpResponse {
  const errorId = `oae${newGuid(server)}`;
  return json(status, { errorCode, errorSummary, errorLink: errorCode, errorId, errorCauses: [] }, headers);
}

const tokenStore = storeOf<{
  /** Session tokens that were used. */
  okta_session_token: { readonly at: number };
}>;

/** A request with a token that is valid; one that is not is as if it were not sent. */
interface RequestWithToken extends Partial<AuthorizationRequest> {
  readonly oktaSession?: Pick<SessionToken, "id" | "sub" | "validUntil"> & { readonly isSilent: boolean };
}

/**
 * Reads the parameter `sessionToken`. With a valid one, `prompt=none` does not demand a session: okta-auth-js
 * lib/oidc/getWithoutPrompt.ts sends both.
 */
export const readSessionToken: RequestCheck = {
  redirectOnly: true,
  async read({ server, params }, { loginRequirements }): Promise<RequestWithToken | undefined> {
    if (params.isRepeated("sessionToken")) throw reject("AZ-07", { repeated: "sessionToken" });
    const sent = params.get("sessionToken") ?? "";
    const token = await decodeWithMac(server, purpose, sent) as SessionToken | undefined;
    if (token === undefined || token.validUntil <= server.now()) return undefined;
    const { id, sub, validUntil, fingerprint } = token;
    const user = await server.users.find(sub);
    if (user === undefined || fingerprint !== await server.grants.loginFingerprint(server, user)) return undefined;
    const isUsed = await tokenStore(server).get("okta_session_token", await storageKey(server, id)) !== undefined;
    if (isUsed) return undefined;
    const { prompt } = loginRequirements!;
    return {
      oktaSession: { id, sub, validUntil, isSilent: prompt.includes("none") },
      loginRequirements: { ...loginRequirements!, prompt: prompt.filter((value) => value !== "none") },
    };
  },
};

/** Logs in the user of the session token, once. */
export function approveBySessionToken(next: Approver): Approver {
  return async (request, at) => {
    const { context, now } = at;
    const server = context.server as HostedServer;
    const { oktaSession }: RequestWithToken = request;
    if (oktaSession === undefined) return await next(request, at);
    rejectUntrustedHost(server, context.request, "UI-20");
    rejectCrossSiteLogin(context, at.pending);
    // Login CSRF: another page may have a session token of its own.
    if (isCrossSite(context)) throw reject("UI-30", describePage(context.request.headers));
    const { id, sub, validUntil: expiresAt, isSilent } = oktaSession;
    const key = await storageKey(server, id);
    const isFirst = await tokenStore(server).add("okta_session_token", key, { at: now() }, { expiresAt });
    const user = await server.users.find(sub);
    if (user !== undefined && isFirst) {
      return { user, scope: request.scope, extensions: request.extensions, authTime: now() };
    }
    if (isSilent) throw reject("OI-03", { needs: "user interaction" });
    return await next(request, at);
  };
}
