/** Builds the JSON Schema for editors from the description of the configuration file and from its comments. */

import { globSync, readFileSync } from "node:fs";
import { configFileField } from "../src/cli/options.ts";
import { anyValue, type Field } from "../src/oauth/config/field.ts";

/** The path of the JSON Schema in the project. */
export const schemaPath = "static/config.schema.json";

/** The files whose interfaces document the configuration. */
const documentation = ["src/cli/options.ts", ...globSync("src/{oauth/{clients,config},extensions/{,*}}/*.ts").sort()];

const title = "Latchkey configuration";
const description = "The configuration that a Latchkey server reads from the file of --config. Every key is optional.";

/** A reference to a secret, instead of the secret. */
const references = [
  ["env", "The environment variable with the secret.", "WEB_SECRET"],
  ["file", "The file with the secret and nothing else, relative to the working directory.", "/run/secrets/web"],
] as const;

/** The text of the JSON Schema, with a final newline. */
export function configSchemaText(): string {
  const { comments, parents } = readComments();
  const findComment = (owner: string, name: string): string | undefined =>
    comments.get(`${owner}.${name}`) ?? parents.get(owner)?.map((parent) => findComment(parent, name)).find(Boolean);
  const toSchema = (field: Field, description?: string): Record<string, unknown> => {
    const { type, examples, choices, pattern, min, max, items, members, others, documentedBy = "", required } = field;
    const schema = {
      type,
      ...choices && { enum: choices },
      ...pattern && { pattern: pattern.source },
      ...min !== undefined && { [type === "array" ? "minItems" : "minimum"]: min },
      ...max !== undefined && { maximum: max },
      ...items && { items: toSchema(items, comments.get(items.documentedBy ?? "")) },
      ...members && {
        properties: Object.fromEntries(
          Object.entries(members).map(([name, member]) => [
            name,
            toSchema(member, findComment(documentedBy, name)),
          ]),
        ),
      },
      ...required && { required },
      ...type === "object" && others !== anyValue && { additionalProperties: others ? toSchema(others) : false },
    };
    const annotations = { description, examples, default: field.default };
    if (field.alternative !== undefined) {
      return { anyOf: [schema, { type: "string", enum: [field.alternative] }], ...annotations };
    }
    if (field.isSecret === undefined) return { ...schema, ...annotations };
    const secrets = references.map(([name, description, example]) => ({
      type: "object",
      properties: { [name]: { type: "string", description, examples: [example] } },
      required: [name],
      additionalProperties: false,
    }));
    const referenceExamples = references.map(([name, , example]) => ({ [name]: example }));
    return { anyOf: [schema, ...secrets], ...annotations, examples: [...examples, ...referenceExamples] };
  };
  const { examples: _, description: __, ...schema } = toSchema(configFileField());
  const whole = { $schema: "http://json-schema.org/draft-07/schema#", title, description, ...schema };
  return `${JSON.stringify(whole, null, 2)}\n`;
}

/** Comments of interfaces (`Lifetimes`) and of their members (`Lifetimes.code`), and base interfaces. */
function readComments() {
  const comments = new Map<string, string>();
  const parents = new Map<string, readonly string[]>();
  const pattern =
    /\/\*\*((?:(?!\*\/)[^])*)\*\/\s*(?:(?:export )?interface (\w+)(?:\s+extends\s+([\w\s,]+))?|readonly ([$\w]+)\??:)/g;
  for (const path of documentation) {
    let owner = "";
    for (const [, comment = "", name, parent, member] of readFileSync(path, "utf8").matchAll(pattern)) {
      owner = name ?? owner;
      if (parent !== undefined) parents.set(owner, parent.trim().split(/\s*,\s*/));
      comments.set(member === undefined ? owner : `${owner}.${member}`, toPlainText(comment));
    }
  }
  return { comments, parents };
}

function toPlainText(comment: string): string {
  const [text = ""] = comment.split(/^\s*\* @/m);
  return text.replace(/^\s*\*/gm, " ").replace(/\{@link (\w+)\}/g, "$1").replaceAll("`", "").replace(/\s+/g, " ")
    .trim();
}
