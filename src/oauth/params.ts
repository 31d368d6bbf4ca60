/** The protocol parameters of a request: each at most once, and an empty one counts as absent (OAuth 2.1 §3.1, §3.2). */

import { OAuthError } from "./errors.ts";

/** Every parameter that some specification defines and that must not be repeated; `resource` and `audience` may be. */
const defined = new Set([
  ...["client_id", "redirect_uri", "response_type", "response_mode", "scope", "state", "nonce"],
  ...["code_challenge", "code_challenge_method", "code_verifier", "code", "grant_type"],
  ...["client_secret", "client_assertion", "client_assertion_type"],
  ...["request", "request_uri", "registration", "dpop_jkt"],
  ...["prompt", "max_age", "display", "ui_locales", "claims_locales", "id_token_hint", "login_hint"],
  ...["post_logout_redirect_uri", "logout_hint"],
  ...["acr_values", "claims", "refresh_token", "access_token", "token", "token_type_hint", "username", "password"],
]);

/** Parameters by name. */
export interface Params {
  /** The value, or `undefined` when absent or empty; the first one of a repeated parameter. */
  get(name: string): string | undefined;
  /** Every value that is not empty, for the few parameters that may be repeated. */
  all(name: string): readonly string[];
  /** Whether the parameter was sent more than once, empty ones counted. */
  repeats(name: string): boolean;
  /** Refuses any repeated parameter that a specification defines. */
  refuseRepeats(rule: string): void;
}

/** Makes fields parameters. */
export function readParams(fields: readonly (readonly [string, string])[]): Params {
  // Empty ones are kept, so that a second one is noticed.
  const values = new Map<string, string>();
  let repeated: Set<string> | undefined;
  for (let i = 0; i < fields.length; i++) {
    const [name, value] = fields[i]!;
    const before = values.get(name);
    if (before !== undefined) (repeated ??= new Set()).add(name);
    if (before === undefined || before === "") values.set(name, value);
  }
  return {
    get: (name) => values.get(name) || undefined,
    all: (wanted) =>
      values.has(wanted)
        ? fields.filter(([name, value]) => name === wanted && value !== "").map(([, value]) => value)
        : [],
    repeats: (name) => repeated?.has(name) === true,
    refuseRepeats(rule) {
      for (const name of repeated ?? []) {
        if (!defined.has(name)) continue;
        throw new OAuthError("invalid_request", `${name} was sent more than once`, {
          rule,
          expected: `${name} once`,
          received: `${name} ${fields.filter(([other]) => other === name).length} times`,
        });
      }
    },
  };
}
