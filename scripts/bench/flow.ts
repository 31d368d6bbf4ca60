/** A complete authorization code flow of a public client over one connection, with every response checked. */

import { createHash, randomBytes } from "node:crypto";
import { assertJson, jwt, secret, unexpectedResponse } from "./assert_response.ts";
import type { ExpectedToken } from "./assert_response.ts";
import { redirectUri, rotatingId } from "./clients.ts";
import { getHeader } from "./connection.ts";
import type { Connection } from "./connection.ts";
import type { Site } from "./site.ts";

/** Scope of every flow. */
export const scope = "openid profile read";

/** Result of a flow. */
export interface Tokens {
  readonly access_token: string;
  readonly id_token: string;
  /** Only for a client registered for it. */
  readonly refresh_token?: string;
  readonly nonce: string;
}

/** Members of every response with a user's tokens. */
export const userTokens = { access_token: jwt, token_type: "Bearer", expires_in: 3600, scope, id_token: jwt };

/** The same, if only the tokens matter. */
const anyTokenMembers = { access_token: jwt, token_type: "Bearer", id_token: jwt };
const anyRefreshToken = { ...anyTokenMembers, refresh_token: /^\S{20,}$/ };

const callback = encodeURIComponent(redirectUri);

/** What differs from a plain flow. */
export interface FlowOptions {
  /** Whether the authorization request is pushed (RFC 9126). Default: false. */
  readonly pushes?: boolean;
  /** The type of the access token. Default: `Bearer`. */
  readonly token_type?: "Bearer" | "DPoP";
}

/** GET authorize → redirect with a code → POST token → 200 with tokens. Throws for an invalid response. */
export async function runFlow(
  connection: Connection,
  site: Site,
  clientId = site.clientId,
  { pushes = false, token_type = "Bearer" }: FlowOptions = {},
): Promise<Tokens> {
  const random = randomBytes(56).toString("base64url");
  const verifier = random.slice(0, 43);
  const state = random.slice(43, 59);
  const nonce = random.slice(59);
  const challenge = createHash("sha256").update(verifier).digest("base64url");

  const request = `response_type=code&client_id=${clientId}&redirect_uri=${callback}` +
    `&scope=${scope.replaceAll(" ", "%20")}&state=${state}&nonce=${nonce}&code_challenge=${challenge}` +
    `&code_challenge_method=S256`;
  const query = pushes ? await push(connection, clientId, request) : request;
  const authorizationResponse = await connection.get(`${site.paths.authorize}?${query}`);
  const location = getHeader(authorizationResponse.head, "location") ?? "";
  if (
    !(authorizationResponse.status === 302 || authorizationResponse.status === 303) ||
    !location.startsWith(`${redirectUri}?`)
  ) {
    throw unexpectedResponse("a redirect to the client from the authorization endpoint", authorizationResponse);
  }
  const response = new URLSearchParams(location.slice(redirectUri.length + 1));
  const code = response.get("code") ?? "";
  const iss = response.get("iss") ?? (site.exact ? "" : site.issuer);
  if (!(site.exact ? secret : /./).test(code) || response.get("state") !== state || iss !== site.issuer) {
    throw unexpectedResponse("code, state and the right iss in the redirect", authorizationResponse);
  }

  const tokenResponse = await connection.post(
    site.paths.token,
    `grant_type=authorization_code&code=${code}&redirect_uri=${callback}&client_id=${clientId}` +
      `&code_verifier=${verifier}`,
  );
  const isRotating = clientId === rotatingId;
  if (!site.exact) {
    return { ...assertJson(tokenResponse, isRotating ? anyRefreshToken : anyTokenMembers, false), nonce };
  }
  const members = { ...userTokens, token_type };
  const expected = isRotating ? { ...members, refresh_token: secret } : members;
  return { ...assertJson(tokenResponse, expected), nonce };
}

/** Pushes an authorization request at Latchkey; returns the query that refers to it. */
async function push(connection: Connection, clientId: string, request: string): Promise<string> {
  const response = await connection.post("/oauth2/par", request);
  const { request_uri } = JSON.parse(response.body);
  if (response.status !== 201 || typeof request_uri !== "string") throw unexpectedResponse("a request_uri", response);
  return `client_id=${clientId}&request_uri=${encodeURIComponent(request_uri)}`;
}

/** Required claims of a user's tokens. */
export function expectedTokens(
  { issuer, sub, exact }: Site,
  clientId: string,
  tokens: Omit<Tokens, "nonce">,
): ExpectedToken[] {
  return [
    { token: tokens.access_token, claims: { iss: issuer, sub, ...exact && { client_id: clientId } } },
    {
      token: tokens.id_token,
      claims: { iss: issuer, sub, aud: clientId, ..."nonce" in tokens && { nonce: tokens.nonce } },
    },
  ];
}
