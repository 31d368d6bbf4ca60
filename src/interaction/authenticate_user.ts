/** Who is there, by what they sent from the login page: a session that goes on, a click, a password, or somebody made up. */

import type { Context } from "../app/context.ts";
import type { User } from "../oauth/clients/client.ts";
import { usableSession } from "../oauth/authorize/openid.ts";
import type { Params } from "../oauth/params.ts";
import type { Session } from "../oauth/session/session.ts";
import type { LoginRetry } from "./login_page.ts";
import type { VerifyPassword } from "./password.ts";
import type { PendingAuthorization } from "./pending.ts";
import { hasPassword, parseGuest } from "./account_picker.ts";

/** How people prove who they are. */
export interface LoginOptions {
  /** Whether users without a password are believed, and people may be made up. */
  readonly openLogin: boolean;
  /** Judges passwords. */
  readonly verifyPassword: VerifyPassword;
}

/** Somebody who is known now. */
export interface AuthenticatedUser {
  readonly user: User;
  /** The session that they simply go on with; absent where they have logged in just now. */
  readonly session?: Session;
}

/** Whom a form means; or why the page must be shown again. */
export async function authenticateUser(
  context: Context,
  { request }: PendingAuthorization,
  previousSession: Session | undefined,
  params: Params,
  options: LoginOptions,
): Promise<AuthenticatedUser | LoginRetry> {
  const result = params.get("new") !== undefined
    ? await createGuest(context, request.loginRequirements.expectedSubs === undefined && options.openLogin, params)
    : await authenticateKnown(context, request, previousSession, params, options);
  if ("status" in result || request.loginRequirements.expectedSubs?.includes(result.user.sub) !== false) return result;
  // Told only now: whom a client asks for must not show, without a password, whether there is such a user.
  return { status: 403, error: "The application asks for somebody else.", part: "password" };
}

async function createGuest(
  { server }: Context,
  allowed: boolean,
  params: Params,
): Promise<AuthenticatedUser | LoginRetry> {
  const guest = allowed
    ? await parseGuest(server, params.get("subject") ?? "", params.get("claims") ?? "")
    : "Nobody can be made up here.";
  return typeof guest === "string" ? { status: 400, error: guest, part: "new" } : { user: guest };
}

async function authenticateKnown(
  { server, target }: Context,
  { loginRequirements, client }: PendingAuthorization["request"],
  previousSession: Session | undefined,
  params: Params,
  { openLogin, verifyPassword }: LoginOptions,
): Promise<AuthenticatedUser | LoginRetry> {
  const sub = params.get("sub") ?? "";
  // User enumeration: where user names are secret, each login reads the store once. A read for unknown names only would
  // reveal them by its time.
  const user = await (openLogin ? server.users.find(sub) : server.users.reload(sub));
  const session = usableSession(server, loginRequirements, previousSession);
  if (user !== undefined && session?.sub === sub) return { user, session };
  if (user !== undefined && openLogin && !hasPassword(user)) return { user };
  const password = params.get("password");
  if (password === undefined) return { status: 200, part: "password" };
  const result = await verifyPassword(server, { sub, user, password, address: target.clientAddress.address });
  if (result === "right") return { user: user! };
  const [status, reason, error, headers] = result === "wrong"
    ? [403, "name or password is wrong", "The name or the password is wrong.", {}] as const
    : [429, "too many wrong passwords", `Too many attempts. Try again in ${result.retryAfterSeconds} s.`, {
      "retry-after": String(result.retryAfterSeconds),
    }] as const;
  server.trace({
    type: "rejected",
    at: server.now(),
    endpoint: target.path,
    error: "access_denied",
    client: client.id,
    // What was typed is not told: it may be a password in the wrong field.
    explanation: { rule: "UI-12", reason, expected: "a user of this server, and that user's password" },
  });
  return { status, error, part: "password", headers };
}
