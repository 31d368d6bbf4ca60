/** The validation of the options of the mock, for calls from JavaScript without types. */

import { quoteValue } from "../core/http/quote_value.ts";
import { assertNoIssues } from "../core/rules/configuration_error.ts";
import type { Field } from "../core/policy/field.ts";
import { validate } from "../server/config/config_issue.ts";
import { optionsField } from "../server/hosting/options_field.ts";

/** An option that the function itself validates. */
export const anyOption: Field<never> = { type: "any", expected: "any value", examples: [] };

/**
 * Rejects unknown names and values of another type.
 *
 * @param call The function with the options: `logIn`.
 * @throws {TypeError} With what was expected, what was received, and a hint.
 */
export function assertOptions(call: string, field: Field, options: unknown): void {
  const sentences = validate(field, options).map(({ path, expected, received, hint }) =>
    `${[call, path].filter((part) => part !== "").join(", ")}: expected ${expected}, received ${received}. ${hint}`
  );
  if (sentences.length > 0) throw new TypeError(sentences.join("\n"));
}

/**
 * Rejects an argument of the wrong type.
 *
 * @param name The argument, after the function if it has several: `limitScope, scope`.
 * @throws {TypeError} With what was expected, what was received, and a hint.
 */
export function assertArgument(isValid: boolean, name: string, expected: string, value: unknown, hint: string): void {
  if (!isValid) throw new TypeError(`${name}: expected ${expected}, received ${quoteValue(value)}. ${hint}`);
}

/**
 * Rejects unknown options and values of another type.
 *
 * @param ownOptions The names of the options that `latchkey()` does not have.
 * @throws {ConfigurationError}
 */
export function assertServerOptions(options: object, ownOptions: readonly string[]): void {
  const own = Object.fromEntries(ownOptions.map((name) => [name, anyOption]));
  const field = optionsField();
  assertNoIssues(validate({ ...field, members: { ...field.members, ...own } }, options));
}
