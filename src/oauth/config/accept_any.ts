/**
 * The value `"any"` of `clients`, `redirectUris`, `scopes` and `users`, for test suites that register nothing: the
 * server accepts what is not registered. Only on test hosts; each use causes a warning.
 */

import type { ConfigIssue } from "./config_issue.ts";
import type { Field } from "./field.ts";

/** The value that accepts what is not registered. */
export type Any = "any";

/** The name of a setting that may be `"any"`. */
export type AnyName = "clients" | "redirectUris" | "scopes" | "users";

const names: readonly AnyName[] = ["clients", "redirectUris", "scopes", "users"];

type AnySettings = { readonly [Name in AnyName]?: unknown };

/** A field that also accepts `"any"`. */
export function orAny<T, F extends Field<T>>(field: Field<T> & F): F & { readonly alternative: Any } {
  return { ...field, expected: `${field.expected} or "any"`, alternative: "any" };
}

/** The value of a setting unless it is `"any"`. */
export function listed<T>(value: T | Any | undefined): Exclude<T, Any> | undefined {
  return value === "any" ? undefined : value as Exclude<T, Any> | undefined;
}

/** The settings that are `"any"`. */
export function settingsWithAny(settings: AnySettings): readonly AnyName[] {
  return names.filter((name) => settings[name] === "any");
}

/**
 * An issue for each setting that is `"any"`.
 *
 * @param reason Why `"any"` is not allowed: `the issuer is a real host`.
 */
export function rejectAny(settings: AnySettings, reason: string, hint: string): ConfigIssue[] {
  return settingsWithAny(settings).map((path) => ({
    path,
    expected: path === "redirectUris" ? `"registered", because ${reason}` : `an array, because ${reason}`,
    received: '"any"',
    hint,
  }));
}
