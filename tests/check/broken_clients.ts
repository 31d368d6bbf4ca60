/** Copies of the small client with one small change each, and the attacks or practices that must find the change. */

import { createLocalJWKSet, importJWK } from "jose";
import type { TestClientOptions } from "../../src/testing/clients.ts";
import { counter } from "./broken_applications.ts";
import { correctDecisions, type Decisions } from "./decisions.ts";
import type { Http } from "./http_styles.ts";
import { randomText } from "./small_crypto.ts";

/** A broken client. */
export interface BrokenClient {
  /** What it does wrong. */
  readonly name: string;
  /** The change. One that keeps state must be used in only one check. */
  readonly change: Partial<Decisions>;
  /** The attacks that fail or warn; `practice/…`: a practice, `ability/…`: what fails without an attack. */
  readonly foundBy: readonly string[];
  /** How the client is registered. Default: as the small client. */
  readonly client?: TestClientOptions;
}

const startsWith = (text: unknown, start: unknown) => String(text).startsWith(String(start));
const isSameText = (one: unknown, other: unknown) => String(one).toLowerCase() === String(other).toLowerCase();
const withoutSlash = (url: unknown) => String(url).replace(/\/+$/, "");

/** Rejects a response whose media type is written in another way. */
const comparesType: Http = (fetch) => async (url, init) => {
  const response = await fetch(url, init);
  const type = response.headers.get("content-type");
  if (response.ok && response.body !== null && type !== "application/json") throw new Error(`content type ${type}`);
  return response;
};

/** Returns the first failure of the keys for ever. */
const remembersFailure = (): Http => {
  const failures = new Map<string, Response>();
  return (fetch, { issuer }) => async (url, init) => {
    const address = String(url);
    if (!address.endsWith("jwks")) return await fetch(url, init);
    const failed = failures.get(issuer);
    if (failed !== undefined) return failed.clone();
    const response = await fetch(url, init);
    if (!response.ok) failures.set(issuer, response.clone());
    return response;
  };
};

/** Sends no request any more after a scope that it cannot read. */
const locksItself = (): Http => {
  const locked = new Set<string>();
  return (fetch, { issuer }) => async (url, init) => {
    if (locked.has(issuer)) throw new Error("locked");
    const response = await fetch(url, init);
    const { scope = "" } = Object(await response.clone().json().catch(() => undefined));
    if (typeof scope !== "string") locked.add(issuer);
    return response;
  };
};

/** Repeats each request that fails, many times. */
const repeatsOften: Http = (fetch) => async (url, init) => {
  let response = await fetch(url, init);
  for (let repetitions = 0; response.status >= 500 && repetitions < 10; repetitions++) {
    await response.body?.cancel();
    response = await fetch(url, init);
  }
  return response;
};

/** Counts the values of one parameter. */
function counting(counted: "state" | "nonce"): Partial<Decisions> {
  const next = counter();
  return { newValue: (what) => what === counted ? next() : randomText() };
}

const basic: TestClientOptions = { token_endpoint_auth_method: "client_secret_basic" };

/** Every broken client. */
export const brokenClients: readonly BrokenClient[] = [
  // Authorization responses.
  { name: "compares state without letter case", change: { isState: isSameText }, foundBy: ["response/state-wrong"] },
  {
    name: "accepts a part of state",
    change: { isState: (received, expected) => received.length > 9 && expected.includes(received) },
    foundBy: ["response/state-wrong"],
  },
  {
    name: "does not compare state in a login without pages",
    change: { isState: (received, expected, { isSilent }) => isSilent || received === expected },
    foundBy: ["response/state-wrong"],
  },
  {
    name: "compares state only at the first login of a browser",
    change: { isState: (received, expected, { login }) => login > 1 || received === expected },
    foundBy: ["response/state-wrong"],
  },
  {
    name: "keeps a state after its login",
    change: { keepsStates: true },
    foundBy: ["response/state-of-another-browser"],
  },
  {
    name: "accepts an issuer in the response that begins with its own",
    change: {
      isIssuer: (received, expected, place) =>
        place === "response" ? startsWith(received, expected) : received === expected,
    },
    foundBy: ["response/iss-wrong"],
  },
  {
    name: "knows only access_denied as an error",
    change: { isError: (error) => error === "access_denied" },
    foundBy: ["error/beside-code"],
  },
  {
    name: "keeps one verifier for the logins that are open in a browser",
    change: { sharesVerifiers: true },
    foundBy: ["response/swapped"],
  },
  {
    name: "compares issuers as URLs",
    change: { isIssuer: (received, expected) => URL.parse(received)?.href === URL.parse(expected)?.href },
    foundBy: ["response/iss-wrong"],
  },
  // ID tokens.
  {
    name: "searches aud as text",
    change: { isAudience: (aud, clientId) => String(aud).includes(clientId) },
    foundBy: ["id-token/aud-wrong"],
  },
  {
    name: "compares the end of the nonce",
    change: { isNonce: (received, expected) => String(received).endsWith(expected.slice(-12)) },
    foundBy: ["id-token/nonce-wrong"],
  },
  {
    name: "does not compare the nonce after a logout",
    change: { isNonce: (received, expected, { isAfterLogout }) => isAfterLogout || received === expected },
    foundBy: ["id-token/nonce-wrong"],
  },
  {
    name: "does not verify the signature of an ID token without kid",
    change: { needsSignature: ({ kid }) => kid !== undefined },
    foundBy: ["id-token/signed-by-stranger"],
  },
  {
    name: "verifies with the keys of all issuers",
    change: { sharesKeys: true },
    foundBy: ["id-token/key-of-another-issuer"],
  },
  { name: "accepts every azp", change: { isAuthorizedParty: () => true }, foundBy: ["id-token/azp-other"] },
  {
    name: "compares iss of the ID token without letter case",
    change: {
      isIssuer: (received, expected, place) =>
        place === "ID token" ? isSameText(received, expected) : received === expected,
    },
    foundBy: ["id-token/iss-wrong"],
  },
  {
    name: "accepts every issuer that it knows in the ID token",
    change: {
      isIssuer: (received, expected, place, known) =>
        received === expected || place === "ID token" && known.includes(received),
    },
    foundBy: ["id-token/iss-known"],
  },
  {
    name: "does not compare exp at a refresh",
    change: { isCurrent: (exp, now, { isRefresh }) => isRefresh || typeof exp === "number" && now < exp },
    foundBy: ["id-token/exp-past"],
  },
  // Users.
  {
    name: "accepts userinfo whose sub begins with that of the ID token",
    change: { isSubject: startsWith },
    foundBy: ["userinfo/sub-other"],
  },
  {
    name: "accepts userinfo without sub",
    change: { isSubject: (received, expected) => received === undefined || received === expected },
    foundBy: ["userinfo/sub-missing"],
  },
  {
    name: "keeps the tokens of all browsers in one place",
    change: { sharesTokens: true },
    foundBy: ["session/two-users"],
  },
  {
    name: "keeps the first userinfo response for all users",
    change: { keepsUserinfo: true },
    foundBy: ["session/two-users"],
  },
  // Responses.
  {
    name: "accepts a token_type that contains bearer",
    change: { isBearer: (type) => /bearer/i.test(type) },
    foundBy: ["token/type-unknown"],
  },
  // Redirects and targets.
  {
    name: "follows a redirect of userinfo with the access token",
    change: { follows: (endpoint) => endpoint === "userinfo" },
    foundBy: ["transport/redirect"],
  },
  {
    name: "follows a redirect of the token endpoint when it refreshes",
    change: { follows: (endpoint) => endpoint === "refresh" },
    foundBy: ["transport/redirect"],
  },
  {
    name: "follows a redirect of the revocation endpoint",
    change: { follows: (endpoint) => endpoint === "revocation" },
    foundBy: ["transport/redirect"],
  },
  // Logout.
  { name: "uses its tokens after a logout", change: { usesTokens: true }, foundBy: ["logout/tokens-used"] },
  {
    name: "searches aud of a logout token as text",
    change: {
      isAudience: (aud, clientId, place) => place === "logout" ? String(aud).includes(clientId) : aud === clientId,
    },
    foundBy: ["logout/back-channel-claims"],
  },
  {
    name: "accepts a logout of an issuer that begins with its own",
    change: {
      isIssuer: (received, expected, place) =>
        place === "logout" ? startsWith(received, expected) : received === expected,
    },
    foundBy: ["logout/back-channel-claims", "logout/front-channel-foreign"],
  },
  // Credentials and metadata.
  {
    name: "does not encode its credentials for HTTP Basic",
    change: { encodeCredential: (text) => text },
    foundBy: ["token/secret-characters"],
    client: basic,
  },
  {
    name: "connects to internal networks",
    change: { isEndpoint: (url) => url.startsWith("https://") },
    foundBy: ["metadata/endpoint-internal"],
  },
  {
    name: "opens any authorization endpoint",
    change: { isEndpoint: (url, name) => name === "authorization_endpoint" || correctDecisions.isEndpoint(url, name) },
    foundBy: ["metadata/authorization-endpoint-hostile"],
  },
  {
    name: "accepts metadata of an issuer that begins with its own",
    change: {
      isIssuer: (received, expected, place) =>
        place === "metadata" ? startsWith(received, expected) : received === expected,
    },
    foundBy: ["metadata/issuer-other"],
  },
  {
    name: "demands https of the token endpoint alone",
    change: { isEndpoint: (url, name) => name !== "token_endpoint" || url.startsWith("https://") },
    foundBy: ["metadata/plain-http"],
  },
  {
    name: "rejects internal hosts of the token endpoint alone",
    change: {
      isEndpoint: (url, name) =>
        url.startsWith("https://") && (name !== "token_endpoint" || !/127|local|10\.|169|\[/.test(url)),
    },
    foundBy: ["metadata/endpoint-internal"],
  },
  // Keys and tokens.
  {
    name: "trusts the key in jwk of a token",
    foundBy: ["id-token/header-jwk"],
    change: { keyOf: ({ jwk, alg }) => jwk && importJWK(jwk as never, `${alg}`) },
  },
  {
    name: "trusts the keys at jku of a token",
    foundBy: ["id-token/header-jwk"],
    change: {
      keyOf: async (header, fetchKeys) =>
        header.jku === undefined
          ? undefined
          : await createLocalJWKSet(await fetchKeys(String(header.jku)) as never)(header as never),
    },
  },
  {
    name: "accepts HS256 with an empty key",
    foundBy: ["id-token/alg-hmac-public-key"],
    change: { keyOf: ({ alg }) => alg === "HS256" ? new Uint8Array(1) : undefined },
  },
  {
    name: "decodes claims as Latin-1",
    foundBy: ["id-token/claims-utf8"],
    change: { readClaims: (token) => JSON.parse(atob(token.split(".")[1]!.replaceAll("-", "+").replaceAll("_", "/"))) },
  },
  {
    name: "takes exp for milliseconds",
    foundBy: ["id-token/exp-past"],
    change: { isCurrent: (exp, now) => Number(exp) * 1000 > now },
  },
  {
    name: "has a day of tolerance",
    foundBy: ["id-token/exp-past"],
    change: { isCurrent: (exp, now) => Number(exp) + 86_400 > now },
  },
  {
    name: "remembers that the keys could not be fetched",
    foundBy: ["transport/unavailable"],
    change: { http: remembersFailure() },
  },
  { name: "locks itself after a scope of another type", foundBy: ["token/members"], change: { http: locksItself() } },
  { name: "compares Content-Type as text", foundBy: ["transport/media-type"], change: { http: comparesType } },
  {
    name: "ignores the slash at the end of issuers",
    foundBy: ["response/iss-wrong"],
    change: { isIssuer: (received, expected) => withoutSlash(received) === withoutSlash(expected) },
  },
  {
    name: "ignores the slash at the end of issuers of ID tokens and logout tokens",
    foundBy: ["id-token/iss-wrong"],
    change: {
      isIssuer: (received, expected, place) =>
        received === expected ||
        ["ID token", "logout"].includes(place) && withoutSlash(received) === withoutSlash(expected),
    },
  },
  // The values of a login.
  {
    name: "sends a constant state",
    change: { newValue: (what) => what === "state" ? "xyz" : randomText() },
    foundBy: ["practice/state-random"],
  },
  { name: "counts its states", foundBy: ["practice/state-random"], change: counting("state") },
  { name: "has nonces of the clock", foundBy: ["practice/nonce-fresh"], change: counting("nonce") },
  {
    name: "has the time as nonce",
    foundBy: ["practice/nonce-fresh"],
    change: { newValue: (what) => what === "nonce" ? String(Date.now()) : randomText() },
  },
  { name: "repeats a failed request ten times", foundBy: ["practice/retry-measured"], change: { http: repeatsOften } },
  {
    name: "sends the verifier as state",
    foundBy: ["practice/pkce-random"],
    change: { newValue: (what, state) => what === "verifier" ? state : randomText() },
  },
  {
    name: "sends the code to the issuer of the newest login",
    foundBy: ["response/other-toolkit"],
    change: { exchangesAtNewest: true },
  },
  {
    name: "sends the code verifier of the newest login",
    foundBy: ["response/swapped"],
    change: { sendsNewestVerifier: true },
  },
  {
    name: "lets any browser end the login of another",
    foundBy: ["response/state-of-another-browser"],
    change: { endsAnywhere: true },
  },
  { name: "keeps keys for ever", foundBy: ["keys/kept-for-ever"], change: { keySeconds: Infinity } },
  {
    name: "sends its secret in the authorization request",
    foundBy: ["practice/secrets-not-in-urls"],
    change: { parameters: ({ client_secret }) => ({ client_secret: String(client_secret) }) },
    client: basic,
  },
  // Sessions.
  {
    name: "keeps the old refresh token when it receives a new one",
    foundBy: ["refresh/token-rotated"],
    change: { keepsFirstRefreshToken: true },
  },
  { name: "demands the nonce at a refresh", foundBy: ["ability/refresh"], change: { demandsNonceAtRefresh: true } },
  {
    name: "refreshes in the background, and catches no error",
    foundBy: ["refresh/concurrent"],
    change: { refreshesInBackground: true },
  },
  {
    name: "replaces the tokens of a session before it verifies the ID token",
    foundBy: ["session/tokens-of-rejected-login"],
    change: { storesTokensEarly: true },
  },
  {
    name: "does not compare aud at a refresh",
    foundBy: ["refresh/id-token-other"],
    change: { isAudience: (aud, clientId, _, situation) => situation?.isRefresh || aud === clientId },
  },
  // Users.
  {
    name: "cuts sub after 64 characters",
    foundBy: ["id-token/sub-near"],
    change: { userKey: ({ sub }) => String(sub).slice(0, 64) },
  },
  {
    name: "knows users by an email that is verified, whatever email_verified is",
    foundBy: ["id-token/user-similar"],
    change: { userKey: ({ sub, email, email_verified }) => email_verified ? email : sub },
  },
  {
    name: "reads sub as a number",
    foundBy: ["id-token/sub-near"],
    change: { userKey: ({ sub }) => Number.parseFloat(String(sub)) || sub },
  },
  // Logout.
  {
    name: "accepts a front-channel logout without iss and sid",
    foundBy: ["logout/front-channel-foreign"],
    change: {
      isFrontChannelMeant: (login, iss, sid, issuer) =>
        (iss === null || iss === issuer) && (sid === null || sid === login?.sid),
    },
  },
  {
    name: "accepts logout tokens, and ends no session",
    foundBy: ["ability/backChannelLogout"],
    change: { isMeant: () => false },
  },
  {
    name: "ends only the newest session of a user",
    foundBy: ["logout/back-channel-all"],
    change: { ended: (logins) => logins.slice(-1) },
  },
];
