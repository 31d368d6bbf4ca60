/** The JSON Schema of the configuration file, as editors see it. */

import { readFile } from "node:fs/promises";
import { test } from "node:test";
import { assert, assertEquals } from "@std/assert";
import * as v from "valibot";
import { configSchemaText, schemaPath } from "../../scripts/config_schema.ts";
import { configurationSchema } from "../../src/cli/schema.ts";

/** A JSON Schema as far as these tests look into it. */
interface Node {
  readonly type?: string;
  readonly title?: string;
  readonly description?: string;
  readonly examples?: readonly unknown[];
  readonly additionalProperties?: unknown;
  readonly required?: readonly string[];
  readonly properties?: Readonly<Record<string, Node>>;
  readonly items?: Node;
  readonly anyOf?: readonly Node[];
}

const committed = await readFile(schemaPath, "utf8");
const root: Node = JSON.parse(committed);

function* nodes(node: Node, place: string): Generator<[string, Node]> {
  yield [place, node];
  for (const [key, inner] of Object.entries(node.properties ?? {})) yield* nodes(inner, `${place}.${key}`);
  if (node.items) yield* nodes(node.items, `${place}[]`);
  // A member under any name.
  const others = node.additionalProperties as Node | boolean | undefined;
  if (typeof others === "object" && Object.keys(others).length > 0) yield* nodes(others, `${place}.*`);
}

test("the committed JSON Schema is fresh; scripts/schema.ts renews it", () => {
  assertEquals(committed, configSchemaText());
});

test("every field has a type, a title and a description, and every one but the whole an example", () => {
  const all = [...nodes(root, "file")];
  assert(all.length > 45);
  for (const [place, { type, title, description, examples, anyOf }] of all) {
    assert((type || anyOf?.every((one) => one.type)) && title && description, place);
    assert(place === "file" || (examples && examples.length > 0), place);
  }
});

test("every object but a user, a key and a mapping refuses unknown keys, and only identifiers are required", () => {
  const objects = [...nodes(root, "file")].filter(([, { type }]) => type === "object");
  assertEquals(
    objects.map(([place, { additionalProperties, required }]) => [place, additionalProperties ?? true, required]),
    [
      ["file", false, []],
      ["file.clients[]", false, ["client_id"]],
      ["file.clients[].jwks", true, ["keys"]],
      ["file.clients[].jwks.keys[]", {}, undefined],
      ["file.users[]", true, ["sub"]],
      ["file.claims", root.properties!.claims!.additionalProperties, undefined],
      ["file.lifetimes", false, []],
      ["file.pkce", false, []],
      ["file.keys", false, []],
      ["file.refresh", false, []],
      ["file.resources[]", false, ["uri"]],
    ],
  );
});

test("every example is right by the schema itself", () => {
  for (const [place, { examples = [] }] of nodes(root, "")) {
    // One example after the other is put into a file that holds nothing else.
    const steps = place.split(/\.|(?=\[\])/).filter((step) => step !== "");
    for (const example of examples) {
      const file = steps.reduceRight<unknown>((inner, step) => step === "[]" ? [inner] : { [step]: inner }, example);
      const { issues = [] } = v.safeParse(configurationSchema, file);
      const wrong = issues.filter((issue) => !/^"(client_id|sub|uri)"$/.test(issue.expected ?? ""));
      assertEquals(wrong.map(({ message }) => message), [], `${place}: ${JSON.stringify(example)}`);
    }
  }
});
