/** Who may be picked on the login page, in which order, and how somebody new is made up. */

import type { MaybePromise } from "../oauth/maybe_promise.ts";
import type { Context } from "../app/context.ts";
import type { UserSummary } from "../ui/user_name.tsx";
import type { User } from "../oauth/clients/client.ts";
import { getPasswordDigest } from "../oauth/users/password.ts";
import { createGuestUser } from "../oauth/users/users.ts";
import { digest } from "../oauth/secrets.ts";
import type { Server } from "../oauth/server.ts";
import type { Session } from "../oauth/session/session.ts";
import { validateUser } from "../oauth/config/validate_user.ts";
import type { PendingAuthorization } from "./pending.ts";

/** As many people as a browser's last logins are remembered of. */
const maxRecentAccounts = 5;

/** Number of accounts that are offered besides those used in this browser. */
const maxOfferedAccounts = 200;

/** How long that is remembered, in milliseconds. */
const recentAccountsLifetimeMs = 30 * 24 * 3600 * 1000;

/** As many users as there may be, those of the configuration included, before nobody is made up any more. */
const maxUsers = 1000;

/** As much JSON as is read, in characters. */
const maxClaimsLength = 4096;

/** Whether a `login_hint` names this user, by subject or e-mail address. */
function matchesLoginHint(hint: string, { sub, email }: User): boolean {
  return sub === hint || typeof email === "string" && email.toLowerCase() === hint.toLowerCase();
}

/** The user that a `login_hint` names, among all users. */
async function userForHint(server: Server, hint: string | undefined): Promise<User | undefined> {
  if (hint === undefined) return undefined;
  return await server.users.find(hint) ?? server.users.allCached().find((user) => matchesLoginHint(hint, user));
}

/**
 * Who is offered: first whom the client means, then who is logged in, then who logged in lately in this browser, then
 * everybody else where that is no secret.
 */
export async function accountsToOffer(
  { server }: Context,
  { request, browser }: PendingAuthorization,
  session: Session | undefined,
  openLogin: boolean,
): Promise<User[]> {
  const { loginHint, expectedSubs } = request.loginRequirements;
  const recent = await recentSubs(server, browser!);
  const knownUsers = await Promise.all(
    [...session === undefined ? [] : [session.sub], ...recent].map((sub) => server.users.find(sub)),
  );
  // User enumeration: a hint only reorders users that are shown anyway; it causes no lookup.
  const candidates = openLogin
    ? [await userForHint(server, loginHint), ...knownUsers, ...await server.users.list({ limit: maxOfferedAccounts })]
    : knownUsers;
  const accounts = [...new Set(candidates)].filter((user) => user !== undefined);
  if (!openLogin && loginHint !== undefined) {
    accounts.sort((a, b) => Number(matchesLoginHint(loginHint, b)) - Number(matchesLoginHint(loginHint, a)));
  }
  return expectedSubs === undefined ? accounts : accounts.filter(({ sub }) => expectedSubs.includes(sub));
}

/** Remembers who logged in last in a browser. */
export async function rememberAccount(server: Server, browser: string, sub: string): Promise<void> {
  const recent = [sub, ...(await recentSubs(server, browser)).filter((other) => other !== sub)];
  await server.store.put("browser", await browserId(server, browser), { recent: recent.slice(0, maxRecentAccounts) }, {
    expiresAt: server.now() + recentAccountsLifetimeMs,
  });
}

async function recentSubs(server: Server, browser: string): Promise<readonly string[]> {
  return (await server.store.get("browser", await browserId(server, browser)))?.value.recent ?? [];
}

function browserId({ issuer }: Server, browser: string): MaybePromise<string> {
  return digest(`${issuer} browser ${browser}`);
}

/** A user, as pages show them. */
export function toUserSummary({ sub, name, email }: User): UserSummary {
  return { sub, name: stringClaim(name), email: stringClaim(email) };
}

function stringClaim(claim: unknown): string | undefined {
  return typeof claim === "string" ? claim : undefined;
}

/** Whether a user is asked for a password. */
export function hasPassword(user: User): boolean {
  return getPasswordDigest(user) !== undefined;
}

/** Makes somebody up from what was typed, or says in a sentence why that cannot be. */
export async function parseGuest(server: Server, sub: string, claims: string): Promise<User | string> {
  if (validateUser({ sub }).length > 0) {
    return "The subject must be 1 to 255 printable ASCII characters without spaces.";
  }
  const tooLong = `The claims must not be longer than ${maxClaimsLength} characters.`;
  if (claims.length > maxClaimsLength) return tooLong;
  let parsed: unknown;
  try {
    parsed = JSON.parse(claims.trim() || "{}");
  } catch {
    return "The claims are not JSON.";
  }
  if (typeof parsed !== "object" || parsed === null || Array.isArray(parsed)) {
    return "The claims must be a JSON object.";
  }
  // Numbers may be longer than they were written, and tokens have to hold them.
  if (JSON.stringify(parsed).length > maxClaimsLength) return tooLong;
  const reservedName = ["sub", "password", "__proto__"].find((name) => Object.hasOwn(parsed, name));
  if (reservedName !== undefined) return `The claims must not hold ${reservedName}.`;
  if (validateUser({ ...parsed, sub }).length > 0) return "The claims are nested too deep.";
  if (await server.users.count() >= maxUsers) return `There are ${maxUsers} users already: pick one of them.`;
  return await createGuestUser(server, { ...parsed, sub }) ??
    "There is a user of that subject already: pick that one instead.";
}
