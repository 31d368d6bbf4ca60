/** The protocol parameters of a request: each at most once, and an empty one counts as absent (OAuth 2.1 §3.1, §3.2). */

import { OAuthError } from "./errors.ts";
import type { RejectionRuleId } from "./rules/mod.ts";

/** Every parameter that some specification defines and that must not be repeated; `resource` and `audience` may be. */
const unrepeatable = new Set([
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
  getAll(name: string): readonly string[];
  /** Whether the parameter was sent more than once, empty ones counted. */
  isRepeated(name: string): boolean;
  /** Refuses any repeated parameter that a specification defines. */
  rejectRepeated(rule: RejectionRuleId): void;
}

/** Makes fields parameters. */
export function paramsFromFields(fields: readonly (readonly [string, string])[]): Params {
  return new FieldParams(fields);
}

/** Looks for names from the first field on: a request has few, and to put them into a Map takes longer. */
class FieldParams implements Params {
  readonly #fields: readonly (readonly [string, string])[];

  constructor(fields: readonly (readonly [string, string])[]) {
    this.#fields = fields;
  }

  get(key: string): string | undefined {
    const fields = this.#fields;
    for (let i = 0; i < fields.length; i++) {
      const [name, value] = fields[i]!;
      if (name === key && value !== "") return value;
    }
    return undefined;
  }

  getAll(key: string): readonly string[] {
    return this.#fields.filter(([name, value]) => name === key && value !== "").map(([, value]) => value);
  }

  isRepeated(name: string): boolean {
    return this.#find(name, this.#find(name, 0) + 1) > 0;
  }

  rejectRepeated(rule: RejectionRuleId): void {
    const fields = this.#fields;
    for (let i = 1; i < fields.length; i++) {
      const [name] = fields[i]!;
      // Of these there are not many: however many fields come, each is compared with a few others.
      if (!unrepeatable.has(name) || this.#find(name, 0) === i) continue;
      throw new OAuthError("invalid_request", `${name} was sent more than once`, {
        rule,
        expected: `${name} once`,
        received: `${name} ${fields.filter(([other]) => other === name).length} times`,
      });
    }
  }

  /** The place of the first field of that name from a place on; -1 where there is none. */
  #find(key: string, from: number): number {
    const fields = this.#fields;
    for (let i = from; i < fields.length; i++) if (fields[i]![0] === key) return i;
    return -1;
  }
}
