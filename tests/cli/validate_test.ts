/** The validator of the configuration file and the JSON Schema accept the same files. */

import { test } from "node:test";
import { assert, assertEquals } from "@std/assert";
import fc from "fast-check";
import { exampleFile } from "./example_file.ts";
import { configFileField } from "../../src/cli/settings.ts";
import { findMismatches } from "../../src/server/config/config_issue.ts";
import schema from "../../static/config.schema.json" with { type: "json" };

/** A JSON Schema as far as these tests look into it. */
interface Node {
  readonly type?: string;
  readonly enum?: readonly unknown[];
  readonly pattern?: string;
  readonly minimum?: number;
  readonly minItems?: number;
  readonly maximum?: number;
  readonly examples?: readonly unknown[];
  readonly additionalProperties?: Node | boolean;
  readonly properties?: Readonly<Record<string, Node | undefined>>;
  readonly items?: Node;
  readonly required?: readonly string[];
  readonly anyOf?: readonly Node[];
}

const root: Node = schema;

/** What members of any name must be; `undefined` where they may be anything, or not be. */
function othersOf({ additionalProperties: others }: Node): Node | undefined {
  return typeof others === "object" && Object.keys(others).length > 0 ? others : undefined;
}

function* nodes(node: Node, place: string): Generator<[string, Node]> {
  yield [place, node];
  for (const [key, inner] of Object.entries(node.properties ?? {})) yield* nodes(inner!, `${place}.${key}`);
  if (node.items) yield* nodes(node.items, `${place}[]`);
  for (const [i, inner] of (node.anyOf ?? []).entries()) yield* nodes(inner, `${place}|${i}`);
  const others = othersOf(node);
  if (others !== undefined) yield* nodes(others, `${place}.*`);
}

const hasIssues = (file: unknown) => findMismatches(configFileField(), file, true).length > 0;

test("this test knows every keyword of the JSON Schema", () => {
  const checked = [
    "type",
    "anyOf",
    "enum",
    "pattern",
    "minimum",
    "maximum",
    "minItems",
    "items",
    "properties",
    "required",
  ];
  const keywords = new Set([
    ...checked,
    "additionalProperties",
    "$schema",
    "title",
    "description",
    "examples",
    "default",
  ]);
  for (const [place, node] of nodes(root, "file")) {
    assertEquals(Object.keys(node).filter((keyword) => !keywords.has(keyword)), [], place);
  }
});

test("every example is valid", () => {
  const valid: unknown[] = [{}, JSON.parse(exampleFile)];
  for (const [key, inner] of Object.entries(root.properties!)) {
    for (const example of inner!.examples ?? []) valid.push({ [key]: example });
  }
  assert(valid.length > 40);
  for (const file of valid) {
    assert(!hasIssues(file), JSON.stringify(file));
    assert(matches(file, root), JSON.stringify(file));
  }
});

/** Names that are wrong everywhere, or only look as if. */
const oddName = fc.constantFrom("__proto__", "constructor", "toString", "", "Port", "client_ids", "x");

/** Values near the edges of what any place accepts. */
const oddValue = fc.oneof(
  fc.constantFrom<unknown>(null, true, 0, -1, 0.5, 3599, 65536, 1e300, 2 ** 53, "", "none", "ES256", "memory", "a b"),
  fc.constantFrom<unknown>([], {}, [[]], [{}], { env: "A" }, { env: "A", file: "B" }, { keys: [] }, { keys: [[]] }),
  fc.jsonValue(),
);

/** Mostly what fits a node of the schema. */
function written(node: Node): fc.Arbitrary<unknown> {
  const { type, anyOf, enum: choices, pattern, minimum = 0, maximum = 2 ** 53 - 1, examples = [] } = node;
  const fitting = (): fc.Arbitrary<unknown> => {
    if (anyOf !== undefined) {
      return fc.oneof(
        ...anyOf.map((one) => written({ examples: examples.filter((text) => typeof text === "string"), ...one })),
      );
    }
    if (choices !== undefined) return fc.constantFrom(...choices);
    if (pattern !== undefined) return fc.constantFrom(...examples);
    if (type === "boolean") return fc.boolean();
    if (type === "integer") {
      return fc.oneof(fc.integer({ min: minimum, max: maximum }), fc.constantFrom(minimum, maximum));
    }
    if (type === "string") return fc.string();
    if (type === "array") return fc.array(written(node.items!), { minLength: node.minItems, maxLength: 3 });
    return members(node);
  };
  return fc.oneof({ weight: 10, arbitrary: fitting() }, { weight: 1, arbitrary: oddValue });
}

/** An object as JSON makes it, where no name means anything by itself. */
function members(node: Node): fc.Arbitrary<unknown> {
  const { properties = {}, required = [] } = node;
  const others = othersOf(node);
  const pairOf = (name: string) => fc.tuple(fc.constant(name), written(properties[name]!));
  const optional = Object.keys(properties).filter((name) => !required.includes(name));
  const chosen = fc.shuffledSubarray(optional, { maxLength: Math.min(4, optional.length) });
  const pairs = [
    fc.tuple(...required.map(pairOf)),
    chosen.chain((names) => fc.tuple(...names.map(pairOf))),
    others === undefined ? fc.constant([]) : fc.array(fc.tuple(fc.string(), written(others)), { maxLength: 3 }),
    fc.oneof({ weight: 19, arbitrary: fc.constant([]) }, {
      weight: 1,
      arbitrary: fc.tuple(fc.tuple(oddName, oddValue)),
    }),
  ];
  return fc.tuple(...pairs).map((parts) => {
    const list = (parts as [string, unknown][][]).flat();
    return JSON.parse(`{${list.map(([name, value]) => `${JSON.stringify(name)}:${JSON.stringify(value)}`).join()}}`);
  });
}

/** An independent, slow reading of the JSON Schema. */
function matches(value: unknown, schema: Node): boolean {
  switch (schema.type) {
    case undefined:
      return schema.anyOf?.some((option) => matches(value, option)) ?? true;
    case "boolean":
      return typeof value === "boolean";
    case "integer":
      return Number.isSafeInteger(value) && (value as number) >= (schema.minimum ?? -Infinity) &&
        (value as number) <= (schema.maximum ?? Infinity);
    case "string":
      return typeof value === "string" && (schema.enum === undefined || schema.enum.includes(value)) &&
        (schema.pattern === undefined || new RegExp(schema.pattern).test(value));
    case "array":
      return Array.isArray(value) && value.length >= (schema.minItems ?? 0) &&
        value.every((item) => matches(item, schema.items ?? {}));
    case "object":
      return typeof value === "object" && value !== null && !Array.isArray(value) && matchesObject(value, schema);
  }
  return false;
}

function matchesObject(value: object, { properties = {}, required = [], additionalProperties }: Node): boolean {
  if (!required.every((name) => Object.hasOwn(value, name))) return false;
  return Object.entries(value).every(([name, memberValue]) =>
    // What is called __proto__ would not stay what it is when it is copied.
    Object.hasOwn(properties, name)
      ? matches(memberValue, properties[name]!)
      : name !== "__proto__" && matchesAdditional(memberValue, additionalProperties)
  );
}

/** Whether members are allowed that no property describes; `{}` allows any value. */
function matchesAdditional(value: unknown, additional: Node | boolean = true): boolean {
  return typeof additional === "boolean"
    ? additional
    : Object.keys(additional).length === 0 || matches(value, additional);
}

test("the validator finds issues in exactly the files that do not match the JSON Schema", () => {
  let valid = 0;
  let invalid = 0;
  fc.assert(
    fc.property(members(root), (file) => {
      const isValid = matches(file, root);
      isValid ? valid++ : invalid++;
      assertEquals(hasIssues(file), !isValid);
    }),
    { seed: 1, numRuns: 3000 },
  );
  assert(valid > 300 && invalid > 300, `${valid} valid, ${invalid} not`);
});
