/**
 * What the applications of this folder share: the protocol of a correct OpenID Connect client. An entry changes one
 * of its steps.
 */

import {
  createLocalJWKSet,
  decodeProtectedHeader,
  type JSONWebKeySet,
  type JWTPayload,
  jwtVerify,
  type JWTVerifyOptions,
} from "jose";
import type { Fetch } from "../../../src/testing/fetch.ts";
import {
  assert,
  digest,
  isAccessToken,
  isSecure,
  type Members,
  randomText,
  requestJson,
  toBase64url,
} from "./requests.ts";

/** The metadata of a server (RFC 8414 §2). */
export interface Metadata extends Members {
  readonly issuer: string;
  readonly authorization_endpoint: string;
  readonly token_endpoint: string;
  readonly jwks_uri: string;
  readonly userinfo_endpoint: string;
}

/** What a client keeps of a server. */
interface Kept {
  metadata?: Metadata;
  discovering?: Promise<Metadata>;
  keys?: JSONWebKeySet;
  /** When the keys were fetched, and when a fetch last did not bring the wanted key. */
  keysAt?: number;
  missedAt?: number;
}

/** A client at one server, and what it keeps of the server. */
export interface Site {
  readonly issuer: string;
  readonly clientId: string;
  /** Default: a public client. */
  readonly clientSecret?: string;
  readonly redirectUri: string;
  /** The algorithm of ID tokens. */
  readonly alg: string;
  readonly fetch: Fetch;
  now(): number;
  /** For how long no keys are fetched again after a key was not found, in milliseconds. Default: a minute. */
  readonly keyPauseMs?: number;
  readonly kept: Kept;
}

/** A login that waits for its response. */
export interface Login {
  readonly state: string;
  readonly nonce: string;
  readonly verifier: string;
  readonly startedAt: number;
  readonly redirectUri: string;
  /** Where the user goes after it. */
  readonly target?: string;
}

export interface Tokens extends Members {
  readonly access_token: string;
  readonly id_token?: string;
  readonly refresh_token?: string;
  readonly expires_in?: unknown;
}

/** The steps of the protocol. */
export interface Protocol {
  newLogin(site: Site, target?: string): Login;
  requestParameters(site: Site, login: Login): Promise<Record<string, string>>;
  checkMetadata(site: Site, metadata: Metadata): void;
  isState(received: string | null, login: Login): boolean;
  /** Reads the code of an authorization response. @throws {Error} If the login failed. */
  readResponse(params: URLSearchParams, login: Login, metadata: Metadata): string;
  /** Adds the credentials of the client to a request. */
  authenticate(site: Site, metadata: Metadata, body: URLSearchParams, headers: Headers): void | Promise<void>;
  getKeys(site: Site, metadata: Metadata, isUnknown: boolean): Promise<JSONWebKeySet>;
  requestMetadata(site: Site, url: string): Promise<Members>;
  /** What jose verifies of an ID token. */
  verifyOptions(site: Site): JWTVerifyOptions;
  /** Verifies an ID token: the signature, and {@link Protocol.verifyOptions}. */
  verifySignature(site: Site, metadata: Metadata, token: string): Promise<JWTPayload>;
  /** @param nonce The nonce of the login; absent in a refresh. */
  checkClaims(site: Site, claims: JWTPayload, nonce: string | undefined): void;
  requestUserinfo(site: Site, metadata: Metadata, accessToken: string): Promise<Members>;
  /** The user, from the claims of the ID token and of userinfo. */
  mergeClaims(idToken: JWTPayload, userinfo: Members): Members;
  checkRefreshed(claims: JWTPayload, first: JWTPayload): void;
  mergeTokens(old: Tokens, received: Tokens): Tokens;
}

/** How long keys are kept, in milliseconds. */
const maxKeysAge = 300_000;

/** Claims that are about a token, and not about a user. */
const tokenClaims = [
  "iss",
  "aud",
  "exp",
  "iat",
  "nbf",
  "azp",
  "nonce",
  "auth_time",
  "acr",
  "amr",
  "sid",
  "jti",
  "at_hash",
];

export const correctProtocol: Protocol = {
  newLogin: ({ now, redirectUri }, target) => ({
    ...{ state: randomText(), nonce: randomText(), verifier: randomText() },
    ...{ startedAt: now(), redirectUri, target },
  }),
  requestParameters: async ({ clientId }, { state, nonce, verifier, redirectUri }) => ({
    response_type: "code",
    client_id: clientId,
    redirect_uri: redirectUri,
    scope: "openid profile email offline_access",
    ...{ state, nonce },
    code_challenge: toBase64url(await digest("SHA-256", verifier)),
    code_challenge_method: "S256",
  }),
  checkMetadata({ issuer }, metadata) {
    assert(metadata.issuer === issuer, "the metadata is that of another issuer");
    for (const name of ["authorization_endpoint", "token_endpoint", "jwks_uri", "userinfo_endpoint"]) {
      assert(isSecure(metadata[name], issuer), `no ${name}`);
    }
  },
  isState: (received, { state }) => received === state,
  readResponse(params, login, metadata) {
    for (const name of ["code", "state", "iss", "error"]) assert(params.getAll(name).length < 2, `two ${name}`);
    assert(this.isState(params.get("state"), login), "the state is that of no login of this browser");
    const iss = params.get("iss");
    const needsIss = metadata.authorization_response_iss_parameter_supported === true;
    assert(iss === metadata.issuer || iss === null && !needsIss, "the response is from another server");
    if (params.has("error")) throw new Error(`the server reports ${params.get("error")}`);
    const code = params.get("code");
    assert(code !== null && code !== "", "the response has no code");
    return code;
  },
  authenticate({ clientId, clientSecret }, _, body) {
    body.set("client_id", clientId);
    if (clientSecret !== undefined) body.set("client_secret", clientSecret);
  },
  async getKeys(site, { jwks_uri }, isUnknown) {
    const { kept, now, keyPauseMs = 60_000 } = site;
    const isFresh = isUnknown ? now() - (kept.missedAt ?? -Infinity) < keyPauseMs : now() - kept.keysAt! < maxKeysAge;
    if (kept.keys !== undefined && isFresh) return kept.keys;
    if (isUnknown) kept.missedAt = now();
    const keys = await requestJson(site, jwks_uri) as unknown as JSONWebKeySet;
    assert(Array.isArray(keys.keys), "expected a JWK set");
    kept.keysAt = now();
    return kept.keys = keys;
  },
  requestMetadata: requestJson,
  verifyOptions: ({ alg, issuer, clientId, now }) => ({
    ...{ algorithms: [alg], issuer, audience: clientId },
    requiredClaims: ["exp", "iat", "sub"],
    ...{ currentDate: new Date(now()), clockTolerance: 30 },
  }),
  async verifySignature(site, metadata, token) {
    const verify = async (isUnknown: boolean) => {
      const keys = createLocalJWKSet(await this.getKeys(site, metadata, isUnknown));
      return await jwtVerify(token, keys, this.verifyOptions(site));
    };
    const { typ } = decodeProtectedHeader(token);
    assert(typ === undefined || typ.toLowerCase() === "jwt", "the token is no ID token");
    const isMissing = (error: unknown) => (error as { code?: string }).code === "ERR_JWKS_NO_MATCHING_KEY";
    const { payload } = await verify(false).catch(async (error) => {
      if (!isMissing(error)) throw error;
      const verified = await verify(true);
      site.kept.missedAt = undefined;
      return verified;
    });
    return payload;
  },
  checkClaims(site, { aud, azp, sub, iat, nonce }, expectedNonce) {
    assert([aud].flat().every((audience) => audience === site.clientId), "the ID token has other audiences");
    assert(azp === undefined || azp === site.clientId, "the ID token is for another client");
    assert(typeof sub === "string" && sub !== "" && sub.length < 256, "the ID token has no sub");
    assert(iat! * 1000 < site.now() + 300_000, "the ID token is from the future");
    assert(expectedNonce === undefined || nonce === expectedNonce, "the ID token has another nonce");
  },
  requestUserinfo: (site, { userinfo_endpoint }, accessToken) =>
    requestJson(site, userinfo_endpoint, { headers: { authorization: `Bearer ${accessToken}` } }),
  mergeClaims(idToken, userinfo) {
    assert(userinfo.sub === idToken.sub, "userinfo is about another user");
    const profile = Object.entries(userinfo).filter(([name]) => !tokenClaims.includes(name));
    return { ...Object.fromEntries(profile), iss: idToken.iss, sub: idToken.sub };
  },
  checkRefreshed(claims, first) {
    assert(claims.sub === first.sub, "the ID token of the refresh is about another user");
    assert(claims.nonce === undefined || claims.nonce === first.nonce, "the ID token has another nonce");
  },
  mergeTokens: (old, received) => ({ ...old, ...received, refresh_token: received.refresh_token ?? old.refresh_token }),
};

/** The user of a finished login. */
export interface Finished {
  readonly idToken: JWTPayload;
  readonly claims: Members;
  readonly tokens: Tokens;
}

/** The client with these steps. */
export function protocolClient(protocol: Protocol) {
  function discover(site: Site): Promise<Metadata> {
    const { kept } = site;
    if (kept.metadata !== undefined) return Promise.resolve(kept.metadata);
    return kept.discovering ??= requestMetadata(site).finally(() => kept.discovering = undefined);
  }

  async function requestMetadata(site: Site): Promise<Metadata> {
    const url = `${site.issuer}/.well-known/openid-configuration`;
    const metadata = await protocol.requestMetadata(site, url) as Metadata;
    protocol.checkMetadata(site, metadata);
    return site.kept.metadata = metadata;
  }

  /** Starts a login. @returns The URL to open, and what must be kept until the response. */
  async function start(site: Site, options: { target?: string; extra?: Record<string, string> } = {}) {
    const metadata = await discover(site);
    const login = protocol.newLogin(site, options.target);
    const url = new URL(metadata.authorization_endpoint);
    const parameters = { ...await protocol.requestParameters(site, login), ...options.extra };
    for (const [name, value] of Object.entries(parameters)) url.searchParams.set(name, value);
    return { url: url.href, login };
  }

  async function requestTokens(site: Site, parameters: Record<string, string>): Promise<Tokens> {
    const metadata = await discover(site);
    const body = new URLSearchParams(parameters);
    const headers = new Headers({ accept: "application/json" });
    await protocol.authenticate(site, metadata, body, headers);
    headers.set("content-type", "application/x-www-form-urlencoded");
    const tokens = await requestJson(site, metadata.token_endpoint, { method: "POST", headers, body: String(body) });
    const { access_token, token_type, refresh_token } = tokens;
    assert(isAccessToken(access_token), "no access token");
    assert(String(token_type).toLowerCase() === "bearer", "unknown type of token");
    return {
      ...tokens as Tokens,
      refresh_token: typeof refresh_token === "string" ? refresh_token || undefined : undefined,
    };
  }

  async function verify(site: Site, { id_token, access_token }: Tokens, nonce?: string): Promise<JWTPayload> {
    assert(typeof id_token === "string", "no ID token");
    const claims = await protocol.verifySignature(site, await discover(site), id_token);
    protocol.checkClaims(site, claims, nonce);
    const hash = await digest(site.alg === "EdDSA" ? "SHA-512" : "SHA-256", access_token);
    const expected = toBase64url(hash.subarray(0, hash.length / 2));
    assert(claims.at_hash === undefined || claims.at_hash === expected, "the access token is that of another login");
    return claims;
  }

  /** Ends a login. A failure forgets the metadata. */
  async function finish(site: Site, login: Login, params: URLSearchParams): Promise<Finished> {
    assert(site.now() - login.startedAt < 600_000, "the login took too long");
    const metadata = await discover(site);
    const code = protocol.readResponse(params, login, metadata);
    try {
      const tokens = await requestTokens(site, {
        ...{ grant_type: "authorization_code", code },
        ...{ redirect_uri: login.redirectUri, code_verifier: login.verifier },
      });
      const idToken = await verify(site, tokens, login.nonce);
      const userinfo = await protocol.requestUserinfo(site, metadata, tokens.access_token);
      return { idToken, tokens, claims: protocol.mergeClaims(idToken, userinfo) };
    } catch (error) {
      // An OAuth error does not come from old metadata.
      if ((error as { code?: string }).code === undefined) site.kept.metadata = undefined;
      throw error;
    }
  }

  /** Refreshes tokens. */
  async function refresh(site: Site, tokens: Tokens, first: JWTPayload): Promise<Tokens> {
    const { refresh_token } = tokens;
    assert(refresh_token !== undefined, "no refresh token: log in again");
    const received = await requestTokens(site, { grant_type: "refresh_token", refresh_token });
    if (received.id_token !== undefined) protocol.checkRefreshed(await verify(site, received), first);
    return protocol.mergeTokens(tokens, received);
  }

  return { discover, start, requestTokens, verify, finish, refresh };
}

type ProtocolClient = ReturnType<typeof protocolClient>;
