/** The accounts that the login page offers, and new guest users. */

import type { Context } from "../../core/http/context.ts";
import { isObject } from "../../core/http/json_value.ts";
import type { UserSummary } from "./pages/user_name.tsx";
import type { User } from "../../core/clients/client.ts";
import type { Params } from "../../core/http/params.ts";
import { allowsUser } from "../../core/authorize/login.ts";
import { getPassword } from "../config/password_digest.ts";
import { validateUser } from "../config/validate_user.ts";
import { generationOf } from "../clients/users.ts";
import { createGuestUser, matchesLoginHint, maxUsers, userForHint } from "../clients/login_hint.ts";
import { digest } from "../../core/keys/secrets.ts";
import type { Server } from "../../core/server.ts";
import type { HostedServer } from "../hosted_server.ts";
import type { Session } from "../../core/sessions/session.ts";
import { storeOf } from "../stored/records.ts";
import type { Interaction } from "./pending.ts";

/** Maximum number of accounts that are remembered for a browser. */
const maxRecentAccounts = 5;

/** Maximum number of accounts that are offered besides those used in this browser. */
const maxOfferedAccounts = 200;

/** How long accounts of a browser are remembered, in milliseconds. */
const recentAccountsLifetimeMs = 30 * 24 * 3600 * 1000;

const browserStore = storeOf<{
  /**
   * The users who logged in recently in a browser, the latest first, by the digest of its cookie: the subject, and
   * after a space the generation if the user has one.
   */
  browser: { readonly recent: readonly string[] };
}>;

const claimsNotObject = `The claims must be a JSON object, such as {"name": "Carol"}.`;

/** Maximum length of a guest user's claims, in characters of JSON. */
const maxClaimsLength = 4096;

/**
 * The accounts to offer: the user that the client hints at, the user who is logged in, those who logged in recently in
 * this browser, and with `openLogin` all other users.
 */
export async function accountsToOffer(
  { server }: Context,
  pending: Interaction,
  session: Session | undefined,
  openLogin: boolean,
): Promise<User[]> {
  const { client, request: { loginRequirements: { loginHint, demandedSubs } } } = pending;
  const recent = await recentUsers(server, pending.browser!);
  const knownUsers = [...session === undefined ? [] : [session.user], ...recent];
  // User enumeration: a hint only reorders users that are shown anyway; it causes no lookup.
  const candidates = openLogin
    ? [
      loginHint === undefined ? undefined : await userForHint(server, loginHint),
      ...knownUsers,
      ...demandedSubs === undefined
        ? []
        : await findUsers(server, await server.identifiers.find(server, client, demandedSubs)),
      ...await server.users.list({ limit: maxOfferedAccounts }),
    ]
    : knownUsers;
  const accounts = [...new Set(candidates)].filter((user) => user !== undefined);
  if (!openLogin && loginHint !== undefined) {
    accounts.sort((a, b) => Number(matchesLoginHint(loginHint, b)) - Number(matchesLoginHint(loginHint, a)));
  }
  const areAllowed = await Promise.all(accounts.map(({ sub }) => allowsUser(server, pending, sub)));
  return accounts.filter((_, i) => areAllowed[i]);
}

async function findUsers({ users }: Server, subs: readonly string[]): Promise<(User | undefined)[]> {
  return await Promise.all(subs.map((sub) => users.find(sub)));
}

export async function rememberAccount(server: Server, browser: string, user: User): Promise<void> {
  const others = (await recentUsers(server, browser)).filter(({ sub }) => sub !== user.sub);
  const recent = [user, ...others].slice(0, maxRecentAccounts).map(accountKey);
  await browserStore(server).put("browser", await browserId(server, browser), { recent }, {
    expiresAt: server.now() + recentAccountsLifetimeMs,
  });
}

/** The users who logged in recently in a browser, without removed ones, even if another one has the subject now. */
export async function recentUsers(server: Server, browser: string): Promise<readonly User[]> {
  const { recent = [] } = (await browserStore(server).get("browser", await browserId(server, browser)))?.value ?? {};
  const users = await findUsers(server, recent.map((key) => key.split(" ", 1)[0]!));
  return users.flatMap((user, i) => user !== undefined && accountKey(user) === recent[i] ? [user] : []);
}

/** Identifies a user in the record of a browser. Subjects have no spaces. */
function accountKey(user: User): string {
  const generation = generationOf(user);
  return generation === undefined ? user.sub : `${user.sub} ${generation}`;
}

async function browserId({ issuer }: Server, browser: string): Promise<string> {
  return await digest(`${issuer} browser ${browser}`);
}

/** The claims of a user that pages show. */
export function toUserSummary({ sub, name, email }: User): UserSummary {
  return { sub, name: stringClaim(name), email: stringClaim(email) };
}

function stringClaim(claim: unknown): string | undefined {
  return typeof claim === "string" ? claim : undefined;
}

export function hasPassword(user: User): boolean {
  return getPassword(user) !== undefined;
}

/** The fields of the form for a new test user, as they were typed. */
export interface GuestFields {
  readonly subject: string;
  /** The claim `name`; empty for none. The same claim in `claims` wins. */
  readonly name: string;
  /** Further claims, as JSON; empty for none. */
  readonly claims: string;
}

/** Reads the fields of the form for a new test user. */
export function guestFields(params: Params): GuestFields {
  return { subject: params.get("subject") ?? "", name: params.get("name") ?? "", claims: params.get("claims") ?? "" };
}

/** Creates a guest user from the fields of the login page; or returns why it cannot, as a sentence for the page. */
export async function parseGuest(server: HostedServer, fields: GuestFields): Promise<User | string> {
  const guest = await readGuest(fields);
  return typeof guest === "string" ? guest : await addGuest(server, guest);
}

/** The guest user that the fields describe; or why they describe none. A `sub` in the claims wins. */
export async function readGuest({ subject, claims, ...fields }: GuestFields): Promise<User | string> {
  const tooLong = `The claims must not be longer than ${maxClaimsLength} characters.`;
  if (claims.length > maxClaimsLength) return tooLong;
  let parsed: unknown;
  try {
    parsed = JSON.parse(claims.trim() || "{}");
  } catch {
    const { describeJsonSyntaxError } = await import("../config/json_syntax_error.ts");
    const { expected, received, hint } = describeJsonSyntaxError(claims);
    return `The claims are not JSON: expected ${expected}, received ${received}. ${hint}`;
  }
  if (!isObject(parsed)) return claimsNotObject;
  const name = fields.name.trim();
  const guest = { sub: subject, ...name !== "" && { name }, ...parsed };
  // Parsed numbers may be longer than their source, and tokens contain them.
  if (JSON.stringify(guest).length > maxClaimsLength + subject.length) return tooLong;
  const reservedName = ["password", "__proto__"].find((name) => Object.hasOwn(parsed, name));
  if (reservedName !== undefined) return `The claims must not contain ${reservedName}.`;
  if (validateUser({ sub: guest.sub }).length > 0) {
    return "The subject must be 1 to 255 printable ASCII characters without spaces.";
  }
  return validateUser(guest).length > 0 ? "The claims are nested too deeply: use fewer levels." : guest;
}

/** Adds a guest user; or returns why it cannot. */
export async function addGuest(server: HostedServer, guest: User): Promise<User | string> {
  if (await server.users.count() >= maxUsers) return `The server has ${maxUsers} users already: choose one of them.`;
  return await createGuestUser(server, guest) ??
    "A user with this subject exists already: choose that user, or another subject.";
}
