/** Personas: who uses a test browser, and the header that names the persona to a server without login pages. */

import { flag, object, objectField, text, texts } from "../core/policy/field.ts";
import type { HttpRequest } from "../core/http/message.ts";
import { OAuthError } from "../core/rules/errors.ts";

/** The user of a browser, and how the user responds to login and consent. */
export interface Persona {
  /** The `sub` of the user who logs in. Default: the user with a session, or else the first one that is offered. */
  readonly as?: string;
  /** The password of the user, for the login page. */
  readonly password?: string;
  /** Claims of a new user `as`, which the login page creates. Only with `login: "interactive"`. */
  readonly claims?: Readonly<Record<string, unknown>>;
  /** Whether the user cancels on the first page; the client receives `access_denied`. Default: false. */
  readonly deny?: boolean;
  /** Scope values that the user does not grant. Default: none. */
  readonly denyScopes?: readonly string[];
  /** Types of `authorization_details` whose objects the user does not grant. Default: none. */
  readonly denyDetails?: readonly string[];
  /**
   * The level that a new login reaches: a value of `acrValues`. Default: the one that the request requires. Only
   * without login pages.
   */
  readonly acr?: string;
}

/** The description of {@link Persona}. */
export const personaField = object<Persona>("Persona", {
  as: text(["bob"]),
  password: text(["correct-horse-battery-staple"], { mayBeReference: true }),
  claims: objectField,
  deny: flag(false),
  denyScopes: texts(["write"]),
  denyDetails: texts(["payment"]),
  acr: text(["urn:example:mfa"]),
}, {});

/** The persona among options that have further members. */
export function toPersona({ as, password, claims, deny, denyScopes, denyDetails, acr }: Persona): Persona {
  return { as, password, claims, deny, denyScopes, denyDetails, acr };
}

/** One persona of several: the last one that has a member counts. */
export function mergePersonas(...personas: readonly Persona[]): Persona {
  return Object.assign(
    {},
    ...personas.map((persona) =>
      Object.fromEntries(Object.entries(persona).filter(([, value]) => value !== undefined))
    ),
  );
}

/**
 * The request header that names the persona to a server that logs in without pages (`login: "auto"`): `as=bob`,
 * `deny=yes`, `deny_scope=write`, `deny_details=payment` and `acr=urn:example:mfa`, form-encoded. The mock reads it,
 * and the program where the issuer is on a test host. It lets browsers in one test be different users; Playwright can
 * send it too.
 */
export const personaHeader = "latchkey-persona";

/** The value of {@link personaHeader} of a device whose user decides later, in a browser. */
export const deferredPersona = "later=yes";

/** The value of {@link personaHeader}; `undefined` for a persona without members. */
export function formatPersona({ as, deny, denyScopes = [], denyDetails = [], acr }: Persona): string | undefined {
  const params = new URLSearchParams();
  if (as !== undefined) params.set("as", as);
  if (deny) params.set("deny", "yes");
  if (acr !== undefined) params.set("acr", acr);
  for (const token of denyScopes) params.append("deny_scope", token);
  for (const type of denyDetails) params.append("deny_details", type);
  return params.toString() || undefined;
}

const headerMembers = ["as", "deny", "deny_scope", "deny_details", "acr", "later"];

/**
 * The persona that a request names; `undefined` without the header.
 *
 * @throws {OAuthError} If the header has an unknown member: a misspelt one would choose the default user.
 */
export function parsePersona({ headers }: Pick<HttpRequest, "headers">): Persona | undefined {
  const text = headers.get(personaHeader);
  if (text === null) return undefined;
  const params = new URLSearchParams(text);
  const unknown = [...params.keys()].find((name) => !headerMembers.includes(name));
  if (unknown !== undefined) {
    throw new OAuthError("invalid_request", `the header ${personaHeader} has an unknown member`, {
      expected: headerMembers.map((name) => `${name}=…`).join(", "),
      received: unknown.slice(0, 40),
      fix: `Send the header like ${personaHeader}: as=bob.`,
    });
  }
  return {
    as: params.get("as") ?? undefined,
    deny: params.get("deny") === "yes",
    denyScopes: params.getAll("deny_scope"),
    denyDetails: params.getAll("deny_details"),
    acr: params.get("acr") ?? undefined,
  };
}
