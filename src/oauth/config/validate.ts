/** Compares values with their description: the one validator of the file, the flags, the variables and the options. */

import type { ConfigIssue } from "./config_issue.ts";
import { quote } from "./config_issue.ts";
import type { Field } from "./field.ts";
import type { Path } from "./show.ts";
import { showPath, showValue } from "./show.ts";
import { suggest } from "./suggest.ts";

/** A value that does not match its field. */
export interface Mismatch {
  readonly path: Path;
  readonly issue: ConfigIssue;
  /** The known name that an unknown one probably stands for. */
  readonly suggestion?: string;
}

/** All issues of a value, in the order of the fields; unknown names come first. */
export function validate(field: Field, value: unknown): ConfigIssue[] {
  return findMismatches(field, value).map(({ issue }) => issue);
}

/**
 * All mismatches of a value.
 *
 * @param allowReferences Whether a secret may be a reference, as in a file.
 */
export function findMismatches(field: Field, value: unknown, allowReferences = false): Mismatch[] {
  const found: Mismatch[] = [];
  const visit = (field: Field, value: unknown, path: Path) => {
    if (field.alternative !== undefined && value === field.alternative) return;
    const mayRefer = allowReferences && field.isSecret === true;
    if (!matches(field, value) && !(mayRefer && isSecretReference(value))) {
      const issue = invalidValue(field, value, path);
      found.push({
        path,
        issue: mayRefer ? { ...issue, expected: `${issue.expected}, or ${secretReference}` } : issue,
      });
    } else if (field.items) {
      for (const [i, item] of (value as unknown[]).entries()) visit(field.items, item, [...path, i]);
    } else if (field.members ?? field.others) {
      const { members = {}, others, required = [] } = field;
      for (const [name, member] of Object.entries(value as object)) {
        if (Object.hasOwn(members, name)) continue;
        // Copying an object would make a member of this name its prototype.
        if (others === undefined || name === "__proto__") {
          found.push(unknownName(name, others ? [] : Object.keys(members), path));
        } else visit(others, member, [...path, name]);
      }
      for (const [name, member] of Object.entries(members)) {
        const inner = Object.hasOwn(value as object, name) ? (value as Record<string, unknown>)[name] : undefined;
        if (inner !== undefined || required.includes(name)) visit(member, inner, [...path, name]);
      }
    }
  };
  visit(field, value, []);
  return found;
}

/** Whether a value, apart from its items and members, matches a field. */
function matches({ type, choices, pattern, accepts, min = -Infinity, max = Infinity }: Field, value: unknown): boolean {
  switch (type) {
    case "string":
      return typeof value === "string" && (choices?.includes(value) ?? true) && (pattern?.test(value) ?? true) &&
        (accepts?.(value) ?? true);
    case "integer":
      return Number.isSafeInteger(value) && Number(value) >= min && Number(value) <= max;
    case "array":
      return Array.isArray(value) && value.length >= min;
    case "object":
      return typeof value === "object" && value !== null && !Array.isArray(value);
    case "any":
      return true;
    case "boolean":
      return typeof value === "boolean";
    case "function":
      return typeof value === "function";
  }
}

const secretReference = `{ "env": NAME } or { "file": PATH }`;

/** Whether a value is `{ "env": NAME }` or `{ "file": PATH }`. */
function isSecretReference(value: unknown): boolean {
  if (typeof value !== "object" || value === null) return false;
  const [[name, source] = [], ...more] = Object.entries(value);
  return (name === "env" || name === "file") && typeof source === "string" && more.length === 0;
}

function invalidValue(field: Field, value: unknown, path: Path): ConfigIssue {
  const name = path.at(-1);
  const suggestion = typeof value === "string" ? suggest(value, field.choices ?? []) : undefined;
  const example = JSON.stringify(suggestion ?? field.examples[0]);
  const like = typeof name === "string" ? `${quote(name)}: ${example}` : example;
  return {
    path: showPath(path),
    expected: field.expected,
    received: showValue(value, path),
    hint: value === undefined ? `Add it, like ${like}.` : field.hint?.(value) ?? `Write it like ${like}.`,
  };
}

/** An unknown name; without known names any name is allowed but this one. */
function unknownName(name: string, known: readonly string[], parent: Path): Mismatch {
  const path = [...parent, name];
  const suggestion = suggest(name, known);
  const isReserved = known.length === 0;
  return {
    path,
    suggestion,
    issue: {
      path: showPath(path),
      expected: isReserved ? "another name" : "a known key",
      received: quote(name),
      hint: isReserved
        ? "Choose another name."
        : suggestion
        ? `Did you mean ${suggestion}?`
        : `Remove it; known keys here are ${known.join(", ")}.`,
    },
  };
}
