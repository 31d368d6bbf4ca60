/**
 * A small client without a library, with every check, and copies of it with one mistake each. They prove the catalogue:
 * each mistake is found, and nothing else is.
 */

import { createLocalJWKSet, errors, jwtVerify, type JWTVerifyGetKey } from "jose";
import { correctDecisions, type Decisions, type Endpoint, type Situation } from "./decisions.ts";
import { decodePart } from "./decode_part.ts";
import { smallApplication } from "./small_application.ts";
import { accessTokenHash, toBase64 } from "./small_crypto.ts";
import type { Callback } from "../../src/testing/browser/callback.ts";
import type { Fetch } from "../../src/testing/fetch.ts";
import type { ClientDriver, ClientJourney } from "../../src/check/mod.ts";

/** A mistake of a copy. */
export type Mistake =
  | "does not compare state"
  | "does not verify the ID token"
  | "does not compare the nonce"
  | "merges userinfo over the ID token"
  | "fetches the JWKS once"
  | "stores the refresh response as it is"
  | "ends the session when a refresh fails"
  | "follows redirects of the token endpoint"
  | "does not read error"
  | "has no time limit"
  | "is too strict"
  | "keeps the logins of all browsers in one table"
  | "keeps one verifier"
  | "exchanges a code at every delivery"
  | "refreshes in every request that meets a 401"
  | "repeats every request that meets a 401"
  | "keeps its session until the server has ended its own"
  | "believes every logout token"
  | "fetches the JWKS for each unknown key"
  | "fetches distributed claims"
  | "does not verify signed userinfo"
  | "sends an empty refresh token"
  | "does not compare acr"
  | "does not compare auth_time"
  | "reads no ID token"
  | "adds parameters with a second question mark"
  | "believes ID tokens while it has no keys"
  | "fetches the picture of a user"
  | "logs in by an access token in the response"
  | "checks nothing";

/** Mistakes that a client does not have just because it checks nothing. */
const ownMistakes: readonly Mistake[] = [
  "keeps the logins of all browsers in one table",
  "keeps one verifier",
  "reads no ID token",
];

export type Claims = Readonly<Record<string, unknown>>;

export interface Metadata {
  readonly issuer: string;
  readonly authorization_endpoint: string;
  readonly token_endpoint: string;
  readonly userinfo_endpoint: string;
  readonly jwks_uri: string;
  readonly revocation_endpoint: string;
  readonly end_session_endpoint: string;
  readonly authorization_response_iss_parameter_supported?: boolean;
}

/** A response with its body. */
export interface Received {
  readonly endpoint: Endpoint;
  readonly status: number;
  readonly type: string | null;
  readonly text: string;
}

interface Kept<Value> {
  readonly value: Value;
  readonly fetchedAt: number;
}

export interface Tokens {
  readonly access_token: string;
  readonly token_type: string;
  readonly expires_in?: unknown;
  readonly refresh_token?: string;
  readonly id_token?: string;
}

/**
 * The driver of the correct client, or of a copy with a mistake.
 *
 * @param timeLimitMs The time limit of each request, in milliseconds.
 * @param requiredAcr The level of authentication that the client requires. Default: any.
 * @param decisions What the client decides. Default: as a correct one.
 */
export function smallClient(
  mistake?: Mistake,
  timeLimitMs = 60_000,
  requiredAcr?: string,
  decisions: Decisions = correctDecisions,
): ClientDriver {
  const has = (...mistakes: Mistake[]) =>
    mistakes.some((name) => name === mistake || mistake === "checks nothing" && !ownMistakes.includes(name));
  /** What the client keeps of each issuer, and when it fetched it, in seconds. */
  const keySets = new Map<string, Kept<JWTVerifyGetKey>>();
  const documents = new Map<string, Kept<Metadata>>();
  const passedSeconds = new Map<string, number>();

  function assert(condition: boolean, message: string): void {
    if (!condition && mistake !== "checks nothing") throw new Error(message);
  }

  /** Waits for a request, but not longer than the time limit. */
  async function withinTimeLimit<T>(request: Promise<T>): Promise<T> {
    if (has("has no time limit")) return await request;
    let timer: ReturnType<typeof setTimeout> | undefined;
    const limit = new Promise<never>((_, reject) => {
      timer = setTimeout(() => reject(new Error("no response within the time limit")), timeLimitMs);
    });
    return await Promise.race([request, limit]).finally(() => clearTimeout(timer));
  }

  /** Sends a request, and reads the body of the response. */
  async function send(fetch: Fetch, url: string, endpoint: Endpoint, init: RequestInit = {}): Promise<Received> {
    const redirect = has("follows redirects of the token endpoint") ? "follow" : "manual";
    const read = async (response: Response) => ({
      endpoint,
      status: response.status,
      type: response.headers.get("content-type"),
      text: await response.text(),
    });
    const request = fetch(url, { redirect, ...init } as RequestInit).then((response) => {
      const location = response.headers.get("location");
      return location === null || !decisions.follows(endpoint) ? response : fetch(location, init as RequestInit);
    });
    return await withinTimeLimit(request.then(read));
  }

  function readJson({ status, text }: Received): Record<string, unknown> {
    const value: unknown = JSON.parse(text);
    if (typeof value !== "object" || value === null || Array.isArray(value)) throw new Error("expected a JSON object");
    const members = value as Record<string, unknown>;
    assert(status === 200, `status ${status}: ${members.error}`);
    return members;
  }

  const isSameIssuer = (a: string, b: string, place: Parameters<Decisions["isIssuer"]>[2]) =>
    decisions.isIssuer(a, b, place, [...documents.keys()]);

  /** The time by which the client counts the age of what it keeps. */
  const cacheNow = ({ issuer, now }: ClientJourney) => now() / 1000 + (passedSeconds.get(issuer) ?? 0);

  async function discover(journey: ClientJourney): Promise<Metadata> {
    const { fetch, issuer } = journey;
    const kept = documents.get(issuer);
    if (kept !== undefined && cacheNow(journey) - kept.fetchedAt < 3600) return kept.value;
    const document = readJson(await send(fetch, `${issuer}/.well-known/openid-configuration`, "discovery"));
    const value = document as unknown as Metadata;
    const isOwn = typeof document.issuer === "string" && isSameIssuer(document.issuer, issuer, "metadata");
    assert(isOwn, "wrong issuer");
    for (const name of ["authorization_endpoint", "token_endpoint", "userinfo_endpoint", "jwks_uri"]) {
      const url = String(document[name]);
      assert(decisions.isEndpoint(url, name), `${name} is no https URL, or in an internal network`);
    }
    documents.set(issuer, { value, fetchedAt: cacheNow(journey) });
    return value;
  }

  /** After a failure the client fetches the metadata again. */
  function forgetMetadata({ issuer }: ClientJourney): void {
    documents.delete(issuer);
  }

  function passTime({ issuer }: ClientJourney, seconds: number): void {
    passedSeconds.set(issuer, (passedSeconds.get(issuer) ?? 0) + seconds);
  }

  async function fetchKeys(journey: ClientJourney, { jwks_uri }: Metadata): Promise<JWTVerifyGetKey> {
    const value = createLocalJWKSet(readJson(await send(journey.fetch, jwks_uri, "jwks")) as never);
    keySets.set(journey.issuer, { value, fetchedAt: cacheNow(journey) });
    return value;
  }

  /** The only algorithm of ID tokens that the client accepts: the registered one. */
  const algorithmOf = ({ client }: ClientJourney) => client.id_token_signed_response_alg ?? "RS256";

  /** Verifies with the keys that are kept, and fetches them again if they lack the key, at most once in a minute. */
  async function verifySignature(
    journey: ClientJourney,
    metadata: Metadata,
    token: string,
    typ = "JWT",
    situation?: Situation,
  ): Promise<Claims> {
    const header = decodePart(token, 0);
    const isSigned = situation === undefined || decisions.needsSignature(header, situation);
    if (!isSigned || has("does not verify the ID token")) return decodePart(token, 1);
    // The client compares the times itself, by its own clock.
    const clockTolerance = 1e10;
    const options = {
      algorithms: [algorithmOf(journey)],
      typ: header.typ === undefined ? undefined : typ,
      clockTolerance,
    };
    const getJson = async (url: string) => readJson(await send(journey.fetch, url, "jwks"));
    const ownKey = await decisions.keyOf(header, getJson);
    if (ownKey !== undefined) return (await jwtVerify(token, ownKey as CryptoKey, { clockTolerance })).payload;
    const found = keySets.get(journey.issuer);
    const kept = found !== undefined && cacheNow(journey) - found.fetchedAt < decisions.keySeconds ? found : undefined;
    try {
      return (await jwtVerify(token, kept?.value ?? await fetchKeys(journey, metadata), options)).payload;
    } catch (error) {
      if (has("believes ID tokens while it has no keys") && !(error instanceof errors.JOSEError)) {
        return decodePart(token, 1);
      }
      for (const { value } of decisions.sharesKeys ? keySets.values() : []) {
        const verified = await jwtVerify(token, value, options).catch(() => undefined);
        if (verified !== undefined) return verified.payload;
      }
      const isUnknownKey = error instanceof errors.JWKSNoMatchingKey;
      const isRecent = kept !== undefined && cacheNow(journey) - kept.fetchedAt < 60;
      const isNew = kept === undefined || isRecent && !has("fetches the JWKS for each unknown key");
      if (isNew || !isUnknownKey || has("fetches the JWKS once")) throw error;
      return (await jwtVerify(token, await fetchKeys(journey, metadata), options)).payload;
    }
  }

  async function verifyIdToken(
    journey: ClientJourney,
    metadata: Metadata,
    tokens: Tokens,
    nonce: string | undefined,
    situation: Situation,
  ): Promise<Claims & { readonly sub: string }> {
    const { id_token: token, access_token } = tokens;
    if (has("reads no ID token")) return { sub: "", auth_time: journey.now() / 1000 };
    if (typeof token !== "string") throw new Error("no ID token");
    const claims = decisions.readClaims(token, await verifySignature(journey, metadata, token, "JWT", situation));
    const { iss, aud, azp, exp, iat, nbf, sub, at_hash } = claims;
    const { client: { client_id } } = journey;
    const now = journey.now() / 1000;
    const expectedIssuer = metadata.issuer;
    assert(typeof iss === "string" && isSameIssuer(iss, expectedIssuer, "ID token"), "wrong iss");
    const isForClient = has("is too strict")
      ? aud === client_id
      : decisions.isAudience(aud, client_id, "ID token", situation);
    assert(isForClient, "wrong aud");
    assert(decisions.isAuthorizedParty(azp, client_id), "wrong azp");
    assert(decisions.isCurrent(exp, now, situation), "expired");
    assert(typeof iat === "number" && Math.abs(now - iat) < 600, "wrong iat");
    assert(nbf === undefined || (typeof nbf === "number" && nbf <= now), "not yet valid");
    assert(typeof sub === "string" && sub !== "" && sub.length <= 255, "wrong sub");
    if (nonce !== undefined && !has("does not compare the nonce")) {
      assert(decisions.isNonce(claims.nonce, nonce, situation), "wrong nonce");
    }
    assert(
      at_hash === undefined || at_hash === await accessTokenHash(access_token, algorithmOf(journey)),
      "wrong at_hash",
    );
    return claims as Claims & { readonly sub: string };
  }

  function readTokens(members: Record<string, unknown>): Tokens {
    const { access_token, token_type, expires_in, refresh_token } = members;
    assert(typeof access_token === "string" && /^[\w.~+/-]+=*$/.test(access_token), "no access token");
    const isBearer = has("is too strict") ? token_type === "Bearer" : decisions.isBearer(String(token_type));
    assert(typeof token_type === "string" && isBearer, "wrong token_type");
    if (!has("sends an empty refresh token")) {
      assert(refresh_token === undefined || Boolean(refresh_token), "the refresh token is empty");
    }
    if (has("is too strict")) {
      if (typeof expires_in !== "number") throw new Error("no expires_in");
      const known = ["access_token", "token_type", "expires_in", "scope", "refresh_token", "id_token"];
      if (!Object.keys(members).every((name) => known.includes(name))) throw new Error("unknown member");
    }
    return members as unknown as Tokens;
  }

  async function requestTokens(
    { fetch, client: { client_id, client_secret, token_endpoint_auth_method } }: ClientJourney,
    { token_endpoint }: Metadata,
    parameters: Readonly<Record<string, string>>,
  ): Promise<Tokens> {
    const isBasic = token_endpoint_auth_method === "client_secret_basic";
    const body = String(new URLSearchParams(isBasic ? parameters : { ...parameters, client_id }));
    const type = { "content-type": "application/x-www-form-urlencoded" };
    const credentials = [client_id, client_secret ?? ""].map((part) => decisions.encodeCredential(part)).join(":");
    const headers = isBasic ? { ...type, authorization: `Basic ${toBase64(credentials)}` } : type;
    const endpoint = parameters.grant_type === "refresh_token" ? "refresh" : "token";
    return readTokens(readJson(await send(fetch, token_endpoint, endpoint, { method: "POST", headers, body })));
  }

  /** The code of the response to a request with that state. */
  function readCallback(
    { url, method, params }: Callback,
    state: string,
    metadata: Metadata,
    situation: Situation,
  ): string {
    assert(method === "GET", "the response is no GET request");
    const searchParams = mistake === "checks nothing" ? params : new URL(url).searchParams;
    for (const name of ["code", "state", "iss", "error"]) {
      assert(searchParams.getAll(name).length <= 1, `${name} is repeated`);
    }
    if (!has("does not compare state")) {
      assert(decisions.isState(searchParams.get("state") ?? "", state, situation), "wrong state");
    }
    const iss = searchParams.get("iss");
    if (metadata.authorization_response_iss_parameter_supported || iss !== null) {
      assert(iss !== null && isSameIssuer(iss, metadata.issuer, "response"), "wrong iss");
    }
    const error = searchParams.get("error");
    if (!has("does not read error")) assert(error === null || !decisions.isError(error), `error ${error}`);
    if (has("is too strict")) {
      const known = ["code", "state", "iss", "error"];
      if (![...searchParams.keys()].every((name) => known.includes(name))) throw new Error("unknown parameter");
    }
    const code = searchParams.get("code");
    if (!has("does not read error")) assert(Boolean(code), "no code");
    return String(code);
  }

  return smallApplication(mistake ?? "small client", {
    ...{ requiredAcr, decisions, isSameIssuer, has, assert, send, readJson, discover, forgetMetadata, passTime },
    ...{ requestTokens, readCallback, verifySignature, verifyIdToken },
  });
}
