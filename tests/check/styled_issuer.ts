/** What a styled client knows of issuers, and how it sends requests to them. */

import { createLocalJWKSet, jwtVerify, type JWTVerifyGetKey } from "jose";
import { randomBytes } from "../../src/core/keys/crypto.ts";
import { assertionParameters, basicCredentials, signingKey } from "../../src/client/authentication.ts";
import { demandedNonce, type ProofKey, signProof } from "../../src/client/proof.ts";
import type { ClientJourney } from "../../src/check/mod.ts";
import type { Style } from "./style.ts";

export type Members = Readonly<Record<string, unknown>>;

/** The client at an issuer. */
export interface Registered {
  readonly metadata: Record<string, string>;
  readonly clientId: string;
  /** The secret that it got at its registration. */
  readonly secret?: unknown;
  readonly key?: ProofKey;
}

export function assert(condition: boolean, message: string): asserts condition {
  if (!condition) throw new Error(message);
}

async function readJson(response: Response): Promise<Members> {
  const value: unknown = await response.json();
  assert(typeof value === "object" && value !== null && !Array.isArray(value), "expected a JSON object");
  assert(response.ok, `${(value as Members).error}, status ${response.status}`);
  return value as Members;
}

/** The paths of a client that is configured with endpoints. */
const configuredPaths: Readonly<Record<string, string>> = {
  authorization_endpoint: "/oauth2/authorize",
  token_endpoint: "/oauth2/token",
  userinfo_endpoint: "/oauth2/userinfo",
  jwks_uri: "/oauth2/jwks",
  revocation_endpoint: "/oauth2/revoke",
  end_session_endpoint: "/oauth2/logout",
  pushed_authorization_request_endpoint: "/oauth2/par",
};

/** What a client of that style keeps of issuers. */
export function styledIssuers(style: Style) {
  const isRepeated = style.mistake === "repeats without a limit";
  const maxAttempts = isRepeated ? 25 : 2;
  const { authentication = "none", tolerance = 0, keyCooldown = 60 } = style;
  const documents = new Map<string, { readonly value: Record<string, string>; readonly fetchedAt: number }>();
  const kept = new Map<string, { readonly keys: JWTVerifyGetKey; readonly fetchedAt: number }>();
  const passed = new Map<string, number>();
  const registrations = new Map<string, Members>();
  const allNonces = new Map<string, string>();

  const nonceLists = new WeakMap<ProofKey, Map<string, string>>();
  const noncesOf = (key: ProofKey) => nonceLists.get(key) ?? nonceLists.set(key, new Map()).get(key)!;

  const secondsNow = ({ now }: ClientJourney) => now() / 1000;
  const cacheNow = (journey: ClientJourney) => secondsNow(journey) + (passed.get(journey.issuer) ?? 0);
  const request = (journey: ClientJourney, url: string, init: RequestInit = {}) =>
    (style.http?.(journey.fetch, journey) ?? journey.fetch)(url, { redirect: "manual", ...init } as RequestInit);

  async function discover(journey: ClientJourney): Promise<Record<string, string>> {
    const { issuer } = journey;
    if (style.metadata === "configured") {
      const urls = Object.entries(configuredPaths).map(([member, path]) => [member, `${issuer}${path}`]);
      return { issuer, ...Object.fromEntries(urls) };
    }
    const known = documents.get(issuer);
    const { metadataSeconds = 3600 } = style;
    const isFresh = known !== undefined && cacheNow(journey) - known.fetchedAt < metadataSeconds;
    if (style.cache !== false && isFresh) return known.value;
    const path = style.metadata === "RFC 8414" ? "oauth-authorization-server" : "openid-configuration";
    const document = await readJson(await request(journey, `${issuer}/.well-known/${path}`));
    assert(document.issuer === issuer, "wrong issuer in the metadata");
    const endpoints = ["authorization_endpoint", "token_endpoint", "userinfo_endpoint", "jwks_uri"];
    // A server on this machine has neither https nor a public host.
    for (const member of issuer.startsWith("https:") ? endpoints : []) {
      assert(String(document[member]).startsWith("https://"), `${member} is no https URL`);
      const { hostname } = new URL(String(document[member]));
      assert(!/^(?:localhost|127\.|10\.|169\.254\.|\[)/.test(hostname), `${member} is internal`);
    }
    const value = document as Record<string, string>;
    documents.set(issuer, { value, fetchedAt: cacheNow(journey) });
    return value;
  }

  async function fetchKeys(journey: ClientJourney, { jwks_uri }: Record<string, string>): Promise<JWTVerifyGetKey> {
    const fetched = request(journey, jwks_uri!).then(readJson).then((set) => createLocalJWKSet(set as never));
    const known = kept.get(journey.issuer)?.keys;
    const keys = style.keepsKeys && known !== undefined ? await fetched.catch(() => known) : await fetched;
    kept.set(journey.issuer, { keys, fetchedAt: cacheNow(journey) });
    return keys;
  }

  async function verify(journey: ClientJourney, { metadata, clientId }: Registered, token: string): Promise<Members> {
    const options = {
      algorithms: [...style.algorithms ?? ["EdDSA"]],
      issuer: metadata.issuer,
      audience: clientId,
      requiredClaims: ["iss", "aud", "exp"],
      currentDate: new Date(journey.now()),
      clockTolerance: tolerance,
      typ: style.typ,
    };
    const found = style.cache === false ? undefined : kept.get(journey.issuer);
    const isFresh = found !== undefined && cacheNow(journey) - found.fetchedAt < (style.keySeconds ?? Infinity);
    const known = isFresh ? found : undefined;
    try {
      return (await jwtVerify(token, known?.keys ?? await fetchKeys(journey, metadata), options)).payload;
    } catch (error) {
      const isUnknown = (error as { code?: string }).code === "ERR_JWKS_NO_MATCHING_KEY";
      if (known === undefined || !isUnknown || cacheNow(journey) - known.fetchedAt < keyCooldown) throw error;
      return (await jwtVerify(token, await fetchKeys(journey, metadata), options)).payload;
    }
  }

  async function register(journey: ClientJourney, metadata: Record<string, string>, scope: string) {
    const { issuer, redirectUri } = journey;
    const known = registrations.get(issuer);
    if (known !== undefined) return known;
    const headers = { "content-type": "application/json" };
    const body = JSON.stringify({
      redirect_uris: [redirectUri],
      token_endpoint_auth_method: "none",
      grant_types: ["authorization_code", "refresh_token"],
      id_token_signed_response_alg: "EdDSA",
      scope,
    });
    const send = () => request(journey, metadata.registration_endpoint!, { method: "POST", headers, body });
    let response = await send();
    for (let sent = 2; isRepeated && !response.ok && sent <= maxAttempts; sent++) response = await send();
    const registration = await readJson(response);
    if (style.mistake !== "believes any registration") {
      assert(typeof registration.client_id === "string" && registration.client_id !== "", "no client_id");
      assert((registration.redirect_uris as string[])?.includes(redirectUri), "another redirect URI");
    }
    registrations.set(issuer, registration);
    return registration;
  }

  /** Sends a form as this client, and once more if the server demands a nonce in the proof. */
  async function post(journey: ClientJourney, of: Registered, url: string, params: Record<string, string>) {
    const { client, issuer } = journey;
    const form = new URLSearchParams(params);
    const headers = new Headers({ "content-type": "application/x-www-form-urlencoded" });
    if (authentication === "client_secret_basic") {
      headers.set("authorization", `Basic ${btoa(basicCredentials(of.clientId, client.client_secret!))}`);
    } else if (authentication === "private_key_jwt" || authentication === "client_secret_jwt") {
      const context = { issuer, now: journey.now, randomBytes };
      const aud = style.assertionFor === "token endpoint" ? of.metadata.token_endpoint : issuer;
      const key = await signingKey(client as never, authentication === "client_secret_jwt" ? "HS256" : undefined);
      const signed = await assertionParameters(context, of.clientId, key, { claims: { aud } });
      for (const [field, value] of Object.entries(signed.params)) form.set(field, value);
    } else {
      form.set("client_id", of.clientId);
      if (authentication === "client_secret_post") form.set("client_secret", client.client_secret!);
      else if (of.secret && style.mistake !== "believes any registration") form.set("client_secret", String(of.secret));
    }
    return await send(journey, of, url, { method: "POST", headers, body: form });
  }

  async function send(
    journey: ClientJourney,
    { key }: Registered,
    url: string,
    { headers, ...init }: RequestInit & { readonly headers: Headers },
    accessToken?: string,
  ): Promise<Members> {
    if (accessToken !== undefined) headers.set("authorization", `${key ? "DPoP" : "Bearer"} ${accessToken}`);
    const hasOne = style.mistake === "has one nonce for all servers";
    // Of one login: otherwise the order of the attacks would decide which of them find the mistake.
    const nonces = hasOne && key !== undefined ? noncesOf(key) : allNonces;
    const place = hasOne ? "" : url;
    const reads = style.mistake !== "does not read nonces";
    for (let attempt = 1;; attempt++) {
      if (key !== undefined) {
        const context = { now: journey.now, randomBytes };
        const method = init.method ?? "GET";
        headers.set(
          "dpop",
          await signProof(context, key, { method, url, accessToken, nonce: reads ? nonces.get(place) : undefined }),
        );
      }
      const response = await request(journey, url, { ...init, headers });
      const nonce = response.headers.get("dpop-nonce");
      if (nonce !== null && !(hasOne && nonces.has(place))) nonces.set(place, nonce);
      const error = response.ok ? undefined : (await response.clone().json().catch(() => undefined))?.error;
      const isDemand = key !== undefined && reads && nonces.has(place) && demandedNonce(response, error) !== undefined;
      const again = isDemand || isRepeated && error !== undefined;
      if (attempt >= maxAttempts || !again) return await readJson(response);
    }
  }

  return {
    ...{ secondsNow, discover, verify, register, post, send, request },
    /** After a failure the client asks the issuer again. */
    forget({ issuer }: ClientJourney): void {
      documents.delete(issuer);
      if (style.registers && style.mistake !== "never registers again") registrations.delete(issuer);
    },
    passTime({ issuer }: ClientJourney, seconds: number): void {
      passed.set(issuer, (passed.get(issuer) ?? 0) + seconds);
    },
  };
}
