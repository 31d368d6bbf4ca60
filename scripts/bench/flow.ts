/** One whole authorization code flow of the public demo client over one connection, with every answer checked. */

import { createHash, randomBytes } from "node:crypto";
import { header } from "./connection.ts";
import type { Answer, Connection } from "./connection.ts";

/** A server that is spoken to. */
export interface Target {
  readonly port: number;
  readonly issuer: string;
}

/** What a flow ends with. */
export interface Tokens {
  readonly access_token: string;
  readonly id_token: string;
  readonly nonce: string;
}

const clientId = "demo-public";
const jwt = /^[\w-]{20,}\.[\w-]{100,}\.[\w-]{80,}$/;
const secret = /^[\w-]{43}$/;

/** GET authorize → 302 with a code → POST token → 200 with two tokens; throws what is wrong with an answer. */
export async function flow(connection: Connection, { port, issuer }: Target): Promise<Tokens> {
  const random = randomBytes(56).toString("base64url");
  const verifier = random.slice(0, 43);
  const state = random.slice(43, 59);
  const nonce = random.slice(59);
  const challenge = createHash("sha256").update(verifier).digest("base64url");
  const redirectUri = `${issuer}/authorized`;
  const callback = encodeURIComponent(redirectUri);

  const query = `response_type=code&client_id=${clientId}&redirect_uri=${callback}&scope=openid%20profile%20read` +
    `&state=${state}&nonce=${nonce}&code_challenge=${challenge}&code_challenge_method=S256`;
  const sent = await connection.send(
    `GET /oauth2/authorize?${query} HTTP/1.1\r\nHost: localhost:${port}\r\nAccept: text/html\r\n\r\n`,
  );
  const location = header(sent.head, "location") ?? "";
  if (sent.status !== 302 || !location.startsWith(`${redirectUri}?`)) {
    throw unlike("302 to the redirect URI from the authorization endpoint", sent);
  }
  const response = new URLSearchParams(location.slice(redirectUri.length + 1));
  const code = response.get("code") ?? "";
  if (!secret.test(code) || response.get("state") !== state || response.get("iss") !== issuer) {
    throw unlike("code, state and iss in the redirect", sent);
  }

  const form = `grant_type=authorization_code&code=${code}&redirect_uri=${callback}&client_id=${clientId}` +
    `&code_verifier=${verifier}`;
  const bought = await connection.send(
    `POST /oauth2/token HTTP/1.1\r\nHost: localhost:${port}\r\nAccept: application/json\r\n` +
      `Content-Type: application/x-www-form-urlencoded\r\nContent-Length: ${form.length}\r\n\r\n${form}`,
  );
  if (bought.status !== 200 || header(bought.head, "cache-control") !== "no-store") {
    throw unlike("200, not to be cached, from the token endpoint", bought);
  }
  const { access_token, id_token, token_type, expires_in, scope } = JSON.parse(bought.body);
  const inOrder = token_type === "Bearer" && expires_in === 3600 && scope === "openid profile read";
  if (!inOrder || !jwt.test(access_token) || !jwt.test(id_token)) {
    throw unlike("two JWTs, token_type, expires_in and scope from the token endpoint", bought);
  }
  return { access_token, id_token, nonce };
}

function unlike(expected: string, { head, body }: Answer): Error {
  return new Error(`Expected ${expected}, found:\n${head}\n\n${body}`);
}

const parameters = {
  RS256: { name: "RSASSA-PKCS1-v1_5", hash: "SHA-256" },
  ES256: { name: "ECDSA", namedCurve: "P-256", hash: "SHA-256" },
  EdDSA: { name: "Ed25519" },
};

/** Proves both tokens of a flow: throws unless the signatures are by published keys and the claims those of the flow. */
export type Prove = (tokens: Tokens) => Promise<void>;

/** Fetches the keys that a server publishes. */
export async function prover(connection: Connection, { port, issuer }: Target): Promise<Prove> {
  const answer = await connection.send(`GET /oauth2/jwks HTTP/1.1\r\nHost: localhost:${port}\r\n\r\n`);
  if (answer.status !== 200) throw unlike("200 from the JWKS endpoint", answer);
  const keys = new Map<string, CryptoKey>();
  for (const jwk of JSON.parse(answer.body).keys) {
    const algorithm = parameters[jwk.alg as keyof typeof parameters];
    keys.set(jwk.kid, await crypto.subtle.importKey("jwk", jwk, algorithm, false, ["verify"]));
  }

  async function claims(token: string): Promise<Record<string, unknown>> {
    const [header = "", payload = "", signature = ""] = token.split(".");
    const { alg, kid } = JSON.parse(String(Buffer.from(header, "base64url")));
    const key = keys.get(kid);
    const holds = key !== undefined && await crypto.subtle.verify(
      parameters[alg as keyof typeof parameters],
      key,
      Buffer.from(signature, "base64url"),
      Buffer.from(`${header}.${payload}`),
    );
    if (!holds) throw new Error(`Expected a token signed by a published key, found ${token}`);
    return JSON.parse(String(Buffer.from(payload, "base64url")));
  }

  return async (tokens) => {
    const access = await claims(tokens.access_token);
    const id = await claims(tokens.id_token);
    const same = access.iss === issuer && id.iss === issuer && access.sub === id.sub &&
      access.client_id === clientId && id.aud === clientId && id.nonce === tokens.nonce;
    if (!same) throw new Error(`Expected the claims of this flow, found ${JSON.stringify([access, id])}`);
  };
}
