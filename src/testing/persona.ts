/** Who sits in front of a browser in a test, and how a browser that is shown no forms says so. */

import type { RequestLike } from "../http/message.ts";

/** Who sits in front of a browser, and what they do with what they are asked. */
export interface Persona {
  /** The `sub` of the user who logs in. Default: who is logged in already, or whoever the server offers first. */
  readonly as?: string;
  /** Typed in where the user has one. */
  readonly password?: string;
  /** Claims of `as` where the server has no such user yet; the login page makes one. Only with `login: "interactive"`. */
  readonly claims?: Readonly<Record<string, unknown>>;
  /** Refuses at the first question, which the client is told as `access_denied`. Default: false. */
  readonly deny?: boolean;
  /** Scope values that this person does not grant. Default: none. */
  readonly denyScopes?: readonly string[];
}

/**
 * The header by which a browser says who sits in front of it, for servers that log in without asking
 * (`login: "auto"`): `as=bob`, `deny=yes` and `untick=write`, form-encoded. It is read by {@link parsePersona}, thus in
 * tests alone, and lets browsers that run side by side be different people; Playwright can send it too.
 */
export const personaHeader = "latchkey-person";

/** What to send in {@link personaHeader}; `undefined` where there is nothing to say. */
export function formatPersona({ as, deny, denyScopes = [] }: Persona): string | undefined {
  const params = new URLSearchParams();
  if (as !== undefined) params.set("as", as);
  if (deny) params.set("deny", "yes");
  for (const token of denyScopes) params.append("untick", token);
  return params.toString() || undefined;
}

/** Who sent a request, as far as it says so; for the approver of a server under test. */
export function parsePersona({ headers }: Pick<RequestLike, "headers">): Persona | undefined {
  const text = headers.get(personaHeader);
  if (text === null) return undefined;
  const params = new URLSearchParams(text);
  return { as: params.get("as") ?? undefined, deny: params.get("deny") === "yes", denyScopes: params.getAll("untick") };
}
