/**
 * The bare server: same bytes in and out, one digest, the same number of signatures, a Map, and almost no checks. It
 * digests and signs with Latchkey's functions, so that everything else is compared.
 */

import { cryptography, encodeBase64url, sha256 } from "../../src/core/keys/crypto.ts";
import { generateKey } from "../../src/core/keys/web_keys.ts";
import { type BareResponse, serve } from "./bare_http.ts";
import { rotatingId, user } from "./clients.ts";
import { type BenchAlgorithm, latchkeySite, type ServerAddress } from "./site.ts";

/** Data of a code or a refresh token. */
interface GrantRecord {
  readonly clientId: string;
  readonly scope: string;
  readonly challenge: string;
  readonly nonce: string;
  readonly sid: string;
}

const encoder = new TextEncoder();

/** Listens on a free port of 127.0.0.1, with a new key. */
export async function listen(alg: BenchAlgorithm): Promise<ServerAddress> {
  const privateJwk = await generateKey(alg);
  const { kty, crv, x, y, n, e } = privateJwk;
  const jwk = { kty, crv, x, y, n, e };
  const signBytes = await cryptography().importSigner(alg, privateJwk);
  const kid = randomText(32);
  const head = (typ: string): string => encodeBase64url(JSON.stringify({ alg, typ, kid }));
  const heads = { access: head("at+jwt"), id: head("JWT") };
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

  async function token(form: string): Promise<BareResponse> {
    const params = new URLSearchParams(form);
    const code = params.get("code")!;
    const grant = codes.get(code);
    if (grant === undefined || await sha256(params.get("code_verifier")!) !== grant.challenge) return badRequest;
    codes.delete(code);
    if (grant.clientId !== rotatingId) return await issue(grant);
    const refreshToken = randomText(32);
    refreshTokens.set(refreshToken, grant);
    return await issue(grant, refreshToken);
  }

  async function issue({ clientId, scope, sid, nonce }: GrantRecord, refresh_token?: string): Promise<BareResponse> {
    const { sub } = user;
    const iat = Math.floor(Date.now() / 1000);
    const exp = iat + 3600;
    const jti = `${randomText(16)}.${randomText(16)}`;
    const common = { iss: issuer, sub, exp, iat, auth_time: iat, sid };
    const [access_token, id_token] = await Promise.all([
      sign(heads.access, { ...common, aud: issuer, client_id: clientId, scope, jti }),
      sign(heads.id, { ...common, aud: clientId, nonce, at_hash: "A".repeat(22) }),
    ]);
    return json({ access_token, token_type: "Bearer", expires_in: 3600, scope, refresh_token, id_token }, cors);
  }

  async function sign(head: string, claims: unknown): Promise<string> {
    const input = `${head}.${encodeBase64url(JSON.stringify(claims))}`;
    return `${input}.${encodeBase64url(await signBytes(encoder.encode(input)))}`;
  }

  const port = await serve(async (request) => {
    switch (request.path) {
      case "/oauth2/authorize":
        return authorize(request.query);
      case "/oauth2/token":
        return await token(await request.form());
      default:
        return json({ keys: [{ ...jwk, kid, alg }] });
    }
  });
  issuer = `http://localhost:${port}`;
  // Same length as Latchkey's.
  cookie = `latchkey_session_${port}=${"A".repeat(108)}; Path=/; HttpOnly; SameSite=Lax`;
  return { port, site: latchkeySite(issuer) };
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
