/** A complete authorization code flow of a public client over one connection, with every response checked. */

import { createHash, randomBytes } from "node:crypto";
import { assertJson, type ExpectedToken, jwt, secret, unexpectedResponse } from "./assert_response.ts";
import { redirectUri, rotatingId } from "./clients.ts";
import { type Connection, getHeader } from "./connection.ts";
import { type FlowName, flows, type Site } from "./site.ts";

/** Scope of every flow. */
const scope = "openid profile read";

/** Result of a flow. */
export interface Tokens {
  readonly access_token: string;
  readonly id_token: string;
  /** Only for a client registered for it. */
  readonly refresh_token?: string;
  readonly nonce: string;
}

/** Members of every response with a user's tokens. */
const userTokens = { access_token: jwt, token_type: "Bearer", expires_in: 3600, scope, id_token: jwt };

/** The same, if only the tokens matter. */
const anyTokenMembers = { access_token: jwt, token_type: "Bearer", id_token: jwt };
const anyRefreshToken = { ...anyTokenMembers, refresh_token: /^\S{20,}$/ };

const callback = encodeURIComponent(redirectUri);

/** GET authorize → redirect with a code → POST token → 200 with tokens. Throws for an invalid response. */
export async function runFlow(
  connection: Connection,
  site: Site,
  flow: FlowName = "flow",
): Promise<Tokens> {
  const clientId = flows[flow];
  const random = randomBytes(56).toString("base64url");
  const verifier = random.slice(0, 43);
  const state = random.slice(43, 59);
  const nonce = random.slice(59);
  const challenge = createHash("sha256").update(verifier).digest("base64url");

  const request = `response_type=code&client_id=${clientId}&redirect_uri=${callback}` +
    `&scope=${scope.replaceAll(" ", "%20")}&state=${state}&nonce=${nonce}&code_challenge=${challenge}` +
    `&code_challenge_method=S256`;
  const authorizationResponse = await connection.get(`${site.paths.authorize}?${request}`);
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
  const expected = isRotating ? { ...userTokens, refresh_token: secret } : userTokens;
  return { ...assertJson(tokenResponse, expected), nonce };
}

/** Required claims of a user's tokens. */
export function expectedTokens(
  { issuer, sub, exact }: Site,
  flow: FlowName,
  tokens: Tokens,
): ExpectedToken[] {
  const clientId = flows[flow];
  return [
    { token: tokens.access_token, claims: { iss: issuer, sub, ...exact && { client_id: clientId } } },
    {
      token: tokens.id_token,
      claims: { iss: issuer, sub, aud: clientId, nonce: tokens.nonce },
    },
  ];
}
