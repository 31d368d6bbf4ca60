/** Compares users, and their members, which match their description. */

import type { ConfigIssue } from "../rules/configuration_error.ts";
import { isDeeperThan } from "../http/json_value.ts";
import { quoteValue } from "../http/quote_value.ts";
import { findRepeatedIds } from "./validate_client.ts";
import type { User } from "./client.ts";

/** The issues of users whose subject an earlier one has, by their index. */
export function repeatedUsers(users: readonly User[], quote = quoteValue): ReadonlyMap<number, ConfigIssue[]> {
  return findRepeatedIds(users.map(({ sub }) => sub), (i) => ({
    path: `users[${i}].sub`,
    expected: "a subject that no other user has",
    received: quote(users[i]!.sub),
    hint: "Choose another one.",
  }));
}

/** Maximum depth of claims: JSON.parse reads deeper values than JSON.stringify can write. */
const maxClaimDepth = 32;

/** The members must be JSON. */
export function validateMembers(members: Readonly<Record<string, unknown>>): ConfigIssue[] {
  return Object.entries(members).flatMap(([path, value]) =>
    isDeeperThan(maxClaimDepth, value)
      ? [{
        path,
        expected: `arrays and objects nested at most ${maxClaimDepth} deep`,
        received: "deeper nesting",
        hint: "Reduce the nesting.",
      }]
      : containsBigInt(value)
      ? [{
        path,
        expected: "a value that JSON can represent",
        received: "a BigInt",
        hint: "Use a number or a string.",
      }]
      : []
  );
}

function containsBigInt(value: unknown): boolean {
  return typeof value === "bigint" ||
    typeof value === "object" && value !== null && Object.values(value).some(containsBigInt);
}
