/** The quick look at a configuration file: it finds nothing sound that the schema library finds a fault in. */

import { test } from "node:test";
import { assert, assertEquals } from "@std/assert";
import fc from "fast-check";
import { exampleFile } from "../../src/cli/help.ts";
import { checkSchema } from "../../src/cli/schema_errors.ts";
import { validate } from "../../src/cli/validate.ts";
import schema from "../../static/config.schema.json" with { type: "json" };

/** A JSON Schema as far as these tests look into it. */
interface Node {
  readonly type?: string;
  readonly enum?: readonly unknown[];
  readonly pattern?: string;
  readonly minimum?: number;
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

test("every word of the JSON Schema is one that the quick look heeds, or one for people", () => {
  const heeded = ["type", "anyOf", "enum", "pattern", "minimum", "maximum", "items", "properties", "required"];
  const words = new Set([...heeded, "additionalProperties", "$schema", "title", "description", "examples", "default"]);
  for (const [place, node] of nodes(root, "file")) {
    // The names of a key's members are texts, as all names in JSON are.
    const unknown = Object.keys(node).filter((word) => !words.has(word) && word !== "propertyNames");
    assertEquals(unknown, [], place);
  }
});

test("what is right is sound at once, so that no library is loaded for it", async () => {
  const right: unknown[] = [{}, JSON.parse(exampleFile)];
  for (const [key, inner] of Object.entries(root.properties!)) {
    for (const example of inner!.examples ?? []) right.push({ [key]: example });
  }
  assert(right.length > 40);
  for (const file of right) {
    assertEquals((await checkSchema(file as Record<string, unknown>)).issues, [], JSON.stringify(file));
    assert(validate(file), JSON.stringify(file));
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
    if (anyOf !== undefined) return fc.oneof(...anyOf.map(written));
    if (choices !== undefined) return fc.constantFrom(...choices);
    if (pattern !== undefined) return fc.constantFrom(...examples);
    if (type === "boolean") return fc.boolean();
    if (type === "integer") {
      return fc.oneof(fc.integer({ min: minimum, max: maximum }), fc.constantFrom(minimum, maximum));
    }
    if (type === "string") return fc.string();
    if (type === "array") return fc.array(written(node.items!), { maxLength: 3 });
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

test("what is sound at a quick look has no fault in its shape, and means the same", async () => {
  let valid = 0;
  let faulty = 0;
  await fc.assert(
    fc.asyncProperty(members(root), async (file) => {
      const { content, issues, invalidPaths } = await checkSchema(file as Record<string, unknown>);
      if (!validate(file)) return void faulty++;
      valid++;
      assertEquals(issues, []);
      assertEquals([...invalidPaths], []);
      assertEquals<unknown>(content, file);
    }),
    { seed: 1, numRuns: 3000 },
  );
  assert(valid > 300 && faulty > 300, `${valid} sound, ${faulty} not`);
});
