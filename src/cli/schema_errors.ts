/** Holds a parsed file against the schema: every fault in its shape, and what can still be judged. Loaded lazily. */

import * as v from "valibot";
import type { Fault } from "../oauth/config/config_issue.ts";
import { neutralContent } from "./semantic_errors.ts";
import { operatorRules } from "./option_definitions.ts";
import type { WrittenContent } from "./option_definitions.ts";
import { configurationSchema } from "./schema.ts";
import { quote, showPath, showValue } from "./show.ts";
import { suggest } from "./suggest.ts";

type Path = readonly (string | number)[];

/** What of a file has the right shape. */
export interface ShapeReading {
  readonly content: WrittenContent;
  readonly faults: readonly Fault[];
  /** Places that `content` says nothing true about, such as `alg` and `clients[1]`. */
  readonly unsound: ReadonlySet<string>;
}

/** A schema as far as this file looks into it. */
interface Node {
  readonly type: string;
  readonly message?: string;
  /** Of a choice: what there is to choose from. */
  readonly options?: readonly string[];
  readonly wrapped?: Node;
  readonly item?: Node;
  /** Of a record: the schema of each value. */
  readonly value?: Node;
  readonly entries?: Readonly<Record<string, Node>>;
}

const root = configurationSchema as unknown as Node;

/**
 * Checks the shape of a whole file; places are relative to it. In place of what is faulty, the content holds what draws
 * no further complaint, so that the meaning of the rest can be judged in the same run.
 */
export async function readShape(input: Readonly<Record<string, unknown>>): Promise<ShapeReading> {
  const faults: Fault[] = [];
  const faulty: Path[] = [];
  const arrays = new Set<string>();
  for (const { path, known } of oddities(root, input, [])) {
    faulty.push(path);
    if (known === undefined) {
      arrays.add(showPath(path));
      faults.push(await valueFault(path, []));
    } else {
      const meant = await suggest(String(path.at(-1)), known);
      if (meant !== undefined && !isThere(input, [...path.slice(0, -1), meant])) {
        faulty.push([...path.slice(0, -1), meant]);
      }
      faults.push(keyFault(path, known, meant));
    }
  }
  for (const issue of v.safeParse(configurationSchema, input, { abortPipeEarly: true }).issues ?? []) {
    const path = (issue.path ?? []).map((step) => step.key as string | number);
    if (issue.type === "strict_object" && issue.expected === "never") continue;
    if (arrays.has(showPath(path.slice(0, -1)))) continue;
    faulty.push(path);
    faults.push(await valueFault(path, issue.input));
  }
  return { faults, ...soundPart(input, faulty) };
}

/**
 * What the schema library lets pass or does not tell: arrays where objects belong, and every unknown key (it stops at
 * the first one, and overlooks `constructor` and its like). `known` is absent for an array, and empty where every key is
 * allowed but `__proto__`, which would not stay what it is when claims are copied.
 */
function* oddities(node: Node, value: unknown, path: Path): Generator<{ path: Path; known?: readonly string[] }> {
  const { type, entries, item, value: member } = node.wrapped ?? node;
  if (item !== undefined && Array.isArray(value)) {
    for (const [index, element] of value.entries()) yield* oddities(item, element, [...path, index]);
  } else if (member !== undefined && typeof value === "object" && value !== null) {
    if (Array.isArray(value)) return yield { path };
    for (const [key, element] of Object.entries(value)) {
      if (key === "__proto__") yield { path: [...path, key], known: [] };
      else yield* oddities(member, element, [...path, key]);
    }
  } else if (entries !== undefined && typeof value === "object" && value !== null) {
    if (Array.isArray(value)) return yield { path };
    for (const [key, element] of Object.entries(value)) {
      const entry = Object.hasOwn(entries, key) ? entries[key] : undefined;
      if (entry !== undefined) yield* oddities(entry, element, [...path, key]);
      else if (type === "strict_object" || key === "__proto__") {
        yield { path: [...path, key], known: type === "strict_object" ? Object.keys(entries) : [] };
      }
    }
  }
}

function keyFault(path: Path, known: readonly string[], meant: string | undefined): Fault {
  return {
    place: showPath(path),
    expected: known.length === 0 ? "another name" : "a known key",
    found: quote(String(path.at(-1))),
    mend: known.length === 0
      ? "Choose another name."
      : meant
      ? `Did you mean ${meant}?`
      : `Remove it; known keys here are ${known.join(", ")}.`,
  };
}

async function valueFault(path: Path, value: unknown): Promise<Fault> {
  const node = nodeAt(path);
  const key = path.at(-1);
  const { examples } = v.getMetadata(node as unknown as v.GenericSchema) as { examples?: readonly unknown[] };
  const meant = typeof value === "string" ? await suggest(value, node.options ?? []) : undefined;
  const example = JSON.stringify(meant ?? examples?.[0]);
  const hint = key === "store" && typeof value === "string" ? operatorRules.store.hint?.(value) : undefined;
  const like = typeof key === "string" ? `${quote(key)}: ${example}` : example;
  return {
    place: showPath(path),
    expected: node.message ?? "something else",
    found: showValue(value, path),
    mend: value === undefined ? `Add it, like ${like}.` : hint ?? `Write it like ${like}.`,
  };
}

/** The schema of a place that it knows. */
function nodeAt(path: Path): Node {
  let node: Node | undefined = root;
  for (const step of path) {
    node = typeof step === "number" ? node?.item : node?.entries?.[step] ?? node?.value;
    node = node?.wrapped ?? node;
  }
  return node ?? root;
}

function isThere(input: unknown, path: Path): boolean {
  return path.length === 0 || typeof input === "object" && input !== null && Object.hasOwn(input, path[0]!) &&
      isThere((input as Record<string | number, unknown>)[path[0]!], path.slice(1));
}

/** Client settings that are validated against another setting; skipped if that one is invalid. */
const judgedBy: Readonly<Record<string, readonly string[]>> = {
  grant_types: ["redirect_uris"],
  redirect_uris: ["subject_type"],
  sector_identifier_uri: ["subject_type"],
  jwks: ["jwks_uri", "token_endpoint_auth_signing_alg"],
  jwks_uri: ["jwks", "token_endpoint_auth_signing_alg"],
  token_endpoint_auth_method: ["client_secret", "jwks", "token_endpoint_auth_signing_alg"],
};

/** Removes only the invalid parts, so that the rest is validated semantically in the same run. */
function soundPart(input: Readonly<Record<string, unknown>>, faulty: readonly Path[]) {
  const content: Record<string, unknown> = { ...input };
  const unsound = new Set<string>();
  const copied = new Set<unknown>();
  /** Replaces a value with a mutable copy of it. */
  const copyIn = (holder: Record<string | number, unknown>, key: string | number) => {
    const held = holder[key];
    if (copied.has(held) || typeof held !== "object" || held === null) return held as Record<string | number, unknown>;
    const copy = Array.isArray(held) ? [...held] : { ...held };
    copied.add(copy);
    return holder[key] = copy as Record<string | number, unknown>;
  };
  for (
    const [name, inner, member] of faulty as readonly (readonly [string, (string | number)?, (string | number)?])[]
  ) {
    const id = name === "clients" ? "client_id" : name === "users" ? "sub" : undefined;
    const held = inner === undefined ? undefined : copyIn(content, name);
    if (id !== undefined && typeof inner === "number" && Array.isArray(held)) {
      const item = copyIn(held as unknown as Record<number, unknown>, inner);
      if (typeof member === "string" && member !== id && typeof item === "object" && item !== null) {
        delete item[member];
        const others = Object.hasOwn(judgedBy, member) ? judgedBy[member]! : [];
        for (const judged of [member, ...others]) unsound.add(`${name}[${inner}].${judged}`);
      } else {
        unsound.add(`${name}[${inner}]`);
        held[inner] = standIn(item, id, inner);
      }
    } else if (typeof inner === "string" && typeof held === "object" && !Array.isArray(held)) {
      delete held[inner];
      unsound.add(`${name}.${inner}`);
    } else {
      unsound.add(name);
      delete content[name];
    }
  }
  for (const name of unsound) {
    if (Object.hasOwn(neutralContent, name)) content[name] = neutralContent[name as keyof WrittenContent];
  }
  return { content: content as WrittenContent, unsound };
}

/** Keeps the identifier, which must not be given to another one either. */
function standIn(item: unknown, key: string, index: number): Record<string, string> {
  const id = typeof item === "object" && item !== null ? (item as Record<string, unknown>)[key] : undefined;
  return { [key]: typeof id === "string" ? id : `unsound ${index}` };
}
