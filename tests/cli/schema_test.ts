/** The JSON Schema of the configuration file, as editors see it. */

import { readFile } from "node:fs/promises";
import { test } from "node:test";
import { assert, assertEquals } from "@std/assert";
import { configSchemaText, schemaPath } from "../../scripts/config_schema.ts";
import { configFileField } from "../../src/cli/settings.ts";
import { findMismatches } from "../../src/server/config/config_issue.ts";
import { extensions } from "../../src/server/hosting/extensions.ts";

/** A JSON Schema as far as these tests look into it. */
interface Node {
  readonly type?: string;
  readonly default?: unknown;
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
  for (const { items } of [node, ...node.anyOf ?? []]) if (items) yield* nodes(items, `${place}[]`);
  // A member under any name.
  const others = node.additionalProperties as Node | boolean | undefined;
  if (typeof others === "object" && Object.keys(others).length > 0) yield* nodes(others, `${place}.*`);
}

test("the committed JSON Schema is up to date; scripts/schema.ts renews it", () => {
  assertEquals(committed, configSchemaText());
});

test("the schema has the settings of every extension, which src/server/extensions/settings.ts lists", () => {
  const settings = extensions.flatMap(({ settings }) => Object.keys(settings?.fields ?? {}));
  assertEquals(settings.filter((name) => !Object.hasOwn(root.properties!, name)), []);
});

test("every setting has a type, a description and an example, and a description names the default", () => {
  const all = [...nodes(root, "file")];
  assert(all.length > 45);
  for (const [place, { type, description, examples, anyOf, ...node }] of all) {
    const isUnnamed = /\[\]$|\.\*$|jwks\.keys$/.test(place) || type === undefined && anyOf === undefined;
    if (
      isUnnamed &&
      !/^file\.(?:clients|users|resources|acrValues|trustedIssuers|resourceAuthorizationServers)\[\]$/.test(place)
    ) continue;
    assert((type || anyOf?.some((one) => one.type)) && description, place);
    assert(place === "file" || (examples && examples.length > 0), place);
    const { default: value } = node;
    if (value === undefined) continue;
    const shown = Array.isArray(value) ? [JSON.stringify(value), value.join(" ")] : [String(value)];
    assert(shown.some((text) => description.includes(`efault: ${text}`)), `${place}: ${description}`);
  }
});

test("every object except a user, a key, a schema and a mapping rejects unknown keys, and only identifiers are required", () => {
  const objects = [...nodes(root, "file")].filter(([, { type }]) => type === "object");
  const { authorizationDetails: types } = root.properties!;
  const { targets } = root.properties!.tokenExchange!.properties!;
  const { clients: otherIds, subjects: otherSubjects } = root.properties!.resourceAuthorizationServers!.items!
    .properties!;
  const { subjects } = root.properties!.trustedIssuers!.items!.properties!;
  const byPlace = (rows: readonly unknown[][]) => rows.toSorted(([a], [b]) => String(a) < String(b) ? -1 : 1);
  assertEquals(
    byPlace(
      objects.map(([place, { additionalProperties, required }]) => [place, additionalProperties ?? true, required]),
    ),
    byPlace([
      ["file", false, undefined],
      ["file.clients[]", false, ["client_id"]],
      ["file.clients[].jwks", true, ["keys"]],
      ["file.clients[].jwks.keys[]", true, undefined],
      ["file.users[]", true, ["sub"]],
      ["file.claims", root.properties!.claims!.additionalProperties, undefined],
      ["file.acrValues[]", false, ["value"]],
      ["file.lifetimes", false, undefined],
      ["file.paths", false, undefined],
      ["file.pkce", false, undefined],
      ["file.dpop", false, undefined],
      ["file.mutualTls", false, undefined],
      ["file.metadata", true, undefined],
      ["file.origins", root.properties!.origins!.additionalProperties, undefined],
      ["file.tokenPrefixes", false, undefined],
      ["file.clientLogout", false, undefined],
      ["file.keys", false, undefined],
      ["file.refresh", false, undefined],
      ["file.resources[]", false, ["uri"]],
      ["file.trustedIssuers[]", false, ["issuer"]],
      ["file.trustedIssuers[].jwks", true, ["keys"]],
      ["file.trustedIssuers[].jwks.keys[]", true, undefined],
      ["file.trustedIssuers[].subjects", subjects!.additionalProperties, undefined],
      ["file.trustedIssuers[].subjects.*", false, undefined],
      ["file.authorizationDetails", types!.additionalProperties, undefined],
      ["file.authorizationDetails.*", false, ["schema"]],
      ["file.authorizationDetails.*.schema", true, undefined],
      ["file.tokenExchange", false, undefined],
      ["file.tokenExchange.targets", targets!.additionalProperties, undefined],
      ["file.resourceAuthorizationServers[]", false, ["issuer"]],
      ["file.resourceAuthorizationServers[].clients", otherIds!.additionalProperties, undefined],
      ["file.resourceAuthorizationServers[].subjects", otherSubjects!.additionalProperties, undefined],
      ["file.registration", false, undefined],
      ["file.registration.softwareStatementIssuers[]", false, ["issuer"]],
      ["file.registration.softwareStatementIssuers[].jwks", true, ["keys"]],
      ["file.registration.softwareStatementIssuers[].jwks.keys[]", true, undefined],
    ]),
  );
});

test("every example is valid by the schema", () => {
  for (const [place, { examples = [] }] of nodes(root, "")) {
    // One example after the other is put into a file that holds nothing else.
    const steps = place.split(/\.|(?=\[\])/).filter((step) => step !== "");
    for (const example of examples) {
      const file = steps.reduceRight<unknown>((inner, step) => step === "[]" ? [inner] : { [step]: inner }, example);
      const wrong = findMismatches(configFileField(), file, true).filter(({ path }) =>
        !/^(client_id|sub|uri|value|issuer|schema)$/.test(String(path.at(-1)))
      );
      assertEquals(wrong, [], `${place}: ${JSON.stringify(example)}`);
    }
  }
});
