/** The protocol parameters of a request: each at most once; an empty one counts as absent (OAuth 2.1 §3.1, §3.2). */

import { OAuthError } from "./errors.ts";
import type { RejectionRuleId } from "./rules/mod.ts";

/** Parameters by name. */
export interface Params {
  /** The value, or `undefined` when absent or empty; the first one of a repeated parameter. */
  get(name: string): string | undefined;
  /** All values that are not empty, for parameters that may repeat. */
  getAll(name: string): readonly string[];
  /** Whether the request contains the parameter, even an empty one. */
  has(name: string): boolean;
  /** Whether the request contains the parameter more than once, empty values included. */
  isRepeated(name: string): boolean;
  /**
   * Rejects the first repeated parameter among those that must not repeat.
   *
   * @throws {OAuthError} `invalid_request`.
   */
  rejectRepeated(rule: RejectionRuleId): void;
}

/**
 * Creates parameters from decoded fields.
 *
 * @param unrepeatable The names of parameters that must not repeat. Default: none.
 */
export function paramsFromFields(
  fields: readonly (readonly [string, string])[],
  unrepeatable: ReadonlySet<string> = noNames,
): Params {
  return new FieldParams(fields, unrepeatable);
}

const noNames: ReadonlySet<string> = new Set();

/** Searches the fields in order. A request has few fields, so this is faster than filling a Map. */
class FieldParams implements Params {
  readonly #fields: readonly (readonly [string, string])[];
  readonly #unrepeatable: ReadonlySet<string>;

  constructor(fields: readonly (readonly [string, string])[], unrepeatable: ReadonlySet<string>) {
    this.#fields = fields;
    this.#unrepeatable = unrepeatable;
  }

  get(key: string): string | undefined {
    const fields = this.#fields;
    for (let i = 0; i < fields.length; i++) {
      const field = fields[i]!;
      if (field[0] === key && field[1] !== "") return field[1];
    }
    return undefined;
  }

  getAll(key: string): readonly string[] {
    const values: string[] = [];
    const fields = this.#fields;
    for (let i = 0; i < fields.length; i++) {
      const field = fields[i]!;
      if (field[0] === key && field[1] !== "") values.push(field[1]);
    }
    return values;
  }

  has(name: string): boolean {
    return this.#find(name, 0) >= 0;
  }

  isRepeated(name: string): boolean {
    return this.#find(name, this.#find(name, 0) + 1) > 0;
  }

  rejectRepeated(rule: RejectionRuleId): void {
    const fields = this.#fields;
    for (let i = 1; i < fields.length; i++) {
      const [name] = fields[i]!;
      // The set is small, so even a request with many fields needs few comparisons.
      if (!this.#unrepeatable.has(name) || this.#find(name, 0) === i) continue;
      throw new OAuthError("invalid_request", `${name} was sent more than once`, {
        rule,
        expected: `${name} once`,
        received: `${name} ${fields.filter(([other]) => other === name).length} times`,
      });
    }
  }

  /** The index of the first field of that name at or after `from`; -1 without one. */
  #find(key: string, from: number): number {
    const fields = this.#fields;
    for (let i = from; i < fields.length; i++) if (fields[i]![0] === key) return i;
    return -1;
  }
}
