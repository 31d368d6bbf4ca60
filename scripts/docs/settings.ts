/** The manual of the settings as Markdown, from the JSON Schema that the descriptions of the settings generate. */

/** A part of a JSON Schema, as far as it is printed. */
interface Schema {
  readonly description?: string;
  readonly examples?: readonly unknown[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly items?: Schema;
  readonly anyOf?: readonly Schema[];
  readonly additionalProperties?: boolean | Schema;
}

/** The page: a section for each setting, with its members and an example. */
export function settingsPage(text: string): string {
  const { description, properties = {} }: Schema = JSON.parse(text);
  return [
    `# Settings\n\n${escape(description!)} A flag has the name in lower case with hyphens.`,
    ...Object.entries(properties).flatMap(([name, schema]) => [
      `## \`${name}\``,
      escape(schema.description!),
      ...printMembers(schema),
      ...(schema.examples ?? []).slice(0, 1).map((example) => `\`\`\`json\n"${name}": ${format(example)}\n\`\`\``),
    ]),
    "",
  ].join("\n\n");
}

/** The members of an object, of the objects of a list, or of each alternative, as a list. */
function printMembers(schema: Schema): string[] {
  const lines = linesOf(schema, "");
  return lines.length === 0 ? [] : [lines.join("\n")];
}

function linesOf(schema: Schema, indent: string): string[] {
  return [...membersOf(schema)].flatMap(([name, member]) => [
    `${indent}- \`${name}\`: ${escape(member.description ?? "")}`.trimEnd(),
    ...linesOf(member, `${indent}  `),
  ]);
}

function membersOf({ properties = {}, items, anyOf = [], additionalProperties }: Schema): Map<string, Schema> {
  const values = typeof additionalProperties === "object" ? [additionalProperties] : [];
  const others = [...items === undefined ? [] : [items], ...anyOf, ...values];
  return new Map([...Object.entries(properties), ...others.flatMap((other) => [...membersOf(other)])]);
}

const format = (value: unknown) => JSON.stringify(value, null, 2);

/** Escapes the marks of Markdown and HTML in a text. */
const escape = (text: string) => text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(/[*_[\]`]/g, "\\$&");
