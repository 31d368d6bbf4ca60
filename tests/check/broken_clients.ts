/** Copies of the small client with one small change each, and the attacks or practices that must find the change. */

import type { TestClientOptions } from "../../src/testing/clients.ts";
import type { Decisions } from "./decisions.ts";

/** A broken client. */
export interface BrokenClient {
  /** What it does wrong. */
  readonly name: string;
  /** The change. */
  readonly change: Partial<Decisions>;
  /** The attacks that fail or warn; `practice/…`: a practice. */
  readonly foundBy: readonly string[];
  /** How the client is registered. Default: as the small client. */
  readonly client?: TestClientOptions;
}

const startsWith = (text: unknown, start: unknown) => String(text).startsWith(String(start));
const isSameText = (one: unknown, other: unknown) => String(one).toLowerCase() === String(other).toLowerCase();
const hostOf = (url: string) => URL.canParse(url) ? new URL(url).hostname : "";

/** Every broken client. */
export const brokenClients: readonly BrokenClient[] = [
  // Authorization responses.
  {
    name: "compares state without letter case",
    change: { isState: isSameText },
    foundBy: ["response/state-wrong"],
  },
  {
    name: "compares the end of state",
    change: { isState: (received, expected) => received.endsWith(expected.slice(-20)) },
    foundBy: ["response/state-wrong"],
  },
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
    name: "accepts the beginning of the issuer in the response",
    change: {
      isIssuer: (received, expected, place) =>
        place === "response" && received !== "" ? startsWith(expected, received) : received === expected,
    },
    foundBy: ["response/iss-wrong"],
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
    name: "accepts every issuer that it knows in the response",
    change: {
      isIssuer: (received, expected, place, known) =>
        received === expected || place === "response" && known.includes(received),
    },
    foundBy: ["response/iss-known"],
  },
  {
    name: "knows only access_denied as an error",
    change: { isError: (error) => error === "access_denied" },
    foundBy: ["error/beside-code"],
  },
  {
    name: "decodes the code twice",
    change: { readCode: decodeURIComponent },
    foundBy: ["response/code-odd"],
  },
  {
    name: "keeps one verifier for the logins that are open in a browser",
    change: { sharesVerifiers: true },
    foundBy: ["response/swapped"],
  },
  // ID tokens.
  {
    name: "compares the nonce without letter case",
    change: { isNonce: isSameText },
    foundBy: ["id-token/nonce-wrong"],
  },
  {
    name: "compares the beginning of the nonce",
    change: { isNonce: (received, expected) => startsWith(received, expected.slice(0, 12)) },
    foundBy: ["id-token/nonce-wrong"],
  },
  {
    name: "compares the end of the nonce",
    change: { isNonce: (received, expected) => String(received).endsWith(expected.slice(-12)) },
    foundBy: ["id-token/nonce-wrong"],
  },
  {
    name: "does not compare the nonce in a login without pages",
    change: { isNonce: (received, expected, { isSilent }) => isSilent || received === expected },
    foundBy: ["id-token/nonce-wrong"],
  },
  {
    name: "compares the nonce only at the first login of a browser",
    change: { isNonce: (received, expected, { login }) => login > 1 || received === expected },
    foundBy: ["id-token/nonce-wrong"],
  },
  {
    name: "does not compare the nonce after a logout",
    change: { isNonce: (received, expected, { isAfterLogout }) => isAfterLogout || received === expected },
    foundBy: ["id-token/nonce-wrong"],
  },
  {
    name: "verifies the signature only at the first login of a browser",
    change: { needsSignature: (_, { login }) => login === 1 },
    foundBy: ["id-token/signed-by-stranger"],
  },
  {
    name: "does not verify the signature in a login without pages",
    change: { needsSignature: (_, { isSilent }) => !isSilent },
    foundBy: ["id-token/signed-by-stranger"],
  },
  {
    name: "does not verify the signature at a refresh",
    change: { needsSignature: (_, { isRefresh }) => !isRefresh },
    foundBy: ["refresh/id-token-forged"],
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
  {
    name: "compares aud without letter case",
    change: { isAudience: (aud, clientId) => [aud].flat().length === 1 && isSameText(aud, clientId) },
    foundBy: ["id-token/aud-wrong"],
  },
  {
    name: "accepts every azp",
    change: { isAuthorizedParty: () => true },
    foundBy: ["id-token/azp-other"],
  },
  {
    name: "compares iss of the ID token without letter case",
    change: {
      isIssuer: (received, expected, place) =>
        place === "ID token" ? isSameText(received, expected) : received === expected,
    },
    foundBy: ["id-token/iss-wrong"],
  },
  {
    name: "compares only the host of iss",
    change: {
      isIssuer: (received, expected, place) =>
        place === "ID token" ? hostOf(received) === hostOf(expected) : received === expected,
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
  {
    name: "does not compare exp in a login without pages",
    change: { isCurrent: (exp, now, { isSilent }) => isSilent || typeof exp === "number" && now < exp },
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
    name: "compares sub of userinfo only at the first login of a browser",
    change: { isSubject: (received, expected, { login }) => login > 1 || received === expected },
    foundBy: ["userinfo/sub-other"],
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
    name: "accepts tokens of a response with status 500",
    change: { isSuccess: (status, endpoint) => status === 200 || endpoint === "token" && status >= 500 },
    foundBy: ["transport/status-complete"],
  },
  {
    name: "accepts tokens of a response with status 400",
    change: { isSuccess: (status, endpoint) => status === 200 || endpoint === "token" && status === 400 },
    foundBy: ["transport/status-complete"],
  },
  {
    name: "accepts refreshed tokens whatever the status",
    change: { isSuccess: (status, endpoint) => status === 200 || endpoint === "refresh" },
    foundBy: ["transport/status-complete"],
  },
  {
    name: "accepts userinfo whatever the status",
    change: { isSuccess: (status, endpoint) => status === 200 || endpoint === "userinfo" },
    foundBy: ["transport/status-complete"],
  },
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
  {
    name: "checks target_link_uri by its beginning",
    change: { isOwnTarget: (target, origin) => target.startsWith(origin) },
    foundBy: ["response/initiated-login"],
  },
  {
    name: "checks target_link_uri by the end of its host",
    change: { isOwnTarget: (target, origin) => hostOf(target).endsWith(hostOf(origin)) },
    foundBy: ["response/initiated-login"],
  },
  {
    name: "checks only a target_link_uri with a scheme",
    change: { isOwnTarget: (target, origin) => target.startsWith("/") || new URL(target).origin === origin },
    foundBy: ["response/initiated-login"],
  },
  {
    name: "starts a login at an issuer that begins with its own",
    change: {
      isIssuer: (received, expected, place) =>
        place === "initiated login" ? startsWith(received, expected) : received === expected,
    },
    foundBy: ["response/initiated-login"],
  },
  // Logout.
  {
    name: "uses its tokens after a logout",
    change: { usesTokens: (after) => after === "logout" },
    foundBy: ["logout/tokens-used"],
  },
  {
    name: "uses its tokens after a logout token",
    change: { usesTokens: (after) => after === "logout token" },
    foundBy: ["logout/back-channel-tokens"],
  },
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
    client: { token_endpoint_auth_method: "client_secret_basic" },
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
];
