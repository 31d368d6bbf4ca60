/** Whether a file surely has the right shape, as nearly every file has: told without the library that names faults. */

import schema from "../../static/config.schema.json" with { type: "json" };

/** As much of JSON Schema as that of the configuration file says. */
interface Shape {
  readonly type?: string;
  readonly anyOf?: readonly Shape[];
  readonly enum?: readonly unknown[];
  readonly pattern?: string;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly items?: Shape;
  readonly properties?: Readonly<Record<string, Shape | undefined>>;
  readonly required?: readonly string[];
  readonly additionalProperties?: Shape | boolean;
}

/** True: there is no fault in the shape of this file, which was read as JSON. False: look again by `readShape`. */
export function isSound(file: unknown): boolean {
  return fits(file, schema);
}

function fits(value: unknown, shape: Shape): boolean {
  switch (shape.type) {
    case undefined:
      return shape.anyOf !== undefined && shape.anyOf.some((one) => fits(value, one));
    case "boolean":
      return typeof value === "boolean";
    case "integer":
      return Number.isSafeInteger(value) && (value as number) >= (shape.minimum ?? -Infinity) &&
        (value as number) <= (shape.maximum ?? Infinity);
    case "string":
      return typeof value === "string" && (shape.enum === undefined || shape.enum.includes(value)) &&
        (shape.pattern === undefined || new RegExp(shape.pattern).test(value));
    case "array":
      return Array.isArray(value) && value.every((item) => fits(item, shape.items ?? {}));
    case "object":
      return typeof value === "object" && value !== null && !Array.isArray(value) && fitsObject(value, shape);
  }
  return false;
}

function fitsObject(value: object, { properties = {}, required = [], additionalProperties }: Shape): boolean {
  if (!required.every((name) => Object.hasOwn(value, name))) return false;
  return Object.entries(value).every(([name, inner]) =>
    // What is called __proto__ would not stay what it is when it is copied.
    Object.hasOwn(properties, name)
      ? fits(inner, properties[name]!)
      : name !== "__proto__" && fitsOther(inner, additionalProperties)
  );
}

/** Whether members are allowed that no property describes; `{}` allows any value. */
function fitsOther(value: unknown, others: Shape | boolean = true): boolean {
  return typeof others === "boolean" ? others : Object.keys(others).length === 0 || fits(value, others);
}
