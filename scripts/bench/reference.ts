/**
 * The reference server: same bytes in and out, one digest, the same number of signatures, a Map, and almost no checks.
 * It digests and signs with Latchkey's functions, so that everything else is compared; or it signs by WebCrypto, which
 * every runtime has.
 */

import {
  encodeBase64url,
  generateKey,
  importPrivateKey,
  importPublicKey,
  sha256,
} from "../../src/platform/runtime/crypto.ts";
import type { SignBytes } from "../../src/platform/runtime/crypto.ts";
import { serve } from "./bare_http.ts";
import type { BareRequest, BareResponse } from "./bare_http.ts";
import { confidential, rotatingId, user } from "./clients.ts";
import type { ServerAddress } from "./server.ts";
import { latchkeySite } from "./site.ts";

/** Data of a code or a refresh token. */
interface GrantRecord {
  readonly clientId: string;
  readonly scope: string;
  readonly challenge: string;
  readonly nonce: string;
  readonly sid: string;
}

const algorithms = {
  RS256: { name: "RSASSA-PKCS1-v1_5", hash: "SHA-256" },
  ES256: { name: "ECDSA", namedCurve: "P-256", hash: "SHA-256" },
  EdDSA: { name: "Ed25519" },
};

const encoder = new TextEncoder();
const decoder = new TextDecoder();
const native = "toBase64" in Uint8Array.prototype;

/** Listens on a free port of 127.0.0.1, with a new key. */
export async function listen(alg: keyof typeof algorithms, signer: "quickest" | "webcrypto"): Promise<ServerAddress> {
  const privateJwk = await generateKey(alg);
  const { kty, crv, x, y, n, e } = privateJwk;
  const jwk = { kty, crv, x, y, n, e };
  const signing = signer === "quickest" ? importPrivateKey : signingByWebCrypto;
  const [signBytes, publicKey] = await Promise.all([signing(alg, privateJwk), importPublicKey(alg, jwk)]);
  const kid = randomText(32);
  const head = (typ: string): string => encodeBase64url(JSON.stringify({ alg, typ, kid }));
  const heads = { access: head("at+jwt"), id: head("JWT") };
  const secretDigest = await sha256(confidential.secret);
  const codes = new Map<string, GrantRecord>();
  const refreshTokens = new Map<string, GrantRecord>();
  let issuer = "";
  let cookie = "";

  function authorize(query: string): BareResponse {
    const params = new URLSearchParams(query);
    const code = randomText(32);
    codes.set(code, {
      clientId: params.get("client_id")!,
      scope: params.get("scope")!,
      challenge: params.get("code_challenge")!,
      nonce: params.get("nonce")!,
      sid: randomText(16),
    });
    const response = `code=${code}&state=${params.get("state")}&iss=${encodeURIComponent(issuer)}`;
    return {
      status: 302,
      headers: {
        location: `${params.get("redirect_uri")}?${response}`,
        "cache-control": "no-store",
        "referrer-policy": "no-referrer",
        "set-cookie": cookie,
      },
      body: null,
    };
  }

  async function token({ form, authorization }: BareRequest): Promise<BareResponse> {
    const params = new URLSearchParams(await form());
    switch (params.get("grant_type")) {
      case "refresh_token":
        return await refresh(params.get("refresh_token")!);
      case "client_credentials":
        return await issueClientToken(authorization(), params.get("scope")!);
      default:
        return await exchangeCode(params.get("code")!, params.get("code_verifier")!);
    }
  }

  async function exchangeCode(code: string, verifier: string): Promise<BareResponse> {
    const grant = codes.get(code);
    if (grant === undefined || await sha256(verifier) !== grant.challenge) return badRequest;
    codes.delete(code);
    if (grant.clientId !== rotatingId) return await issue(grant, grant.nonce);
    const refreshToken = randomText(32);
    refreshTokens.set(refreshToken, grant);
    return await issue(grant, grant.nonce, refreshToken);
  }

  async function refresh(used: string): Promise<BareResponse> {
    const grant = refreshTokens.get(used);
    if (grant === undefined) return badRequest;
    refreshTokens.delete(used);
    const next = await sha256(used);
    refreshTokens.set(next, grant);
    return await issue(grant, undefined, next);
  }

  async function issueClientToken(credentials: string, scope: string): Promise<BareResponse> {
    const id = await authenticate(credentials);
    if (id === undefined) return badRequest;
    const access_token = await sign(heads.access, accessClaims(id, id, scope));
    return json({ access_token, token_type: "Bearer", expires_in: 3600, scope }, cors);
  }

  async function issue(
    { clientId, scope, sid }: GrantRecord,
    nonce?: string,
    refresh_token?: string,
  ): Promise<BareResponse> {
    const claims = accessClaims(user.sub, clientId, scope);
    const { iss, sub, iat, exp } = claims;
    const session = { auth_time: iat, sid };
    const [access_token, id_token] = await Promise.all([
      sign(heads.access, { ...claims, ...session }),
      sign(heads.id, { iss, sub, aud: clientId, exp, iat, nonce, at_hash: "A".repeat(22), ...session }),
    ]);
    return json({ access_token, token_type: "Bearer", expires_in: 3600, scope, refresh_token, id_token }, cors);
  }

  function accessClaims(sub: string, clientId: string, scope: string) {
    const iat = Math.floor(Date.now() / 1000);
    const jti = `${randomText(16)}.${randomText(16)}`;
    return { iss: issuer, sub, aud: issuer, client_id: clientId, scope, iat, exp: iat + 3600, jti };
  }

  async function sign(head: string, claims: unknown): Promise<string> {
    const input = `${head}.${encodeBase64url(JSON.stringify(claims))}`;
    return `${input}.${encodeBase64url(await signBytes(encoder.encode(input)))}`;
  }

  async function introspect({ form, authorization }: BareRequest): Promise<BareResponse> {
    const params = new URLSearchParams(await form());
    if (await authenticate(authorization()) === undefined) return badRequest;
    const claims = await verifyToken(params.get("token")!);
    return claims === undefined ? badRequest : json({ active: true, token_type: "Bearer", ...claims });
  }

  async function userinfo(credentials: string): Promise<BareResponse> {
    const claims = await verifyToken(credentials.slice("Bearer ".length));
    return claims === undefined ? badRequest : json({ name: user.name, sub: claims.sub }, cors);
  }

  /** Id of a client with a correct secret. */
  async function authenticate(credentials: string): Promise<string | undefined> {
    const [id, secret = ""] = atob(credentials.slice("Basic ".length)).split(":");
    return await sha256(secret) === secretDigest ? id : undefined;
  }

  /** Claims of a token with a valid signature. */
  async function verifyToken(token: string): Promise<Record<string, unknown> | undefined> {
    const end = token.lastIndexOf(".");
    const signature = decodeBase64url(token.slice(end + 1));
    const input = encoder.encode(token.slice(0, end));
    if (!await crypto.subtle.verify(algorithms[alg], publicKey, signature, input)) return undefined;
    return JSON.parse(decoder.decode(decodeBase64url(token.slice(token.indexOf(".") + 1, end))));
  }

  const port = await serve(async (request) => {
    switch (request.path) {
      case "/oauth2/authorize":
        return authorize(request.query);
      case "/oauth2/token":
        return await token(request);
      case "/oauth2/introspect":
        return await introspect(request);
      case "/oauth2/userinfo":
        return await userinfo(request.authorization());
      default:
        return json({ keys: [{ ...jwk, kid, alg }] });
    }
  });
  issuer = `http://localhost:${port}`;
  // Same length as Latchkey's.
  cookie = `latchkey_session_${port}=${"A".repeat(108)}; Path=/; HttpOnly; SameSite=Lax`;
  return { port, site: latchkeySite(issuer) };
}

async function signingByWebCrypto(alg: keyof typeof algorithms, jwk: JsonWebKey): Promise<SignBytes> {
  const key = await crypto.subtle.importKey("jwk", jwk, algorithms[alg], false, ["sign"]);
  return async (bytes) => new Uint8Array(await crypto.subtle.sign(algorithms[alg], key, bytes as BufferSource));
}

const badRequest: BareResponse = { status: 400, headers: {}, body: "" };

const cors = {
  "access-control-allow-origin": "*",
  "access-control-expose-headers": "WWW-Authenticate, Retry-After",
};

/** Responds with the headers of Latchkey. */
function json(body: unknown, extra?: Record<string, string>): BareResponse {
  const headers = {
    "content-type": "application/json",
    "cache-control": "no-store",
    "x-content-type-options": "nosniff",
    ...extra,
  };
  return { status: 200, headers, body: JSON.stringify(body) };
}

function randomText(bytes: number): string {
  return encodeBase64url(crypto.getRandomValues(new Uint8Array(bytes)));
}

/** Bytes of a base64url string. */
function decodeBase64url(text: string): Uint8Array<ArrayBuffer> {
  return native ? Uint8Array.fromBase64(text, { alphabet: "base64url" }) : Buffer.from(text, "base64url");
}
