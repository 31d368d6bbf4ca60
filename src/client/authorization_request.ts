/** Authorization requests with PKCE (OAuth 2.1 §4.1.1, RFC 7636). */

import { encodeBase64url, sha256 } from "../core/keys/crypto.ts";
import type { RandomBytes } from "../core/keys/secrets.ts";
import type { RequestParameters } from "./parameters.ts";

/** The values of a request that a client stores until the tokens arrive. */
export interface FlowValues {
  readonly state: string;
  readonly nonce: string;
  readonly verifier: string;
}

/** New values for one flow: 256 bits for the verifier, 128 for the others. */
export function newFlowValues(randomBytes: RandomBytes): FlowValues {
  const [verifier, state, nonce] = [32, 16, 16].map((bytes) => encodeBase64url(randomBytes(bytes)));
  return { state: state!, nonce: nonce!, verifier: verifier! };
}

/** The S256 challenge of a code verifier (RFC 7636 §4.2). */
export function codeChallenge(verifier: string): Promise<string> {
  return sha256(verifier);
}

/** The requested values of an authorization request. */
export interface RequestedAuthorization {
  readonly client_id: string;
  readonly redirect_uri?: string;
  /** Space-separated. */
  readonly scope?: string;
}

/** The parameters of an authorization request. It has a nonce if it asks for an ID token. */
export async function authorizationRequest(
  { client_id, redirect_uri, scope }: RequestedAuthorization,
  { state, nonce, verifier }: FlowValues,
): Promise<RequestParameters> {
  return {
    response_type: "code",
    client_id,
    redirect_uri,
    scope,
    state,
    nonce: scope?.split(" ").includes("openid") ? nonce : undefined,
    code_challenge: await codeChallenge(verifier),
    code_challenge_method: "S256",
  };
}
