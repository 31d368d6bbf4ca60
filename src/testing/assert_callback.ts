/** Checks of a correct client on the authorization response, before it sends the token request. */

import { jwtPolicies } from "../platform/jwt/jwt_policies.ts";
import { ownResponseModes } from "../core/authorize/authorization_request.ts";
import type { Server } from "../core/server.ts";
import { verifyOwnJwt } from "../core/keys/verification.ts";
import type { ClientCredentials } from "../client/authentication.ts";
import { LoginError } from "./login_error.ts";
import type { Callback } from "./browser/callback.ts";

/** Throws if the response must be signed and is not, or if the signature is not valid for this client. */
export async function assertSignature(
  server: Server,
  callback: Callback,
  mode: string | undefined,
  { client_id }: ClientCredentials,
): Promise<void> {
  const { response, problem } = callback;
  if (response === undefined) {
    const isExpected = mode !== undefined && server.responseModes.has(mode) && !ownResponseModes.has(mode);
    if (!isExpected || callback.error !== undefined) return;
    throw new LoginError(`The callback is not signed, although the request has response_mode=${mode}`, { callback });
  }
  const expected = { issuer: server.issuer, audience: client_id };
  const claims = await verifyOwnJwt(server, response, jwtPolicies.authorization_response, expected);
  if (claims !== undefined) return;
  const reason = problem === undefined ? "" : `: ${problem}`;
  throw new LoginError(`The callback is not signed by this server for client ${client_id}${reason}`, { callback });
}

/** Throws if a correct client must not continue with the token request. */
export function assertCallback(
  callback: Callback,
  state: string | undefined,
  issuer: string | undefined,
  { client_id }: ClientCredentials,
): void {
  const { error, errorDescription, explanation, internalError } = callback;
  for (const [name, expected, received] of [["state", state, callback.state], ["iss", issuer, callback.iss]] as const) {
    if (expected === received) continue;
    const facts = `expected: ${expected ?? "none"}\n  received: ${received ?? "none"}`;
    throw new LoginError(`The callback does not belong to this request: ${name} is wrong\n  ${facts}`, { callback });
  }
  if (error !== undefined) {
    const sentence = `The authorization endpoint rejected client ${client_id}: ${error}, ${errorDescription}`;
    throw new LoginError(sentence, { error, explanation, internalError, callback });
  }
  if (callback.code === undefined) throw new LoginError("The callback has neither a code nor an error", { callback });
}
