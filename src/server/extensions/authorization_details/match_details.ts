/** Which objects of `authorization_details` are within others (RFC 9396 §6.1). */

import type { AuthorizationDetail } from "../../token/authorization_details.ts";
import { equalJson } from "./json_schema.ts";

/** The lists that mean the same in every type (RFC 9396 §2.2). */
export const listFields: readonly string[] = ["locations", "actions", "datatypes", "privileges"];

/**
 * Whether an object equals another one, or has only some values of its lists. Each list keeps at least one value,
 * because a resource server may read an empty list as no restriction.
 *
 * @param narrowableLists The names of further lists of its type, besides {@link listFields}.
 */
export function isWithin(
  detail: AuthorizationDetail,
  other: AuthorizationDetail,
  narrowableLists: readonly string[] = [],
): boolean {
  const lists = [...listFields, ...narrowableLists];
  const names = new Set([...Object.keys(detail), ...Object.keys(other)]);
  return [...names].every((name) => {
    if (!Object.hasOwn(detail, name) || !Object.hasOwn(other, name)) return false;
    const values = detail[name];
    const otherValues = other[name];
    return lists.includes(name) && Array.isArray(values) && values.length > 0 && Array.isArray(otherValues)
      ? values.every((value) => otherValues.some((otherValue) => equalJson(value, otherValue)))
      : equalJson(values, otherValues);
  });
}

/**
 * The index of the first requested object for which no granted object is left; -1 if each has one. For example, a
 * request for two payments is not within a grant of one.
 */
export function findUnmatched(
  details: readonly AuthorizationDetail[],
  others: readonly AuthorizationDetail[],
  fits: (detail: AuthorizationDetail, other: AuthorizationDetail) => boolean,
): number {
  const matched: number[] = [];
  // Augmenting paths (Kuhn's algorithm): an earlier object may move to another match.
  const match = (i: number, tried: Set<number>): boolean =>
    others.some((other, j) => {
      if (tried.has(j) || !fits(details[i]!, other)) return false;
      tried.add(j);
      if (matched[j] !== undefined && !match(matched[j], tried)) return false;
      matched[j] = i;
      return true;
    });
  return details.findIndex((_, i) => !match(i, new Set()));
}
