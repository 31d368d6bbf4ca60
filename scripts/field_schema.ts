/** JSON Schemas of fields, with the comments of the interfaces that document them. */

import { readFileSync } from "node:fs";
import { anyValue, type Field } from "../src/core/policy/field.ts";

/** A reference to a value, instead of the value. */
const references = [
  ["env", "The environment variable with the value.", "WEB_SECRET"],
  ["file", "The file with the value and nothing else, relative to the working directory.", "/run/secrets/web"],
] as const;

/** A JSON Schema. */
export type JsonSchema = Readonly<Record<string, unknown>>;

/**
 * Creates the function that converts fields.
 *
 * @param documentation The paths of the files whose interfaces document the fields.
 * @param options `allowsReferences`: a reference may stand for a value, as in a configuration file.
 */
export function fieldSchemas(
  documentation: readonly string[],
  { allowsReferences }: { readonly allowsReferences: boolean },
): (field: Field, description?: string) => JsonSchema {
  const { comments, parents } = readComments(documentation);
  const findComment = (owner: string, name: string): string | undefined =>
    comments.get(`${owner}.${name}`) ?? parents.get(owner)?.map((parent) => findComment(parent, name)).find(Boolean);
  const toSchema = (field: Field, description?: string): JsonSchema => {
    const { type, examples, choices, pattern, min, max, items, members, others, documentedBy = "", required } = field;
    const schema = {
      ...type !== "any" && { type },
      ...choices && { enum: choices },
      ...pattern && { pattern: pattern.source },
      ...min !== undefined && { [type === "array" ? "minItems" : "minimum"]: min },
      ...max !== undefined && { maximum: max },
      ...items && { items: toSchema(items, comments.get(items.documentedBy ?? "")) },
      ...members && {
        properties: Object.fromEntries(
          Object.entries(members).filter(([, member]) => !isForPrograms(member)).map(([name, member]) => [
            name,
            toSchema(member, findComment(documentedBy, name)),
          ]),
        ),
      },
      ...required && { required },
      ...type === "object" && others !== anyValue && { additionalProperties: others ? toSchema(others) : false },
    };
    // The members of an object have their own defaults.
    const annotations = { description, examples, ...type !== "object" && { default: field.default } };
    if (field.oneOf !== undefined) {
      return { anyOf: field.oneOf.map((one) => toSchema(one, comments.get(one.documentedBy ?? ""))), ...annotations };
    }
    if (field.alternative !== undefined) {
      return { anyOf: [schema, { type: "string", enum: [field.alternative] }], ...annotations };
    }
    if (field.mayBeReference === undefined || !allowsReferences) return { ...schema, ...annotations };
    const alternatives = references.map(([name, description, example]) => ({
      type: "object",
      properties: { [name]: { type: "string", description, examples: [example] } },
      required: [name],
      additionalProperties: false,
    }));
    const referenceExamples = references.map(([name, , example]) => ({ [name]: example }));
    return { anyOf: [schema, ...alternatives], ...annotations, examples: [...examples, ...referenceExamples] };
  };
  return toSchema;
}

/** Whether only a program can have the value: a function, or an object of functions. */
function isForPrograms({ type, members }: Field): boolean {
  return type === "function" || members !== undefined && Object.values(members).every(isForPrograms);
}

/**
 * Comments of interfaces (`Lifetimes`) and of their members (`Lifetimes.code`), and base interfaces; also those of an
 * object of fields whose type is a base: `ValuesOf<typeof programFields>`.
 */
export function readComments(
  documentation: readonly string[],
): { readonly comments: Map<string, string>; readonly parents: Map<string, readonly string[]> } {
  const comments = new Map<string, string>();
  const parents = new Map<string, readonly string[]>();
  const pattern =
    /(?:\/\*\*((?:(?!\*\/)[^])*)\*\/\s*)?(?:^(?:export )?(?:interface|const) (\w+)(?:\s+extends\s+([\w\s,<>"]+))?|(?:readonly |(?<=^ {2}))([$\w]+)\??:)/gm;
  for (const path of documentation) {
    let owner = "";
    for (const [, comment, name, parent, member] of readFileSync(path, "utf8").matchAll(pattern)) {
      owner = name ?? owner;
      if (parent !== undefined) {
        parents.set(
          owner,
          parent.replace(/(?:Partial|Omit|ValuesOf)<(?:typeof )?(\w+)[^>]*>/g, "$1").trim().split(/\s*,\s*/),
        );
      }
      if (comment !== undefined) {
        comments.set(member === undefined ? owner : `${owner}.${member}`, toPlainText(comment));
      }
    }
  }
  return { comments, parents };
}

function toPlainText(comment: string): string {
  const [text = ""] = comment.replace(/^[\s*]*@internal\s/, "").split(/^\s*\* @/m);
  return text.replace(/^\s*\*/gm, " ").replace(/\{@link (\w+)\}/g, "$1").replaceAll("`", "").replace(/\s+/g, " ")
    .trim();
}
