/** An example of the objects that a JSON Schema describes, with their required members. */

type Schema = Readonly<Record<string, unknown>>;

/** The required members. A schema with patterns or conditions can reject the example: it shows names and types. */
export function exampleOf(schema: Schema): Readonly<Record<string, unknown>> {
  const { properties = {}, required = [] } = schema as { properties?: Record<string, Schema>; required?: string[] };
  return Object.fromEntries(required.map((name) => [name, valueOf(properties[name] ?? {})]));
}

function valueOf(schema: Schema): unknown {
  const { const: constant, enum: [firstValue] = [], examples: [example] = [], default: usual, type, items } =
    schema as {
      readonly const?: unknown;
      readonly enum?: readonly unknown[];
      readonly examples?: readonly unknown[];
      readonly default?: unknown;
      readonly type?: unknown;
      readonly items?: Schema;
    };
  const stated = constant ?? firstValue ?? example ?? usual;
  if (stated !== undefined) return stated;
  if (items !== undefined || type === "array") return [valueOf(items ?? {})];
  if ("properties" in schema || type === "object") return exampleOf(schema);
  return type === "number" || type === "integer" ? 1 : type === "boolean" ? true : "…";
}
