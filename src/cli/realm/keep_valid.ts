/** Leaves the invalid parts out of a draft, so that what is written can be loaded. */

import type { Field, Path } from "../../core/policy/field.ts";
import { findMismatches } from "../../server/config/config_issue.ts";
import type { ConfigIssue } from "../../core/rules/configuration_error.ts";
import { printable } from "../../core/http/quote_value.ts";

/** A sentence about parts of a realm that the draft has differently, or not at all. */
export interface RealmNote {
  /** The part, such as a client, which is printed before the sentence. */
  readonly part?: string;
  readonly sentence: string;
  /** Whether a start leaves it out, because logins and tokens that an application expects are the same. */
  readonly isDetail?: boolean;
}

/** A draft, and what to look at. */
export interface Draft<T> {
  readonly value: T;
  readonly notes: readonly RealmNote[];
}

/** Maximum number of parts that a sentence names. */
const maxParts = 5;

/** One line for each sentence, with all the parts that it is about. */
export function linesOf(notes: readonly RealmNote[]): readonly string[] {
  const parts = new Map<string, Set<string>>();
  for (const { part, sentence } of notes) {
    const named = parts.get(sentence) ?? new Set();
    if (part !== undefined) named.add(part);
    parts.set(sentence, named);
  }
  return [...parts].map(([sentence, named]) => {
    const shown = [...named].slice(0, maxParts);
    const more = named.size > maxParts ? [`${named.size - maxParts} more`] : [];
    return named.size === 0 ? sentence : `${[...shown, ...more].join(", ")}: ${sentence}`;
  });
}

/** The draft without what does not match its description: of `clients` and `users` without the whole item. */
export function keepValid<T extends object>(field: Field, { value, notes }: Draft<T>): Draft<T> {
  const mismatches = findMismatches(field, value);
  const copy = structuredClone(value);
  const places = mismatches.map(({ path }) => path[0] === "clients" || path[0] === "users" ? path.slice(0, 2) : path);
  const distinct = new Map(places.map((path) => [JSON.stringify(path), path]));
  // From the end, so that the indexes before stay.
  for (const path of [...distinct.values()].reverse()) remove(copy, path);
  return { value: copy, notes: [...mismatches.map(({ issue }) => leftOut(issue)), ...notes] };
}

/** The sentence for a part with an issue. */
export function leftOut({ path, expected, received }: ConfigIssue): RealmNote {
  return { sentence: printable(`${path}: left out; expected ${expected}, received ${received}`) };
}

function remove(holder: object, [first, ...rest]: Path): void {
  if (first === undefined) return;
  if (rest.length > 0) remove((holder as Record<string | number, object>)[first]!, rest);
  else if (Array.isArray(holder)) holder.splice(first as number, 1);
  else delete (holder as Record<string, unknown>)[first];
}
