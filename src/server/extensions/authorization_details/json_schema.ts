/**
 * JSON Schema (draft 2020-12) of objects that clients send, by a library that evaluates no code. Loaded only if a
 * setting contains a schema.
 */

import { isObject } from "../../../core/http/json_value.ts";
import { deepCompareStrict, format, type Schema, Validator } from "@cfworker/json-schema";

/** Whether two JSON values are equal; the order of members does not count. */
export const equalJson: (a: unknown, b: unknown) => boolean = deepCompareStrict;

/** A JSON Schema without references to other documents. */
export type JsonSchema = Readonly<Record<string, unknown>>;

/** The first part of a value that does not match. */
export interface SchemaMismatch {
  /** The path to this part: `.creditor.iban`, `.items[2]`, or `""` for the value itself. */
  readonly path: string;
  /** What the schema expects, such as `type "string"`; `no such field` for a field that the schema does not define. */
  readonly expected: string;
  /** The value of this part; `undefined` if it is missing. */
  readonly received: unknown;
}

const any = true;
const text = { type: "string" };
const amount = { type: "integer", minimum: 0 };
const number = { type: "number" };
const flag = { type: "boolean" };
const schema = { $ref: "#" };
const schemas = { type: "array", minItems: 1, items: schema };
const schemasByName = { type: "object", additionalProperties: schema };
const names = { type: "array", items: text };
const typeName = { enum: ["array", "boolean", "integer", "null", "number", "object", "string"] };

/** Without `url`: no specification defines it, and its regular expression takes hours for some texts (ReDoS). */
const formats = Object.keys(format).filter((name) => name !== "url");

/** The schema of a schema. A keyword that is not listed is an issue: it would have no effect. */
const schemaOfSchemas: JsonSchema = {
  type: ["object", "boolean"],
  properties: {
    ...{ $schema: text, $comment: text, title: text, description: text, default: any, examples: { type: "array" } },
    $defs: schemasByName,
    $ref: { type: "string", pattern: "^#/\\$defs/[A-Za-z0-9._-]+$" },
    ...{ allOf: schemas, anyOf: schemas, oneOf: schemas, not: schema, if: schema, then: schema, else: schema },
    ...{ type: { anyOf: [typeName, { type: "array", items: typeName }], description: "a type of JSON" } },
    ...{ const: any, enum: { type: "array" } },
    ...{ properties: schemasByName, additionalProperties: schema, unevaluatedProperties: schema, required: names },
    patternProperties: { ...schemasByName, propertyNames: { format: "regex" } },
    ...{ propertyNames: schema, minProperties: amount, maxProperties: amount, dependentSchemas: schemasByName },
    dependentRequired: { type: "object", additionalProperties: names },
    ...{ items: schema, prefixItems: schemas, unevaluatedItems: schema, minItems: amount, maxItems: amount },
    ...{ contains: schema, minContains: amount, maxContains: amount, uniqueItems: flag },
    ...{ minLength: amount, maxLength: amount, pattern: { type: "string", format: "regex" } },
    format: { enum: formats, description: "a format, such as date, date-time, email, uri or uuid" },
    ...{ minimum: number, maximum: number, exclusiveMinimum: number, exclusiveMaximum: number },
    multipleOf: { type: "number", exclusiveMinimum: 0 },
  },
  additionalProperties: false,
};

/** The first mistake in a schema; `undefined` if it is usable. */
export function findSchemaMistake(candidate: JsonSchema): SchemaMismatch | undefined {
  const mismatch = compileSchema(schemaOfSchemas)(candidate);
  if (mismatch === undefined) return findUnusableReference(candidate, candidate, "", []);
  return mismatch.expected === noSuchField ? { ...mismatch, expected: "a keyword of JSON Schema 2020-12" } : mismatch;
}

/**
 * The first reference that leads nowhere, or that leads back to itself without a step into the value (an endless loop).
 */
function findUnusableReference(
  root: JsonSchema,
  { $ref: reference, ...keywords }: JsonSchema,
  path: string,
  followed: readonly string[],
): SchemaMismatch | undefined {
  if (typeof reference === "string") {
    const target = resolve(root, `${reference}`);
    if (target === undefined || followed.includes(reference)) {
      const expected = "a reference to one of $defs that does not lead back to itself";
      return { path: `${path}.$ref`, expected, received: reference };
    }
    const found = findUnusableReference(root, asSchema(target), path, [...followed, reference]);
    if (found !== undefined) return found;
  }
  for (const [keyword, value] of Object.entries(keywords)) {
    if (["const", "enum", "default", "examples"].includes(keyword)) continue;
    const stays = ["allOf", "anyOf", "oneOf", "not", "if", "then", "else", "dependentSchemas"].includes(keyword);
    // Each definition is examined once, as an entry of $defs.
    if (!stays && followed.length > 0) continue;
    const isMap = ["$defs", "properties", "patternProperties", "dependentSchemas"].includes(keyword);
    const inner: readonly (readonly [string, unknown])[] = Array.isArray(value) || isMap
      ? Object.entries(value as object)
      : [["", value]];
    for (const [name, subschema] of inner) {
      const innerPath = `${path}.${keyword}${showStep(name, Array.isArray(value))}`;
      const found = findUnusableReference(root, asSchema(subschema), innerPath, stays ? followed : []);
      if (found !== undefined) return found;
    }
  }
}

function asSchema(value: unknown): JsonSchema {
  return isObject(value) ? value as JsonSchema : {};
}

/** Expected instead of a field that a schema does not define. */
export const noSuchField = "no such field";

/** Keywords whose errors only point to an inner error. */
const leadingKeywords = [
  ...["$ref", "allOf", "properties", "patternProperties", "additionalProperties", "unevaluatedProperties"],
  ...["propertyNames", "items", "prefixItems", "unevaluatedItems", "dependentSchemas", "if", "then", "else"],
];

/** The first part of a value, plain JSON, that does not match a schema; `undefined` if the whole value matches. */
export type FindMismatch = (value: unknown) => SchemaMismatch | undefined;

/** Compiles a schema, which takes longer than a validation. */
export function compileSchema(schema: JsonSchema): FindMismatch {
  // A copy, because the library adds members to it.
  const validator = new Validator(JSON.parse(JSON.stringify(schema)) as Schema, "2020-12");
  return (value) => findMismatch(schema, value, validator);
}

function findMismatch(schema: JsonSchema, value: unknown, validator: Validator): SchemaMismatch | undefined {
  const { errors } = validator.validate(value);
  const error = errors.find(({ keyword }) => !leadingKeywords.includes(keyword));
  if (error === undefined) return undefined;
  const { keyword, keywordLocation, instanceLocation } = error;
  const path = showPointer(value, instanceLocation);
  const received = resolve(value, instanceLocation, false);
  if (keyword === "false") return { path, expected: noSuchField, received };
  const expectation = resolve(schema, keywordLocation);
  if (keyword === "required") {
    const missing = (expectation as readonly string[]).find((name) => !Object.hasOwn(received as object, name))!;
    return { path: path + showStep(missing, false), expected: "a value, because it is required", received: undefined };
  }
  const { description = keyword } = resolve(
    schema,
    keywordLocation.slice(0, keywordLocation.lastIndexOf("/")),
  ) as Schema;
  const shown = JSON.stringify(expectation);
  return { path, expected: shown.length > maxShownLength ? description : `${keyword} ${shown}`, received };
}

/** Maximum length of the value of a keyword in a message, in characters. */
const maxShownLength = 80;

/** The names in a JSON pointer in the form of a URI fragment (RFC 6901 §6). */
function parsePointer(pointer: string): readonly string[] {
  return pointer.split("/").slice(1)
    .map((step) => decodeURIComponent(step).replaceAll("~1", "/").replaceAll("~0", "~"));
}

/** The value that a pointer leads to; in a schema, a step through `$ref` leads to the definition. */
function resolve(root: unknown, pointer: string, isSchema = true): unknown {
  let current = root;
  for (const step of parsePointer(pointer)) {
    if (typeof current !== "object" || current === null || !Object.hasOwn(current, step)) return undefined;
    const next = (current as Readonly<Record<string, unknown>>)[step];
    // A property may also have this name.
    current = isSchema && step === "$ref" && typeof next === "string" ? resolve(root, next) : next;
  }
  return current;
}

function showPointer(value: unknown, pointer: string): string {
  let current = value;
  let path = "";
  for (const step of parsePointer(pointer)) {
    path += showStep(step, Array.isArray(current));
    current = (current as Readonly<Record<string, unknown>>)[step];
  }
  return path;
}

function showStep(step: string, isIndex: boolean): string {
  return step === "" ? "" : isIndex ? `[${step}]` : `.${step}`;
}
