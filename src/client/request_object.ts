/** Signed authorization requests (RFC 9101). */

import { type JwtChanges, signClientJwt, type SigningContext, type SigningKey } from "./jwt.ts";
import type { RequestParameters } from "./parameters.ts";

/** The parameters that carry a signed authorization request. */
export async function signedRequest(
  context: SigningContext,
  key: SigningKey,
  params: RequestParameters & { readonly client_id: string },
  { header, claims }: JwtChanges = {},
): Promise<{ readonly client_id: string; readonly request: string }> {
  const { client_id } = params;
  const changes = { header, claims: { ...params, ...claims } };
  return { client_id, request: await signClientJwt(context, client_id, key, "oauth-authz-req+jwt", changes) };
}
