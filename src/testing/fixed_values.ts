/** Fixed values for the next code and tokens, for tests that compare them with a text. */

import { object, text } from "../core/policy/field.ts";
import { quote } from "../server/config/config_issue.ts";
import type { Server } from "../core/server.ts";
import { wrapIssueStep } from "../core/token/table.ts";
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
    current(server: Server): Partial<Pick<Server, "newToken" | "steps">> {
      if (Object.values(queues).every(({ length }) => length === 0)) return {};
      const { newToken } = server;
      return {
        // A successor has a value, and takes none.
        newToken: (current, kind, value) =>
          (value === undefined ? queues[kind].shift() : undefined) ?? newToken(current, kind, value),
        steps: wrapIssueStep(server.steps, "access_token", (issue) => (inner, issued, authorization, ...more) => {
          if (queues.access_token.length === 0 || authorization.issue !== undefined) {
            return issue(inner, issued, authorization, ...more);
          }
          const { client } = authorization;
          const metadata = { ...client.metadata, access_token_format: "opaque" } as const;
          return issue(inner, issued, { ...authorization, client: { ...client, metadata } }, ...more);
        }),
      };
    },
    reset(): void {
      for (const queue of Object.values(queues)) queue.length = 0;
    },
  };
}
