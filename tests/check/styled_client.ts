/** A correct client in many legal styles, which decide what specifications leave to a client. */

import { createLocalJWKSet, jwtVerify, type JWTVerifyGetKey } from "jose";
import { assertionParameters, basicCredentials, signingKey } from "../../src/client/authentication.ts";
import type { Style } from "./legal_styles.ts";
import { newFlowValues } from "../../src/client/authorization_request.ts";
import { demandedNonce, type ProofKey, proofKey, signProof } from "../../src/client/proof.ts";
import { generateKey, sha256, systemRandomBytes } from "../../src/platform/runtime/crypto.ts";
import type { Callback } from "../../src/testing/mod.ts";
import {
  type ClientBrowser,
  type ClientDriver,
  type ClientJourney,
  type ClientSession,
  unknownUser,
} from "../../src/check/mod.ts";

type Members = Readonly<Record<string, unknown>>;

interface Pending {
  readonly issuer: string;
  readonly metadata: Record<string, string>;
  readonly clientId: string;
  readonly state: string;
  readonly nonce: string;
  readonly verifier: string;
  readonly key?: ProofKey;
}

function assert(condition: boolean, message: string): asserts condition {
  if (!condition) throw new Error(message);
}

async function readJson(response: Response): Promise<Members> {
  const value: unknown = await response.json();
  assert(typeof value === "object" && value !== null && !Array.isArray(value), "expected a JSON object");
  assert(response.ok, `${(value as Members).error}, status ${response.status}`);
  return value as Members;
}

/** The driver of the client in one style. */
export function styledClient(name: string, style: Style): ClientDriver {
  const { authentication = "none", tolerance = 0, keyCooldown = 60 } = style;
  const { scope = "openid profile email offline_access" } = style;
  const isOpenid = scope.split(" ").includes("openid");
  const readsIdToken = isOpenid && style.idToken !== false;
  const documents = new Map<string, { readonly value: Record<string, string>; readonly fetchedAt: number }>();
  const kept = new Map<string, { readonly keys: JWTVerifyGetKey; readonly fetchedAt: number }>();
  const passed = new Map<string, number>();
  const registrations = new Map<string, Members>();
  const pendings = new Map<ClientBrowser, Map<string, Pending>>();
  const logins = new Map<ClientBrowser, ClientSession>();
  const nonces = new Map<string, string>();

  const secondsNow = ({ now }: ClientJourney) => now() / 1000;
  const cacheNow = (journey: ClientJourney) => secondsNow(journey) + (passed.get(journey.issuer) ?? 0);

  async function discover(journey: ClientJourney): Promise<Record<string, string>> {
    const { fetch, issuer } = journey;
    const known = documents.get(issuer);
    if (style.cache !== false && known !== undefined && cacheNow(journey) - known.fetchedAt < 3600) return known.value;
    const path = style.oauthMetadata ? "oauth-authorization-server" : "openid-configuration";
    const document = await readJson(
      await fetch(`${issuer}/.well-known/${path}`, { redirect: "manual" } as RequestInit),
    );
    assert(document.issuer === issuer, "wrong issuer in the metadata");
    for (const member of ["authorization_endpoint", "token_endpoint", "userinfo_endpoint", "jwks_uri"]) {
      assert(String(document[member]).startsWith("https://"), `${member} is no https URL`);
      const { hostname } = new URL(String(document[member]));
      assert(!/^(?:localhost|127\.|10\.|169\.254\.|\[)/.test(hostname), `${member} is internal`);
    }
    const value = document as Record<string, string>;
    documents.set(issuer, { value, fetchedAt: cacheNow(journey) });
    return value;
  }

  async function fetchKeys(journey: ClientJourney, { jwks_uri }: Record<string, string>): Promise<JWTVerifyGetKey> {
    const set = await readJson(await journey.fetch(jwks_uri!, { redirect: "manual" } as RequestInit));
    const keys = createLocalJWKSet(set as never);
    kept.set(journey.issuer, { keys, fetchedAt: cacheNow(journey) });
    return keys;
  }

  async function verify(
    journey: ClientJourney,
    { metadata, clientId }: Pending,
    token: string,
    typ: string | undefined,
  ): Promise<Members> {
    const options = {
      algorithms: ["EdDSA"],
      issuer: metadata.issuer,
      audience: clientId,
      requiredClaims: ["iss", "aud", "exp"],
      currentDate: new Date(journey.now()),
      clockTolerance: tolerance,
      typ,
    };
    const known = style.cache === false ? undefined : kept.get(journey.issuer);
    try {
      return (await jwtVerify(token, known?.keys ?? await fetchKeys(journey, metadata), options)).payload;
    } catch (error) {
      const isUnknown = (error as { code?: string }).code === "ERR_JWKS_NO_MATCHING_KEY";
      if (known === undefined || !isUnknown || cacheNow(journey) - known.fetchedAt < keyCooldown) throw error;
      return (await jwtVerify(token, await fetchKeys(journey, metadata), options)).payload;
    }
  }

  async function verifyIdToken(journey: ClientJourney, pending: Pending, token: unknown, isLogin: boolean) {
    assert(typeof token === "string", "no ID token");
    const claims = await verify(journey, pending, token, undefined);
    const { sub, iat, aud, azp, nonce } = claims;
    assert(typeof sub === "string" && sub !== "", "wrong sub");
    assert(typeof iat === "number", "no iat");
    const others = [aud].flat().filter((other) => other !== pending.clientId);
    assert(others.length === 0 || style.audiences === "any with azp" && azp === pending.clientId, "unknown audience");
    assert(azp === undefined || azp === pending.clientId, "wrong azp");
    if (isLogin && style.nonce !== false) assert(nonce === pending.nonce, "wrong nonce");
    if (isLogin && style.maxAge !== undefined) {
      const { auth_time } = claims;
      assert(typeof auth_time === "number" && secondsNow(journey) - auth_time <= style.maxAge + 60, "too old");
    }
    return claims as Members & { readonly sub: string };
  }

  async function register({ fetch, issuer, redirectUri }: ClientJourney, metadata: Record<string, string>) {
    const known = registrations.get(issuer);
    if (known !== undefined) return known;
    const registration = await readJson(
      await fetch(metadata.registration_endpoint!, {
        method: "POST",
        headers: { "content-type": "application/json" },
        redirect: "manual",
        body: JSON.stringify({
          redirect_uris: [redirectUri],
          token_endpoint_auth_method: "none",
          grant_types: ["authorization_code", "refresh_token"],
          id_token_signed_response_alg: "EdDSA",
          scope,
        }),
      } as RequestInit),
    );
    assert(typeof registration.client_id === "string" && registration.client_id !== "", "no client_id");
    assert((registration.redirect_uris as string[])?.includes(redirectUri), "another redirect URI");
    registrations.set(issuer, registration);
    return registration;
  }

  /** Sends a form as this client, and once more if the server demands a nonce in the proof. */
  async function post(journey: ClientJourney, pending: Pending, url: string, params: Record<string, string>) {
    const { client, issuer } = journey;
    const form = new URLSearchParams(params);
    const headers = new Headers({ "content-type": "application/x-www-form-urlencoded" });
    if (authentication === "client_secret_basic") {
      headers.set("authorization", `Basic ${btoa(basicCredentials(pending.clientId, client.client_secret!))}`);
    } else if (authentication === "private_key_jwt") {
      const context = { issuer, now: journey.now, randomBytes: systemRandomBytes };
      const aud = style.assertionFor === "token endpoint" ? pending.metadata.token_endpoint : issuer;
      const key = await signingKey(client as never);
      const signed = await assertionParameters(context, pending.clientId, key, { claims: { aud } });
      for (const [field, value] of Object.entries(signed.params)) form.set(field, value);
    } else {
      form.set("client_id", pending.clientId);
      if (authentication === "client_secret_post") form.set("client_secret", client.client_secret!);
    }
    return await send(journey, pending, url, { method: "POST", headers, body: form });
  }

  async function send(
    journey: ClientJourney,
    { key }: Pending,
    url: string,
    { headers, ...init }: RequestInit & { readonly headers: Headers },
    accessToken?: string,
  ): Promise<Members> {
    if (accessToken !== undefined) headers.set("authorization", `${key ? "DPoP" : "Bearer"} ${accessToken}`);
    for (let attempt = 1;; attempt++) {
      if (key !== undefined) {
        const context = { now: journey.now, randomBytes: systemRandomBytes };
        const method = init.method ?? "GET";
        headers.set("dpop", await signProof(context, key, { method, url, accessToken, nonce: nonces.get(url) }));
      }
      const response = await journey.fetch(url, { ...init, headers, redirect: "manual" } as RequestInit);
      const nonce = response.headers.get("dpop-nonce");
      if (nonce !== null && /^[\x21\x23-\x5B\x5D-\x7E]+$/.test(nonce)) nonces.set(url, nonce);
      const error = response.ok ? undefined : (await response.clone().json().catch(() => undefined))?.error;
      const isDemand = key !== undefined && nonces.has(url) && demandedNonce(response, error) !== undefined;
      if (attempt > 1 || !isDemand) return await readJson(response);
    }
  }

  async function startLogin(journey: ClientJourney, prompt?: string): Promise<URL> {
    const { issuer, browser, client, redirectUri } = journey;
    const metadata = await discover(journey);
    const registration = style.registers ? await register(journey, metadata) : client;
    const clientId = String(registration.client_id);
    const key = style.dpop && await proofKey(await generateKey("ES256"));
    const pending: Pending = { ...newFlowValues(systemRandomBytes), issuer, metadata, clientId, key };
    const open = pendings.get(browser) ?? new Map<string, Pending>();
    pendings.set(browser, open);
    // Without state the newest login of the browser is the open one.
    if (style.state === false) open.clear();
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
        prompt,
      }).filter((entry): entry is [string, string] => entry[1] !== undefined),
    );
    const url = new URL(metadata.authorization_endpoint!);
    if (style.par) {
      const { request_uri } = await post(journey, pending, metadata.pushed_authorization_request_endpoint!, {
        ...params,
        client_id: clientId,
      });
      assert(typeof request_uri === "string" && request_uri !== "", "no request_uri");
      url.search = String(new URLSearchParams({ client_id: clientId, request_uri }));
    } else url.search = String(new URLSearchParams({ client_id: clientId, ...params }));
    return url;
  }

  /** The parameters of a response; those of a signed one are in the JWT. */
  async function readResponse(journey: ClientJourney, { url, method, params }: Callback): Promise<URLSearchParams> {
    assert(method === (style.responseMode === "form_post" ? "POST" : "GET"), "another response mode");
    const received = method === "POST" ? params : new URL(url).searchParams;
    if (style.responseMode !== "jwt") return received;
    const jwt = received.get("response");
    assert(jwt !== null && received.getAll("response").length === 1, "the response is not signed");
    const [pending] = pendings.get(journey.browser)?.values() ?? [];
    assert(pending !== undefined, "no login is open");
    const payload = await verify(journey, pending, jwt, undefined);
    return new URLSearchParams(Object.entries(payload).map(([field, value]) => [field, String(value)]));
  }

  async function receiveCallback(journey: ClientJourney, callback: Callback): Promise<ClientSession> {
    const { browser, redirectUri, issuer } = journey;
    const received = await readResponse(journey, callback);
    for (const field of ["code", "state", "iss", "error"]) {
      assert(received.getAll(field).length <= 1, `${field} is repeated`);
    }
    const open = pendings.get(browser);
    const id = style.state === false ? "" : received.get("state") ?? "";
    const pending = open?.get(id);
    assert(pending !== undefined && pending.issuer === issuer, "no login of this browser waits for the response");
    open!.delete(id);
    assert(callback.url.replace(/[?#].*$/, "") === redirectUri, "another redirect URI");
    const announces = Boolean(pending.metadata.authorization_response_iss_parameter_supported);
    const iss = received.get("iss");
    assert(iss === issuer || iss === null && !announces, "wrong iss");
    const [error, code] = [received.get("error"), received.get("code")];
    assert(error === null, `error ${error}`);
    assert(code !== null && code !== "", "no code");
    const session = await exchange(journey, pending, code);
    logins.set(browser, session);
    return session;
  }

  function readTokens(tokens: Members): Members & { readonly access_token: string } {
    const { access_token, token_type, refresh_token } = tokens;
    assert(typeof access_token === "string" && access_token !== "", "no access token");
    const isExpected = String(token_type).toLowerCase() === (style.dpop ? "dpop" : "bearer");
    assert(typeof token_type === "string" && isExpected, "wrong token_type");
    assert(refresh_token === undefined || Boolean(refresh_token), "empty refresh token");
    return tokens as Members & { readonly access_token: string };
  }

  async function exchange(journey: ClientJourney, pending: Pending, code: string): Promise<ClientSession> {
    const { redirectUri, browser } = journey;
    const { metadata, verifier } = pending;
    const tokens = readTokens(
      await post(journey, pending, metadata.token_endpoint!, {
        grant_type: "authorization_code",
        code,
        redirect_uri: redirectUri,
        ...style.pkce !== false && { code_verifier: verifier },
      }),
    );
    const idToken = readsIdToken ? await verifyIdToken(journey, pending, tokens.id_token, true) : undefined;
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
    let refreshToken = tokens.refresh_token;
    return {
      sub,
      claims: { ...info, ...idToken, sub },
      passTime: (seconds) => void passed.set(journey.issuer, (passed.get(journey.issuer) ?? 0) + seconds),
      ...style.currentUser !== false && { currentUser: () => Promise.resolve(logins.get(browser)?.sub) },
      ...style.refresh !== false && {
        async refresh() {
          assert(typeof refreshToken === "string", "no refresh token");
          const params = { grant_type: "refresh_token", refresh_token: refreshToken };
          const refreshed = readTokens(await post(journey, pending, metadata.token_endpoint!, params));
          if (readsIdToken && refreshed.id_token !== undefined) {
            const { sub: other } = await verifyIdToken(journey, pending, refreshed.id_token, false);
            assert(other === sub, "the ID token of another user");
          }
          refreshToken = refreshed.refresh_token ?? refreshToken;
        },
      },
    };
  }

  return {
    name,
    readsClock: true,
    verifiesIdTokenSignature: style.signature,
    client: {
      ...authentication !== "none" && { confidential: true, token_endpoint_auth_method: authentication },
      ...style.secondRedirectUri && {
        redirect_uris: ["https://client.test/callback", "https://client.test/other-callback"],
      },
    } as ClientDriver["client"],
    async logIn(journey) {
      try {
        if (style.silentFirst) {
          const silent = await journey.authorize(await startLogin(journey, "none"));
          if (silent.params.get("error") !== "login_required") return await receiveCallback(journey, silent);
          pendings.get(journey.browser)?.delete(silent.params.get("state") ?? "");
        }
        return await receiveCallback(journey, await journey.authorize(await startLogin(journey)));
      } catch (error) {
        documents.delete(journey.issuer);
        if (style.registers) registrations.delete(journey.issuer);
        throw error;
      }
    },
    receiveCallback,
  };
}
