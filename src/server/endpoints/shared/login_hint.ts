/** A `login_hint` that is not the `sub` of a user, with automatic login. */

import type { AuthorizationRequest } from "../../oauth/authorize/authorization_request.ts";
import type { User } from "../../oauth/clients/client.ts";
import { warn, warnAccepted } from "../../oauth/warn.ts";
import { createGuestUser, maxUsers, userForHint, validateUser } from "../../oauth/users/users.ts";
import { OAuthError } from "../../oauth/errors.ts";
import type { Server } from "../../oauth/server.ts";
import { decodedPlusFix } from "../../oauth/params.ts";
import type { Explanation } from "../../oauth/trace.ts";

/** Maximum number of users that an explanation names. */
const maxNamedUsers = 10;

/**
 * The user of the hint: on test hosts the user who has it as e-mail address or `preferred_username`, or the user that
 * the setting `unknownLoginHint` creates. `undefined`, with a warning, if the default user is to be logged in.
 *
 * @throws {OAuthError} If the setting rejects the hint, or the user cannot be created.
 */
export async function resolveLoginHint(
  server: Server,
  loginHint: string,
  { clientId, loginRequirements }: AuthorizationRequest,
): Promise<User | undefined> {
  const { users, settings: { allows, unknownLoginHint } } = server;
  const named = allows.openLogin ? await userForHint(server, loginHint) : undefined;
  if (named !== undefined) return named;
  const fix = decodedPlusFix(loginHint);
  if (fix !== undefined && allows.openLogin && await userForHint(server, loginHint.replaceAll(" ", "+"))) {
    throw new OAuthError("invalid_request", "login_hint names no user, because its + was sent as a space", {
      rule: "OI-06",
      expected: loginHint.replaceAll(" ", "+"),
      received: loginHint,
      fix,
    });
  }
  // A request with prompt=none continues a session, and a new user has none.
  const isSilent = loginRequirements.prompt.includes("none");
  const creates = unknownLoginHint === "create" && !isSilent;
  const created = creates ? await createUser(server, loginHint) : "login_hint names no user";
  if (typeof created === "object") {
    const reason = "login_hint names no user";
    const explanation = { rule: "OI-06", reason, expected: "the sub of a user", received: loginHint, fix } as const;
    if (server.settings.acceptsAny.includes("users")) warnAccepted(server, { id: clientId }, "users", explanation);
    else if (fix !== undefined) {
      warn(server, clientId, { ...explanation, reason: `${reason}; a user with a space in the address was created` });
    }
    return created;
  }
  const subs = [...users.known().keys()];
  const known = subs.length > maxNamedUsers ? `${subs.slice(0, maxNamedUsers).join(", ")}, …` : subs.join(" or ");
  const explanation: Explanation = {
    rule: "OI-06",
    reason: created,
    expected: known || "no hint",
    received: loginHint,
    fix,
  };
  if (unknownLoginHint !== "default") {
    const code = unknownLoginHint === "create" && isSilent ? "login_required" : "invalid_request";
    throw new OAuthError(code, created, explanation);
  }
  const reason = `${created}: the user of the session, or the default user, was logged in`;
  warn(server, clientId, { ...explanation, reason });
  return undefined;
}

/** Creates the user that the hint names. Returns the reason if it cannot. */
async function createUser(server: Server, hint: string): Promise<User | string> {
  const user = { sub: hint, name: hint, ...hint.includes("@") && { email: hint } };
  if (validateUser(user).length > 0) return "login_hint names no user, and cannot be the sub of a new user";
  if (await server.users.count() >= maxUsers) return `login_hint names no user, and the server has ${maxUsers} already`;
  return await createGuestUser(server, user) ?? "login_hint names no user";
}
