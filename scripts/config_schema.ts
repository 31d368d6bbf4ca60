/** Turns the schema of the configuration file into the JSON Schema that editors read. */

import { toJsonSchema } from "@valibot/to-json-schema";
import { configurationSchema } from "../src/cli/schema.ts";

/** Where the JSON Schema is kept, relative to the project. */
export const schemaPath = "static/config.schema.json";

/** The JSON Schema as it is written to the file, with a final newline. */
export function configSchemaText(): string {
  const { $schema, title, description, ...rest } = toJsonSchema(configurationSchema, { target: "draft-07" });
  return `${JSON.stringify({ $schema, title, description, ...rest }, null, 2)}\n`;
}
