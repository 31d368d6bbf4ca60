/** Access tokens at this server's own resources, such as userinfo (RFC 6750; RFC 9449 §7; OAuth 2.1 §5). */

import { reject } from "../reject.ts";
import type { Server } from "../server.ts";
import { assertKeyProven, type OtherPlace, requireSentToken } from "./bound_token.ts";
import { checkAccessToken } from "./read_access_token.ts";
import type { AccessToken } from "./read_access_token.ts";
import type { AuthenticatedRequest } from "../grants/authenticated_request.ts";

/**
 * The access token of a request to one of this server's own resources.
 *
 * @param request The request.
 * @param bodyToken The `access_token` field of a form, if the resource accepts it there.
 * @param scopes The scope values of which the resource requires one; without them it requires none.
 * @throws {OAuthError} If the token is missing, invalid, for another audience, has too little scope, or its
 *   key is not proven.
 */
export async function requireAccessToken(
  server: Server,
  request: Pick<AuthenticatedRequest, "method" | "url" | "header" | "connection">,
  other: OtherPlace | undefined,
  ...scopes: readonly string[]
): Promise<AccessToken> {
  const { byProof, byConnection } = server.possession;
  const proofs = byProof && { required: byProof.policy(server).isRequired, scheme: byProof.scheme };
  const { scheme, token } = requireSentToken(request.header("authorization"), {
    missing: (facts, handling) => reject("BR-02", facts, handling),
    proofs,
    other,
  });
  const accessToken = await checkAccessToken(server, token);
  if (typeof accessToken === "string") throw reject("BR-02", { token, problem: accessToken });
  const { audience } = accessToken;
  if (!audience.includes(server.audience)) throw reject("BR-02", { token, audience });
  const { cnf, client_id: clientId } = accessToken.claims;
  const isByConnection = byConnection?.isBound(cnf) === true;
  if (isByConnection) await byConnection.assertProven(server, request, cnf);
  const isProven = isByConnection && cnf?.jkt === undefined && scheme === "Bearer";
  if (proofs !== undefined && !isProven) {
    await assertKeyProven(
      scheme,
      cnf,
      proofs,
      (boundKey) => byProof!.verifyResourceProof(server, request, { accessToken: token, boundKey, clientId }),
    );
    if (cnf !== undefined) server.passed?.(proofs.scheme.rule);
  } else if (cnf !== undefined && !isProven) {
    throw reject("BR-02", { isBound: true });
  }
  const granted = accessToken.claims.scope?.split(" ") ?? [];
  const [scope] = scopes;
  if (scope !== undefined && !scopes.some((scope) => granted.includes(scope))) {
    throw reject("BR-02", { scope, granted: accessToken.claims.scope }, { scope });
  }
  server.passed?.("BR-02", scopes.find((scope) => granted.includes(scope)));
  return accessToken;
}
