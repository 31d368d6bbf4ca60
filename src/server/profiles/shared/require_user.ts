/** Access tokens at the APIs of providers, which need no scope value. */

import type { Context } from "../../../core/http/context.ts";
import type { User } from "../../../core/clients/client.ts";
import { OAuthError } from "../../../core/rules/errors.ts";
import type { AccessToken } from "../../../core/token/tokens/access_token.ts";
import { requireAccessToken, resourceRequest } from "../../../core/token/tokens/read_access_token.ts";

/**
 * The user of the access token of a request.
 *
 * @param scheme A scheme that the provider accepts like `Bearer`. Default: none.
 * @throws {OAuthError} If the token is missing or invalid, is for another resource, has no user, or its key is not
 *   proven.
 */
export async function requireUser(
  context: Context,
  scheme?: string,
): Promise<{ readonly token: AccessToken; readonly user: User }> {
  const { server } = context;
  const request = resourceRequest(context);
  const sent = request.header("authorization");
  const isOther = scheme !== undefined && sent?.toLowerCase().split(" ", 1)[0] === scheme;
  const authorization = isOther ? `Bearer${sent!.slice(scheme.length)}` : sent;
  const header = (name: string) => name === "authorization" ? authorization : request.header(name);
  const token = await requireAccessToken(server, { ...request, header }, undefined);
  const user = token.user === undefined ? undefined : await server.users.find(token.user);
  if (user !== undefined) return { token, user };
  throw new OAuthError("invalid_token", "the access token has no user", {
    rule: "BR-02",
    expected: "a valid access token of a user",
    received: "a token without a user",
  });
}
