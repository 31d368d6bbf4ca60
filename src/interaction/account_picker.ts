/** Who may be picked on the login page, in which order, and how somebody new is made up. */

import type { Soon } from "../oauth/maybe_promise.ts";
import type { Desk } from "../app/endpoint.ts";
import type { Person } from "../app/pages.ts";
import type { User } from "../oauth/clients/client.ts";
import { digestOf } from "../oauth/users/password.ts";
import { findUser, introduce } from "../oauth/users/guest_user.ts";
import { digest } from "../oauth/secrets.ts";
import type { Server } from "../oauth/server.ts";
import type { Session } from "../oauth/session/session.ts";
import { userFaults } from "../oauth/config/validate_settings.ts";
import type { Pending } from "./pending.ts";

/** As many people as a browser's last logins are remembered of. */
const rememberedPeople = 5;

/** How long that is remembered, in milliseconds. */
const rememberedFor = 30 * 24 * 3600 * 1000;

/** As many users as there may be, those of the configuration included, before nobody is made up any more. */
const mostPeople = 1000;

/** As much JSON as is read, in characters. */
const longestClaims = 4096;

/** Whether a `login_hint` names this user, by subject or e-mail address. */
function isMeant(hint: string, { sub, email }: User): boolean {
  return sub === hint || typeof email === "string" && email.toLowerCase() === hint.toLowerCase();
}

/** The user that a `login_hint` names, among all users. */
async function hintedUser(server: Server, hint: string | undefined): Promise<User | undefined> {
  if (hint === undefined) return undefined;
  return server.users.find(hint) ?? server.users.all().find((user) => isMeant(hint, user)) ??
    await findUser(server, hint);
}

/**
 * Who is offered: first whom the client means, then who is logged in, then who logged in lately in this browser, then
 * everybody else where that is no secret.
 */
export async function offeredPeople(
  { server }: Desk,
  { asked, browser }: Pending,
  session: Session | undefined,
  open: boolean,
): Promise<User[]> {
  const { loginHint, expectedSubs } = asked.wishes;
  const recent = await recentSubs(server, browser!);
  const known = await Promise.all(
    [...session === undefined ? [] : [session.sub], ...recent].map((sub) => findUser(server, sub)),
  );
  // User enumeration: a hint only reorders users that are shown anyway; it causes no lookup.
  const all = open ? [await hintedUser(server, loginHint), ...known, ...server.users.all()] : known;
  const people = [...new Set(all)].filter((user) => user !== undefined);
  if (!open && loginHint !== undefined) {
    people.sort((a, b) => Number(isMeant(loginHint, b)) - Number(isMeant(loginHint, a)));
  }
  return expectedSubs === undefined ? people : people.filter(({ sub }) => expectedSubs.includes(sub));
}

/** Remembers who logged in last in a browser. */
export async function rememberPerson(server: Server, browser: string, sub: string): Promise<void> {
  const recent = [sub, ...(await recentSubs(server, browser)).filter((other) => other !== sub)];
  await server.store.put("browser", await browserId(server, browser), { recent: recent.slice(0, rememberedPeople) }, {
    expiresAt: server.now() + rememberedFor,
  });
}

async function recentSubs(server: Server, browser: string): Promise<readonly string[]> {
  return (await server.store.get("browser", await browserId(server, browser)))?.value.recent ?? [];
}

function browserId({ issuer }: Server, browser: string): Soon<string> {
  return digest(`${issuer} browser ${browser}`);
}

/** A user, as pages show them. */
export function personOf({ sub, name, email }: User): Person {
  return { sub, name: textOf(name), email: textOf(email) };
}

function textOf(claim: unknown): string | undefined {
  return typeof claim === "string" ? claim : undefined;
}

/** Whether a user is asked for a password. */
export function hasPassword(user: User): boolean {
  return digestOf(user) !== undefined;
}

/** Makes somebody up from what was typed, or says in a sentence why that cannot be. */
export async function makeUp(server: Server, sub: string, claims: string): Promise<User | string> {
  if (!userFaults({ sub }).next().done) {
    return "The subject must be 1 to 255 printable ASCII characters without spaces.";
  }
  const tooLong = `The claims must not be longer than ${longestClaims} characters.`;
  if (claims.length > longestClaims) return tooLong;
  let read: unknown;
  try {
    read = JSON.parse(claims.trim() || "{}");
  } catch {
    return "The claims are not JSON.";
  }
  if (typeof read !== "object" || read === null || Array.isArray(read)) return "The claims must be a JSON object.";
  // Numbers may be longer than they were written, and tokens have to hold them.
  if (JSON.stringify(read).length > longestClaims) return tooLong;
  const unfit = ["sub", "password", "__proto__"].find((name) => Object.hasOwn(read, name));
  if (unfit !== undefined) return `The claims must not hold ${unfit}.`;
  if (!userFaults({ ...read, sub }).next().done) return "The claims are nested too deep.";
  if (server.users.all().length >= mostPeople) return `There are ${mostPeople} users already: pick one of them.`;
  return await introduce(server, { ...read, sub }) ?? "There is a user of that subject already: pick that one instead.";
}
