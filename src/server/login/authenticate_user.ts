/** Authentication on the login page: by the current session, a click, a password, or as a new guest user. */

import type { Context } from "../../core/http/context.ts";
import { traceRejection } from "../../core/responses/error_response.ts";
import type { User } from "../../core/clients/client.ts";
import { type Authentication, type AuthenticationLevels, demandedLevels } from "../token/levels.ts";
import type { LoginMethod } from "../../core/policy/policy.ts";
import { allowsUser, usableSession } from "../../core/authorize/login.ts";
import type { HostedServer } from "../hosted_server.ts";
import type { Params } from "../../core/http/params.ts";
import type { Session } from "../../core/sessions/session.ts";
import { userForHint } from "../clients/login_hint.ts";
import { guestFields, hasPassword, parseGuest, recentUsers } from "./account_picker.ts";
import type { LoginProps } from "./pages/login.tsx";
import type { Interaction } from "./pending.ts";
import type { Guess } from "./password_attempt.ts";

/** Why the page is shown again. */
export interface LoginRetry {
  readonly status: number;
  /** The error message; absent if a field is still empty. */
  readonly error?: string;
  /** The part of the page that shows it. */
  readonly part: NonNullable<LoginProps["retry"]>["part"];
  readonly headers?: Readonly<Record<string, string>>;
  /** Whether name or password is wrong. Default: false. */
  readonly isWrongPassword?: boolean;
}

export interface AuthenticationOptions {
  /** Whether users without a password can log in, and guest users can be created. */
  readonly openLogin: boolean;
}

export interface AuthenticatedUser {
  readonly user: User;
  /** The session that continues; absent after a new login. */
  readonly session?: Session;
  /** The level of a new login; absent if the server has no levels. */
  readonly level?: Authentication;
}

/** A user who is authenticated: by the session, or by a new login. */
type Login = NewLogin | (Required<Pick<AuthenticatedUser, "user" | "session">> & { readonly method?: undefined });

interface NewLogin {
  readonly user: User;
  readonly method: LoginMethod;
  readonly session?: undefined;
}

/** Authenticates the user by the form of the login page; or returns why the page must be shown again. */
export async function authenticateUser(
  context: Context<HostedServer>,
  pending: Interaction,
  previousSession: Session | undefined,
  params: Params,
  options: AuthenticationOptions,
): Promise<AuthenticatedUser | LoginRetry> {
  const result = params.get("new") !== undefined
    ? await createGuest(
      context,
      pending.request.loginRequirements.demandedSubs === undefined && options.openLogin,
      params,
    )
    : await authenticateKnown(context, pending, previousSession, params, options);
  return "status" in result ? result : await acceptLogin(context, pending, result);
}

/** The login, if it is of a user and at a level that the request accepts. */
async function acceptLogin(
  context: Context<HostedServer>,
  pending: Interaction,
  result: Login,
): Promise<AuthenticatedUser | LoginRetry> {
  if (!await allowsUser(context.server, pending, result.user.sub)) {
    // User enumeration: only after authentication.
    return { status: 403, error: "The client requires another user.", part: "password" };
  }
  const { levels } = context.server;
  return result.session !== undefined || levels === undefined
    ? result
    : await withLevel(context, levels, pending, result);
}

/** The result of a new login with the level that it reaches, which must meet the demand of the request. */
async function withLevel(
  { server }: Context<HostedServer>,
  levels: AuthenticationLevels<HostedServer>,
  { request }: Interaction,
  { user, method }: NewLogin,
): Promise<AuthenticatedUser | LoginRetry> {
  const demanded = demandedLevels.of(request.loginRequirements);
  const level = await levels.reached(server, method, demanded);
  if (demanded?.includes(level.acr ?? "") !== false) return { user, level };
  const error = `This login does not reach the level that the client requires: ${demanded.join(" or ")}.`;
  return { status: 403, error, part: "password" };
}

async function createGuest(
  { server }: Context<HostedServer>,
  allowed: boolean,
  params: Params,
): Promise<Login | LoginRetry> {
  const guest = allowed
    ? await parseGuest(server, guestFields(params))
    : "This server does not accept new users on the login page.";
  return typeof guest === "string" ? { status: 400, error: guest, part: "new" } : { user: guest, method: "open" };
}

async function authenticateKnown(
  context: Context<HostedServer>,
  pending: Interaction,
  previousSession: Session | undefined,
  params: Params,
  options: AuthenticationOptions,
): Promise<Login | LoginRetry> {
  const { server } = context;
  const { openLogin } = options;
  const name = params.get("sub") ?? params.get("username") ?? "";
  const user = openLogin ? await userForHint(server, name) : await server.users.find(name);
  const { sub } = user ?? { sub: name };
  // User enumeration: if user names are secret, each login reads the store once. A read for unknown names only would
  // reveal them by its time.
  if (!openLogin) await server.users.readAsIfStored(sub);
  const session = await usableSession(server, pending, previousSession);
  if (user !== undefined && session?.sub === sub) return { user, session };
  if (user !== undefined && openLogin && !hasPassword(user)) return { user, method: "open" };
  const password = params.get("password");
  if (password === undefined) return { status: 200, part: "password" };
  return await checkPassword(context, pending, { sub, user, password });
}

/** Authenticates a user by name and password; of a user without a password, any is right if `openLogin` is set. */
export async function logIn(
  context: Context<HostedServer>,
  pending: Interaction,
  typed: Pick<Guess, "sub" | "user" | "password">,
  options: AuthenticationOptions,
): Promise<AuthenticatedUser | LoginRetry> {
  const { user } = typed;
  const result = user !== undefined && options.openLogin && !hasPassword(user)
    ? { user, method: "open" } as const
    : await checkPassword(context, pending, typed);
  return "status" in result ? result : await acceptLogin(context, pending, result);
}

async function checkPassword(
  context: Context<HostedServer>,
  pending: Interaction,
  { sub, user, password }: Pick<Guess, "sub" | "user" | "password">,
): Promise<Login | LoginRetry> {
  const { server, target } = context;
  const result = await server.verifyPassword(server, {
    ...{ sub, user, password, address: target.clientAddress.address },
    isKnownBrowser: (await recentUsers(server, pending.browser!)).some((recent) => recent.sub === sub),
  });
  if (result === "right") return { user: user!, method: "password" };
  const [status, reason, error, headers] = result === "wrong"
    ? [403, "name or password is wrong", "The name or the password is wrong.", {}] as const
    : [429, "too many wrong passwords", `Too many attempts. Try again in ${result.retryAfterSeconds} s.`, {
      "retry-after": String(result.retryAfterSeconds),
    }] as const;
  // The user name is not traced: it may be a password in the wrong field.
  const { withFix } = await import("../rules.ts");
  const explanation = { rule: "UI-12", reason, expected: "a user of this server, and that user's password" } as const;
  traceRejection(context, "access_denied", withFix(explanation), pending.client);
  return { status, error, part: "password", headers, isWrongPassword: result === "wrong" };
}
