/** The client of the embedded part: the same login, with the same checks, at every subject. */

import { createHash, randomBytes } from "node:crypto";
import { jwt, prover, unlike } from "../answers.ts";
import { redirectUri } from "../clients.ts";
import { header } from "../connection.ts";
import type { Connection } from "../connection.ts";
import type { Started } from "./subject.ts";

/** What every login asks for. */
const scope = "openid profile read";

/** The tokens of one login. */
interface Tokens {
  readonly access_token: string;
  readonly id_token: string;
}

/** Authorization request, callback, token request; throws what is wrong with an answer or with a claim. */
export async function logIn(at: Started, connection: Connection): Promise<Tokens> {
  const random = randomBytes(56).toString("base64url");
  const verifier = random.slice(0, 43);
  const state = random.slice(43, 59);
  const nonce = random.slice(59);
  const query = new URLSearchParams({
    response_type: "code",
    client_id: at.clientId,
    redirect_uri: redirectUri,
    scope,
    state,
    nonce,
    code_challenge: createHash("sha256").update(verifier).digest("base64url"),
    code_challenge_method: "S256",
  });
  const sent = await connection.get(`${at.paths.authorize}?${query}`);
  const location = header(sent.head, "location") ?? "";
  if (!(sent.status === 302 || sent.status === 303) || !location.startsWith(`${redirectUri}?`)) {
    throw unlike("a redirect to the client from the authorization endpoint", sent);
  }
  const callback = new URLSearchParams(location.slice(redirectUri.length + 1));
  const code = callback.get("code");
  if (code === null || callback.get("state") !== state || (callback.get("iss") ?? at.issuer) !== at.issuer) {
    throw unlike("code, state and, if any, the right iss in the redirect", sent);
  }

  const form = new URLSearchParams({
    grant_type: "authorization_code",
    code,
    redirect_uri: redirectUri,
    client_id: at.clientId,
    code_verifier: verifier,
  });
  const bought = await connection.post(at.paths.token, String(form));
  const { access_token, id_token, token_type } = JSON.parse(bought.body);
  if (bought.status !== 200 || token_type !== "Bearer" || !jwt.test(access_token) || !jwt.test(id_token)) {
    throw unlike("200 with an access token and an id token, both signed", bought);
  }
  const claims = JSON.parse(String(Buffer.from(id_token.split(".")[1], "base64url")));
  const expected = { iss: at.issuer, sub: at.sub, aud: at.clientId, nonce };
  const odd = Object.entries(expected).find(([name, value]) => claims[name] !== value);
  if (odd !== undefined) {
    throw new Error(`Expected ${odd[0]} ${odd[1]} in the id token, found ${JSON.stringify(claims)}`);
  }
  return { access_token, id_token };
}

/** Throws unless the tokens of a login are signed by keys that the server publishes. */
export async function verify(at: Started, connection: Connection, tokens: Tokens): Promise<void> {
  const prove = await prover(connection, at.paths.jwks);
  const claims = { iss: at.issuer, sub: at.sub };
  for (const token of [tokens.access_token, tokens.id_token]) await prove({ token, claims });
}
