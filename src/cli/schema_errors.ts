/** Holds a parsed file against the schema: every fault in its shape, and what can still be judged. Loaded lazily. */

import * as v from "valibot";
import type { ConfigIssue } from "../oauth/config/config_issue.ts";
import { permissiveDefaults } from "./semantic_errors.ts";
import { optionDefinitions } from "./options.ts";
import type { RawConfigFile } from "./options.ts";
import { configurationSchema } from "./schema.ts";
import { quote, showPath, showValue } from "./show.ts";
import { suggest } from "./suggest.ts";

type Path = readonly (string | number)[];

/** What of a file has the right shape. */
export interface SchemaCheckResult {
  readonly content: RawConfigFile;
  readonly issues: readonly ConfigIssue[];
  /** Places that `content` says nothing true about, such as `alg` and `clients[1]`. */
  readonly invalidPaths: ReadonlySet<string>;
}

/** A schema as far as this file looks into it. */
interface SchemaNode {
  readonly type: string;
  readonly message?: string;
  /** Of a choice: what there is to choose from. */
  readonly options?: readonly string[];
  readonly wrapped?: SchemaNode;
  readonly item?: SchemaNode;
  /** Of a record: the schema of each value. */
  readonly value?: SchemaNode;
  readonly entries?: Readonly<Record<string, SchemaNode>>;
}

const rootSchema = configurationSchema as unknown as SchemaNode;

/**
 * Checks the shape of a whole file; places are relative to it. In place of what is faulty, the content holds what draws
 * no further complaint, so that the meaning of the rest can be judged in the same run.
 */
export async function checkSchema(input: Readonly<Record<string, unknown>>): Promise<SchemaCheckResult> {
  const issues: ConfigIssue[] = [];
  const invalid: Path[] = [];
  const arrays = new Set<string>();
  for (const { path, knownKeys } of schemaErrors(rootSchema, input, [])) {
    invalid.push(path);
    if (knownKeys === undefined) {
      arrays.add(showPath(path));
      issues.push(await invalidValueIssue(path, []));
    } else {
      const suggestion = await suggest(String(path.at(-1)), knownKeys);
      if (suggestion !== undefined && !hasPath(input, [...path.slice(0, -1), suggestion])) {
        invalid.push([...path.slice(0, -1), suggestion]);
      }
      issues.push(unknownKeyIssue(path, knownKeys, suggestion));
    }
  }
  for (const issue of v.safeParse(configurationSchema, input, { abortPipeEarly: true }).issues ?? []) {
    const path = (issue.path ?? []).map((segment) => segment.key as string | number);
    if (issue.type === "strict_object" && issue.expected === "never") continue;
    if (arrays.has(showPath(path.slice(0, -1)))) continue;
    invalid.push(path);
    issues.push(await invalidValueIssue(path, issue.input));
  }
  return { issues, ...removeInvalid(input, invalid) };
}

/**
 * What the schema library lets pass or does not tell: arrays where objects belong, and every unknown key (it stops at
 * the first one, and overlooks `constructor` and its like). `known` is absent for an array, and empty where every key is
 * allowed but `__proto__`, which would not stay what it is when claims are copied.
 */
function* schemaErrors(
  node: SchemaNode,
  value: unknown,
  path: Path,
): Generator<{ path: Path; knownKeys?: readonly string[] }> {
  const { type, entries, item, value: member } = node.wrapped ?? node;
  if (item !== undefined && Array.isArray(value)) {
    for (const [index, element] of value.entries()) yield* schemaErrors(item, element, [...path, index]);
  } else if (member !== undefined && typeof value === "object" && value !== null) {
    if (Array.isArray(value)) return yield { path };
    for (const [key, element] of Object.entries(value)) {
      if (key === "__proto__") yield { path: [...path, key], knownKeys: [] };
      else yield* schemaErrors(member, element, [...path, key]);
    }
  } else if (entries !== undefined && typeof value === "object" && value !== null) {
    if (Array.isArray(value)) return yield { path };
    for (const [key, element] of Object.entries(value)) {
      const entry = Object.hasOwn(entries, key) ? entries[key] : undefined;
      if (entry !== undefined) yield* schemaErrors(entry, element, [...path, key]);
      else if (type === "strict_object" || key === "__proto__") {
        yield { path: [...path, key], knownKeys: type === "strict_object" ? Object.keys(entries) : [] };
      }
    }
  }
}

function unknownKeyIssue(path: Path, knownKeys: readonly string[], suggestion: string | undefined): ConfigIssue {
  return {
    path: showPath(path),
    expected: knownKeys.length === 0 ? "another name" : "a known key",
    received: quote(String(path.at(-1))),
    hint: knownKeys.length === 0
      ? "Choose another name."
      : suggestion
      ? `Did you mean ${suggestion}?`
      : `Remove it; known keys here are ${knownKeys.join(", ")}.`,
  };
}

async function invalidValueIssue(path: Path, value: unknown): Promise<ConfigIssue> {
  const node = getSchemaNode(path);
  const key = path.at(-1);
  const { examples } = v.getMetadata(node as unknown as v.GenericSchema) as { examples?: readonly unknown[] };
  const suggestion = typeof value === "string" ? await suggest(value, node.options ?? []) : undefined;
  const example = JSON.stringify(suggestion ?? examples?.[0]);
  const hint = key === "store" && typeof value === "string" ? optionDefinitions.store.hintFor?.(value) : undefined;
  const like = typeof key === "string" ? `${quote(key)}: ${example}` : example;
  return {
    path: showPath(path),
    expected: node.message ?? "something else",
    received: showValue(value, path),
    hint: value === undefined ? `Add it, like ${like}.` : hint ?? `Write it like ${like}.`,
  };
}

/** The schema of a place that it knows. */
function getSchemaNode(path: Path): SchemaNode {
  let node: SchemaNode | undefined = rootSchema;
  for (const segment of path) {
    node = typeof segment === "number" ? node?.item : node?.entries?.[segment] ?? node?.value;
    node = node?.wrapped ?? node;
  }
  return node ?? rootSchema;
}

function hasPath(input: unknown, path: Path): boolean {
  return path.length === 0 || typeof input === "object" && input !== null && Object.hasOwn(input, path[0]!) &&
      hasPath((input as Record<string | number, unknown>)[path[0]!], path.slice(1));
}

/** Client settings that are validated against another setting; skipped if that one is invalid. */
const validatedAgainst: Readonly<Record<string, readonly string[]>> = {
  grant_types: ["redirect_uris"],
  redirect_uris: ["subject_type"],
  sector_identifier_uri: ["subject_type"],
  jwks: ["jwks_uri", "token_endpoint_auth_signing_alg"],
  jwks_uri: ["jwks", "token_endpoint_auth_signing_alg"],
  token_endpoint_auth_method: ["client_secret", "jwks", "token_endpoint_auth_signing_alg"],
};

/** Removes only the invalid parts, so that the rest is validated semantically in the same run. */
function removeInvalid(input: Readonly<Record<string, unknown>>, invalid: readonly Path[]) {
  const content: Record<string, unknown> = { ...input };
  const invalidPaths = new Set<string>();
  const copies = new Set<unknown>();
  /** Replaces a value with a mutable copy of it. */
  const makeMutable = (holder: Record<string | number, unknown>, key: string | number) => {
    const current = holder[key];
    if (copies.has(current) || typeof current !== "object" || current === null) {
      return current as Record<string | number, unknown>;
    }
    const copy = Array.isArray(current) ? [...current] : { ...current };
    copies.add(copy);
    return holder[key] = copy as Record<string | number, unknown>;
  };
  for (
    const [name, inner, member] of invalid as readonly (readonly [string, (string | number)?, (string | number)?])[]
  ) {
    const id = name === "clients" ? "client_id" : name === "users" ? "sub" : undefined;
    const current = inner === undefined ? undefined : makeMutable(content, name);
    if (id !== undefined && typeof inner === "number" && Array.isArray(current)) {
      const item = makeMutable(current as unknown as Record<number, unknown>, inner);
      if (typeof member === "string" && member !== id && typeof item === "object" && item !== null) {
        delete item[member];
        const dependents = Object.hasOwn(validatedAgainst, member) ? validatedAgainst[member]! : [];
        for (const dependent of [member, ...dependents]) invalidPaths.add(`${name}[${inner}].${dependent}`);
      } else {
        invalidPaths.add(`${name}[${inner}]`);
        current[inner] = placeholderItem(item, id, inner);
      }
    } else if (typeof inner === "string" && typeof current === "object" && !Array.isArray(current)) {
      delete current[inner];
      invalidPaths.add(`${name}.${inner}`);
    } else {
      invalidPaths.add(name);
      delete content[name];
    }
  }
  for (const name of invalidPaths) {
    if (Object.hasOwn(permissiveDefaults, name)) content[name] = permissiveDefaults[name as keyof RawConfigFile];
  }
  return { content: content as RawConfigFile, invalidPaths };
}

/** Keeps the identifier, which must not be given to another one either. */
function placeholderItem(item: unknown, key: string, index: number): Record<string, string> {
  const id = typeof item === "object" && item !== null ? (item as Record<string, unknown>)[key] : undefined;
  return { [key]: typeof id === "string" ? id : `unsound ${index}` };
}
