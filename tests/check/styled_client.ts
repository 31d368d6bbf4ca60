/** A correct client in many legal styles, which decide what specifications leave to a client. */

import { signingKey } from "../../src/client/authentication.ts";
import { newFlowValues } from "../../src/client/authorization_request.ts";
import { createProofKey } from "../../src/client/proof.ts";
import { signedRequest } from "../../src/client/request_object.ts";
import { randomBytes, sha256 } from "../../src/core/keys/crypto.ts";
import { generateKey } from "../../src/core/keys/web_keys.ts";
import type { Callback } from "../../src/testing/browser/callback.ts";
import {
  type ClientBrowser,
  type ClientDriver,
  type ClientJourney,
  type ClientSession,
  unknownUser,
} from "../../src/check/mod.ts";
import { decodePart } from "./decode_part.ts";
import { accessTokenHash } from "./small_crypto.ts";
import type { Style } from "./style.ts";
import { assert, type Members, type Registered, styledIssuers } from "./styled_issuer.ts";
import { styledSessions } from "./styled_sessions.ts";

/** A login that waits for its response. */
interface Pending extends Registered {
  readonly issuer: string;
  readonly state: string;
  readonly nonce: string;
  readonly verifier: string;
  readonly startedAt: number;
}

/** The tokens of a login. */
export type Tokens = Members & { readonly access_token: string };

/** A login that the client has accepted. */
export interface StyledLogin {
  readonly registered: Registered;
  readonly tokens: Tokens;
  readonly sub: string;
  readonly sid?: unknown;
  readonly claims: Members;
}

/** The driver of the client in one style. */
export function styledClient(name: string, style: Style): ClientDriver {
  const { authentication = "none", responseMode = "query" } = style;
  const { scope = "openid profile email offline_access" } = style;
  const isOpenid = scope.split(" ").includes("openid");
  const readsIdToken = isOpenid && style.idToken !== false;
  const issuers = styledIssuers(style);
  const { secondsNow, discover, verify, register, post, send } = issuers;
  const pendings = new Map<ClientBrowser, Map<string, Pending>>();
  const sessions = styledSessions(style, issuers, { readTokens, verifyIdToken, logInSilently });

  async function verifyIdToken(
    journey: ClientJourney,
    of: Registered,
    { id_token: token, access_token }: Members,
    expectedNonce?: string,
  ): Promise<Members & { readonly sub: string }> {
    assert(typeof token === "string", "no ID token");
    const claims = await verify(journey, of, token);
    const { sub, iat, aud, azp, nonce, at_hash, auth_time } = claims;
    assert(typeof sub === "string" && sub !== "", "wrong sub");
    assert(typeof iat === "number", "no iat");
    assert(Math.abs(secondsNow(journey) - iat) < (style.idTokenSeconds ?? Infinity), "too old");
    const others = [aud].flat().filter((other) => other !== of.clientId);
    assert(others.length === 0 || style.audiences === "any with azp" && azp === of.clientId, "unknown audience");
    assert(azp === undefined || azp === of.clientId, "wrong azp");
    if (expectedNonce !== undefined && style.nonce !== false) assert(nonce === expectedNonce, "wrong nonce");
    if (expectedNonce !== undefined && style.maxAge !== undefined) {
      assert(typeof auth_time === "number" && secondsNow(journey) - auth_time <= style.maxAge + 60, "too old");
    }
    if (style.atHash && at_hash !== undefined) {
      assert(at_hash === await accessTokenHash(String(access_token), "EdDSA"), "wrong at_hash");
    }
    return claims as Members & { readonly sub: string };
  }

  async function startLogin(journey: ClientJourney, prompt?: string, isUnsigned = false): Promise<URL> {
    const { issuer, browser, client, redirectUri } = journey;
    const metadata = await discover(journey);
    const registration = style.registers ? await register(journey, metadata, scope) : client;
    const clientId = String(registration.client_id);
    const key = style.dpop && await createProofKey(await generateKey("ES256"));
    const random = newFlowValues(randomBytes);
    const values = { ...random, ...style.values?.(newFlowValues(randomBytes).verifier) };
    const secret = style.registers && registration.client_secret;
    const pending: Pending = { ...values, issuer, metadata, clientId, secret, key, startedAt: secondsNow(journey) };
    const open = pendings.get(browser) ?? new Map<string, Pending>();
    pendings.set(browser, open);
    // Without state the newest login of the browser is the open one.
    if (style.state === false || style.oneLogin) open.clear();
    open.set(style.state === false ? "" : pending.state, pending);
    const params = Object.fromEntries(
      Object.entries({
        response_type: "code",
        redirect_uri: redirectUri,
        scope,
        state: style.state === false ? undefined : pending.state,
        nonce: isOpenid && style.nonce !== false ? pending.nonce : undefined,
        code_challenge: style.pkce === false ? undefined : await sha256(pending.verifier),
        code_challenge_method: style.pkce === false ? undefined : "S256",
        response_mode: style.responseMode,
        max_age: style.maxAge?.toString(),
        ...style.parameters,
        ...prompt !== undefined && { prompt },
      }).filter((entry): entry is [string, string] => entry[1] !== undefined),
    );
    const url = new URL(metadata.authorization_endpoint!);
    const context = { issuer, now: journey.now, randomBytes };
    const sent = style.jar && !isUnsigned
      ? await signedRequest(context, await signingKey(client as never), { client_id: clientId, ...params })
      : { client_id: clientId, ...params };
    url.search = String(new URLSearchParams(sent));
    if (!style.par || isUnsigned) return url;
    try {
      const endpoint = metadata.pushed_authorization_request_endpoint!;
      const { request_uri } = await post(journey, pending, endpoint, sent);
      assert(typeof request_uri === "string" && request_uri !== "", "no request_uri");
      url.search = String(new URLSearchParams({ client_id: clientId, request_uri }));
    } catch (error) {
      if (style.mistake !== "sends the request plainly when the push fails") throw error;
    }
    return url;
  }

  /** The parameters of a response; those of a signed one are in the JWT. */
  async function readResponse(journey: ClientJourney, { url, method, params }: Callback): Promise<URLSearchParams> {
    const isForm = responseMode.startsWith("form_post");
    assert(method === (isForm ? "POST" : "GET"), "another response mode");
    const { searchParams, hash } = new URL(url);
    const received = isForm
      ? params
      : responseMode.startsWith("fragment")
      ? new URLSearchParams(hash.slice(1))
      : searchParams;
    if (!responseMode.endsWith("jwt")) return received;
    const jwt = received.get("response");
    const acceptsPlain = style.mistake === "accepts plain responses";
    if (acceptsPlain && jwt === null) return received;
    assert(jwt !== null && received.getAll("response").length === 1, "the response is not signed");
    const [pending] = pendings.get(journey.browser)?.values() ?? [];
    assert(pending !== undefined, "no login is open");
    const payload = style.mistake === "does not verify signed responses"
      ? decodePart(jwt, 1)
      : await verify(journey, pending, jwt);
    const plain = acceptsPlain ? Object.fromEntries(received) : {};
    return new URLSearchParams(
      Object.entries({ ...payload, ...plain }).map(([field, value]) => [field, String(value)]),
    );
  }

  async function receiveCallback(journey: ClientJourney, callback: Callback): Promise<ClientSession> {
    const { browser, redirectUri, issuer } = journey;
    const session = style.keepsSession && sessions.of(browser);
    if (session) return session;
    const received = await readResponse(journey, callback);
    for (const field of ["code", "state", "iss", "error"]) {
      assert(received.getAll(field).length <= 1, `${field} is repeated`);
    }
    const [error, code] = [received.get("error"), received.get("code")];
    if (style.errorFirst) assert(error === null, `error ${error}`);
    const open = pendings.get(browser);
    const id = style.state === false ? "" : received.get("state") ?? "";
    const pending = open?.get(id);
    assert(pending !== undefined && pending.issuer === issuer, "no login of this browser waits for the response");
    if (!style.staysOpen) open!.delete(id);
    assert(secondsNow(journey) - pending.startedAt < (style.loginSeconds ?? Infinity), "the login has expired");
    assert(callback.url.replace(/[?#].*$/, "") === redirectUri, "another redirect URI");
    const announces = Boolean(pending.metadata.authorization_response_iss_parameter_supported);
    const iss = received.get("iss");
    assert(iss === issuer || iss === null && !announces, "wrong iss");
    assert(error === null, `error ${error}`);
    assert(code !== null && code !== "", "no code");
    const login = await exchange(journey, pending, code);
    open!.delete(id);
    return sessions.open(journey, login);
  }

  function readTokens(tokens: Members): Tokens {
    const { access_token, token_type, refresh_token } = tokens;
    assert(typeof access_token === "string" && access_token !== "", "no access token");
    const isExpected = (style.dpop ? /^dpop$/i : /^bearer$/i).test(String(token_type));
    assert(typeof token_type === "string" && isExpected, "wrong token_type");
    assert(refresh_token === undefined || Boolean(refresh_token), "empty refresh token");
    return tokens as Tokens;
  }

  async function exchange(journey: ClientJourney, pending: Pending, code: string): Promise<StyledLogin> {
    const { metadata, verifier } = pending;
    const tokens = readTokens(
      await post(journey, pending, metadata.token_endpoint!, {
        grant_type: "authorization_code",
        code,
        redirect_uri: journey.redirectUri,
        ...style.pkce !== false && { code_verifier: verifier },
      }),
    );
    const idToken = readsIdToken ? await verifyIdToken(journey, pending, tokens, pending.nonce) : undefined;
    const readUserinfo = async () => {
      const request = { headers: new Headers() };
      const info = await send(journey, pending, metadata.userinfo_endpoint!, request, tokens.access_token);
      assert(typeof info.sub === "string" && info.sub !== "", "userinfo without sub");
      assert(idToken === undefined || info.sub === idToken.sub, "userinfo of another user");
      return info;
    };
    const info = style.userinfo === "none" || !isOpenid ? {} : await readUserinfo().catch((error) => {
      if (style.userinfo === "discarded") return {};
      throw error;
    });
    const sub = idToken?.sub ?? (isOpenid ? String((info as Members).sub) : unknownUser);
    return { registered: pending, tokens, sub, sid: idToken?.sid, claims: { ...info, ...idToken, sub } };
  }

  async function logIn(journey: ClientJourney, restarts = style.restarts ?? 0): Promise<ClientSession> {
    try {
      if (style.silentFirst) {
        const silent = await journey.authorize(await startLogin(journey, "none"));
        const response = await readResponse(journey, silent);
        if (response.get("error") !== "login_required") return await receiveCallback(journey, silent);
        pendings.get(journey.browser)?.delete(response.get("state") ?? "");
      }
      return await receiveCallback(journey, await journey.authorize(await startLogin(journey)));
    } catch (error) {
      issuers.forget(journey);
      if (style.mistake === "sends the request unsigned when it is rejected") {
        return await receiveCallback(journey, await journey.authorize(await startLogin(journey, undefined, true)));
      }
      if (restarts === 0) throw error;
      return await logIn(journey, restarts - 1);
    }
  }

  async function logInSilently(journey: ClientJourney): Promise<ClientSession> {
    return await receiveCallback(journey, await journey.authorize(await startLogin(journey, "none")));
  }

  return {
    name,
    readsClock: style.clock !== false,
    renew: () => styledClient(name, style),
    client: {
      ...authentication !== "none" && { confidential: true, token_endpoint_auth_method: authentication },
      ...style.jar && { require_signed_request_object: true },
      ...sessions.client,
      ...style.client,
    } as ClientDriver["client"],
    logIn: async (journey) => style.keepsSession && sessions.of(journey.browser) || await logIn(journey),
    receiveCallback,
    ...style.logoutTokens && { receive: sessions.receive },
  };
}
