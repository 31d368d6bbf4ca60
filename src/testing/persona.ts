/** Who sits in front of a browser in a test, and how a browser that is shown no forms says so. */

import type { Incoming } from "../http/message.ts";

/** Who sits in front of a browser, and what they do with what they are asked. */
export interface Person {
  /** The `sub` of the user who logs in. Default: who is logged in already, or whoever the server offers first. */
  readonly as?: string;
  /** Typed in where the user has one. */
  readonly password?: string;
  /** Claims of `as` where the server has no such user yet; the login page makes one. Only with `login: "interactive"`. */
  readonly claims?: Readonly<Record<string, unknown>>;
  /** Refuses at the first question, which the client is told as `access_denied`. Default: false. */
  readonly deny?: boolean;
  /** Scope values that this person does not grant. Default: none. */
  readonly untick?: readonly string[];
}

/**
 * The header by which a browser says who sits in front of it, for servers that log in without asking
 * (`login: "auto"`): `as=bob`, `deny=yes` and `untick=write`, form-encoded. It is read by {@link readPerson}, thus in
 * tests alone, and lets browsers that run side by side be different people; Playwright can send it too.
 */
export const personHeader = "latchkey-person";

/** What to send in {@link personHeader}; `undefined` where there is nothing to say. */
export function writePerson({ as, deny, untick = [] }: Person): string | undefined {
  const words = new URLSearchParams();
  if (as !== undefined) words.set("as", as);
  if (deny) words.set("deny", "yes");
  for (const token of untick) words.append("untick", token);
  return words.toString() || undefined;
}

/** Who sent a request, as far as it says so; for the approver of a server under test. */
export function readPerson({ headers }: Pick<Incoming, "headers">): Person | undefined {
  const text = headers.get(personHeader);
  if (text === null) return undefined;
  const words = new URLSearchParams(text);
  return { as: words.get("as") ?? undefined, deny: words.get("deny") === "yes", untick: words.getAll("untick") };
}
