/** The users that a `login_hint` names or creates, and guest users. */

import type { AuthorizationRequest } from "../../core/authorize/authorization_request.ts";
import type { User } from "../../core/clients/client.ts";
import { validateUser } from "../config/validate_user.ts";
import type { HostedServer } from "../hosted_server.ts";
import { loginRules } from "../rules/login.ts";
import { rejectBy } from "../../core/rules/reject.ts";
import type { Server } from "../../core/server.ts";

const reject = rejectBy(loginRules);

/** Maximum number of users, including configured ones. Beyond it, no guest user is created. */
export const maxUsers = 1000;

/** Maximum number of users of the store that are searched for a `login_hint`. */
const maxSearchedUsers = 1000;

/** Whether a `login_hint` names this user: by `sub`, e-mail address or `preferred_username`. */
export function matchesLoginHint(hint: string, { sub, email, preferred_username }: User): boolean {
  return sub === hint || preferred_username === hint ||
    typeof email === "string" && email.toLowerCase() === hint.toLowerCase();
}

/** The name that a test types at the form of a provider: that of the provider's user, or the subject. */
export function shownName({ sub, preferred_username, email }: User): string {
  return [preferred_username, email].find((name) => typeof name === "string") ?? sub;
}

/** The name of a user where the provider shows an account: the e-mail address, if there is one. */
export function accountName(user: User): string {
  const names = [user.preferred_username, user.email].filter((name) => typeof name === "string");
  return names.find((name) => name.includes("@")) ?? shownName(user);
}

/** The user that a `login_hint`, or a test, names by `sub`, e-mail address or `preferred_username`. */
export async function userForHint({ users }: Pick<Server, "users">, hint: string): Promise<User | undefined> {
  return await users.find(hint) ?? knownUserForHint({ users }, hint) ??
    (await users.list({ limit: maxSearchedUsers })).find((user) => matchesLoginHint(hint, user));
}

/** The same of the users in memory, synchronously. */
export function knownUserForHint({ users }: Pick<Server, "users">, hint: string): User | undefined {
  return users.known().get(hint) ?? [...users.known().values()].find((user) => matchesLoginHint(hint, user));
}

/**
 * Creates a guest user, kept as long as any of its grants can be valid. `undefined` if the subject is taken.
 *
 * @param user Must be valid.
 */
export async function createGuestUser({ users, policy, now }: HostedServer, user: User): Promise<User | undefined> {
  const { lifetimes } = policy;
  return await users.add(user, now() + Math.max(lifetimes.session, lifetimes.refresh_token) * 1000);
}

/**
 * The user of the hint: on test hosts the user who has it as e-mail address or `preferred_username`, or the user that
 * the setting `unknownLoginHint` creates. `undefined`, with a warning, if the default user is to be logged in.
 *
 * @throws {OAuthError} If the setting rejects the hint, or the user cannot be created.
 */
export async function resolveLoginHint(
  server: HostedServer,
  loginHint: string,
  { clientId, loginRequirements }: AuthorizationRequest,
): Promise<User | undefined> {
  const { allows, unknownLoginHint } = server.policy;
  const named = allows.openLogin ? await userForHint(server, loginHint) : undefined;
  if (named !== undefined) return named;
  const isNear = decodedPlusFix(loginHint) !== undefined;
  // A request with prompt=none continues a session, and a new user has none.
  const creates = unknownLoginHint === "create" && !loginRequirements.prompt.includes("none");
  const facts = { hint: loginHint, limit: maxUsers, isSilent: unknownLoginHint === "create" && !creates };
  if (isNear && allows.openLogin && await userForHint(server, loginHint.replaceAll(" ", "+"))) {
    throw reject("OI-06", { ...facts, problem: "plus", isSilent: false });
  }
  const created = creates ? await createUser(server, loginHint) : undefined;
  if (typeof created === "object") {
    const isByUsers = server.policy.acceptsAny.includes("users");
    if (isByUsers) server.observe(server, clientId, "OI-06", { ...facts, effect: "created by the setting users" });
    else if (isNear) server.observe(server, clientId, "OI-06", { ...facts, effect: "created" });
    return created;
  }
  const unknown = { ...facts, problem: created };
  if (unknownLoginHint !== "default") throw reject("OI-06", unknown);
  server.observe(server, clientId, "OI-06", { ...unknown, effect: "another user" });
  return undefined;
}

/**
 * The user that a `login_hint` names, or that `"any"` of the setting `users` creates, for a request without a browser;
 * `undefined` for no user.
 */
export async function userForClientHint(
  server: HostedServer,
  hint: string,
  clientId: string | undefined,
): Promise<User | undefined> {
  const named = await userForHint(server, hint);
  if (named !== undefined || !server.policy.acceptsAny.includes("users")) return named;
  const created = await createUser(server, hint);
  if (typeof created !== "object") return undefined;
  const facts = { hint, limit: maxUsers, isSilent: false };
  server.observe(server, clientId, "OI-06", { ...facts, effect: "created by the setting users" });
  return created;
}

/** Creates the user that the hint names. Returns the user or the reason why not; `undefined`: another reason. */
async function createUser(server: HostedServer, hint: string): Promise<User | "no sub" | "too many users" | undefined> {
  const user = { sub: hint, name: hint, ...hint.includes("@") && { email: hint } };
  if (validateUser(user).length > 0) return "no sub";
  if (await server.users.count() >= maxUsers) return "too many users";
  return await createGuestUser(server, user);
}

/** The fix for a hint that looks like an e-mail address whose `+` was decoded as a space; `undefined` for any other. */
export function decodedPlusFix(hint: string): string | undefined {
  return /^[^@\s]+ [^@]*@/.test(hint)
    ? "Encode the + of the address as %2B: in a URL or form, + means a space."
    : undefined;
}
