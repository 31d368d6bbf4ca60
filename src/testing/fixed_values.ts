/** Fixed values for the next code and tokens, for tests that compare them with a text. */

import { quote } from "../server/config/config_issue.ts";
import { object, text } from "../server/config/field.ts";
import type { Server } from "../core/server.ts";
import { assertOptions } from "./options.ts";

/** @internal */
export interface FixedValues {
  /** The next authorization code. Default: random. */
  readonly code?: string;
  /** The next access token, which is opaque then. Default: random or a JWT. */
  readonly access_token?: string;
  /** The next first refresh token of a grant. Default: random. */
  readonly refresh_token?: string;
}

/** The description of {@link FixedValues}. */
export const fixedValuesField = object<FixedValues>("FixedValues", {
  code: text(["code-1"]),
  access_token: text(["access-token-1"]),
  refresh_token: text(["refresh-token-1"]),
}, { access_token: "access-token-1" });

/** Characters that a header, a form and a query transfer unchanged. A dot would make an access token a JWT. */
const valuePattern = /^[\w~+/-]{1,256}$/;

/** Creates the queues of one server. */
export function fixedValues() {
  const queues: Record<keyof FixedValues, string[]> = { code: [], access_token: [], refresh_token: [] };
  const takeFixedValue: Server["takeFixedValue"] = (kind) => queues[kind].shift();
  return {
    /** @throws {TypeError} If a value has other characters. */
    add(values: FixedValues): void {
      assertOptions("nextValues", fixedValuesField, values);
      const given = Object.entries(values).filter(([, value]) => value !== undefined);
      for (const [name, value] of given) {
        if (valuePattern.test(value)) continue;
        throw new TypeError(
          `nextValues, ${name}: expected 1 to 256 of A-Z a-z 0-9 _ ~ + / -, received ${quote(value)}`,
        );
      }
      for (const [name, value] of given) queues[name as keyof FixedValues].push(value);
    },
    /** The members to replace in the server. */
    current(): Partial<Pick<Server, "takeFixedValue">> {
      return Object.values(queues).every(({ length }) => length === 0) ? {} : { takeFixedValue };
    },
    reset(): void {
      for (const queue of Object.values(queues)) queue.length = 0;
    },
  };
}
