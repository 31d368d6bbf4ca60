/** Whether a file surely has the right shape, as nearly every file has: told without the library that names faults. */

import schema from "../../static/config.schema.json" with { type: "json" };

/** As much of JSON Schema as that of the configuration file says. */
interface JsonSchema {
  readonly type?: string;
  readonly anyOf?: readonly JsonSchema[];
  readonly enum?: readonly unknown[];
  readonly pattern?: string;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly items?: JsonSchema;
  readonly properties?: Readonly<Record<string, JsonSchema | undefined>>;
  readonly required?: readonly string[];
  readonly additionalProperties?: JsonSchema | boolean;
}

/** True: there is no fault in the shape of this file, which was read as JSON. False: look again by `checkSchema`. */
export function validate(file: unknown): boolean {
  return matches(file, schema);
}

function matches(value: unknown, schema: JsonSchema): boolean {
  switch (schema.type) {
    case undefined:
      return schema.anyOf !== undefined && schema.anyOf.some((option) => matches(value, option));
    case "boolean":
      return typeof value === "boolean";
    case "integer":
      return Number.isSafeInteger(value) && (value as number) >= (schema.minimum ?? -Infinity) &&
        (value as number) <= (schema.maximum ?? Infinity);
    case "string":
      return typeof value === "string" && (schema.enum === undefined || schema.enum.includes(value)) &&
        (schema.pattern === undefined || new RegExp(schema.pattern).test(value));
    case "array":
      return Array.isArray(value) && value.every((item) => matches(item, schema.items ?? {}));
    case "object":
      return typeof value === "object" && value !== null && !Array.isArray(value) && matchesObject(value, schema);
  }
  return false;
}

function matchesObject(value: object, { properties = {}, required = [], additionalProperties }: JsonSchema): boolean {
  if (!required.every((name) => Object.hasOwn(value, name))) return false;
  return Object.entries(value).every(([name, memberValue]) =>
    // What is called __proto__ would not stay what it is when it is copied.
    Object.hasOwn(properties, name)
      ? matches(memberValue, properties[name]!)
      : name !== "__proto__" && matchesAdditional(memberValue, additionalProperties)
  );
}

/** Whether members are allowed that no property describes; `{}` allows any value. */
function matchesAdditional(value: unknown, additional: JsonSchema | boolean = true): boolean {
  return typeof additional === "boolean"
    ? additional
    : Object.keys(additional).length === 0 || matches(value, additional);
}
