/** One whole authorization code flow of a public client over one connection, with every answer checked. */

import { createHash, randomBytes } from "node:crypto";
import { jwt, members, secret, unlike } from "./answers.ts";
import { redirectUri, rotatingId } from "./clients.ts";
import { header } from "./connection.ts";
import type { Connection } from "./connection.ts";

/** What every flow asks for. */
export const scope = "openid profile read";

/** What a flow ends with. */
export interface Tokens {
  readonly access_token: string;
  readonly id_token: string;
  /** Only for the client that is registered for it. */
  readonly refresh_token?: string;
  readonly nonce: string;
}

/** What every answer with tokens for a user holds. */
export const userTokens = { access_token: jwt, token_type: "Bearer", expires_in: 3600, scope, id_token: jwt };

const callback = encodeURIComponent(redirectUri);

/** GET authorize → 302 with a code → POST token → 200 with tokens; throws what is wrong with an answer. */
export async function flow(connection: Connection, issuer: string, clientId: string): Promise<Tokens> {
  const random = randomBytes(56).toString("base64url");
  const verifier = random.slice(0, 43);
  const state = random.slice(43, 59);
  const nonce = random.slice(59);
  const challenge = createHash("sha256").update(verifier).digest("base64url");

  const sent = await connection.get(
    `/oauth2/authorize?response_type=code&client_id=${clientId}&redirect_uri=${callback}` +
      `&scope=${scope.replaceAll(" ", "%20")}&state=${state}&nonce=${nonce}&code_challenge=${challenge}` +
      `&code_challenge_method=S256`,
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

  const bought = await connection.post(
    "/oauth2/token",
    `grant_type=authorization_code&code=${code}&redirect_uri=${callback}&client_id=${clientId}` +
      `&code_verifier=${verifier}`,
  );
  const tokens = clientId === rotatingId
    ? members(bought, { ...userTokens, refresh_token: secret })
    : members(bought, userTokens);
  return { ...tokens, nonce };
}
