/** Holds a parsed file against the schema: every fault in its shape, and what can still be judged. Loaded lazily. */

import * as v from "valibot";
import type { Fault } from "../oauth/fault.ts";
import { neutralContent } from "./meaning.ts";
import type { WrittenContent } from "./operator.ts";
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
  readonly wrapped?: Node;
  readonly item?: Node;
  /** Of a record: what stands under each name. */
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
      faults.push(valueFault(path, []));
    } else {
      const meant = await suggest(String(path.at(-1)), known);
      if (meant !== undefined && path.length === 1 && !Object.hasOwn(input, meant)) faulty.push([meant]);
      faults.push(keyFault(path, known, meant));
    }
  }
  for (const issue of v.safeParse(configurationSchema, input, { abortPipeEarly: true }).issues ?? []) {
    const path = (issue.path ?? []).map((step) => step.key as string | number);
    if (issue.type === "strict_object" && issue.expected === "never") continue;
    if (arrays.has(showPath(path.slice(0, -1)))) continue;
    faulty.push(path);
    faults.push(valueFault(path, issue.input));
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

function valueFault(path: Path, value: unknown): Fault {
  const node = nodeAt(path);
  const key = path.at(-1);
  const { examples } = v.getMetadata(node as unknown as v.GenericSchema) as { examples?: readonly unknown[] };
  const example = JSON.stringify(examples?.[0]);
  const like = typeof key === "string" ? `${quote(key)}: ${example}` : example;
  return {
    place: showPath(path),
    expected: node.message ?? "something else",
    found: showValue(value, path),
    mend: value === undefined ? `Add it, like ${like}.` : `Write it like ${like}.`,
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

/** Takes faulty clients and users out one by one, and other settings whole. */
function soundPart(input: Readonly<Record<string, unknown>>, faulty: readonly Path[]) {
  const content: Record<string, unknown> = { ...input };
  for (const key of ["clients", "users"]) {
    if (Array.isArray(content[key])) content[key] = [...content[key]];
  }
  const unsound = new Set<string>();
  for (const [key, index] of faulty) {
    const people = key === "clients" ? "client_id" : key === "users" ? "sub" : undefined;
    const name = String(key);
    const list = content[name];
    if (people !== undefined && typeof index === "number" && Array.isArray(list)) {
      unsound.add(`${name}[${index}]`);
      list[index] = standIn(list[index], people, index);
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
