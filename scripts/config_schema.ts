/** Builds the JSON Schema for editors from the description of the configuration file and from its comments. */

import { globSync } from "node:fs";
import { configFileField } from "../src/cli/settings.ts";
import { fieldSchemas } from "./field_schema.ts";

/** The path of the JSON Schema in the project. */
export const schemaPath = "static/config.schema.json";

/** The files whose interfaces document the configuration. */
const documentation = [
  "src/cli/settings.ts",
  "src/server/config/provider_profile.ts",
  ...globSync("src/{core/clients,core/keys,core/policy,server/config,server/extensions,server/extensions/*}/*.ts")
    .sort(),
];

const title = "Latchkey configuration";
const description = "The configuration that a Latchkey server reads from the file of --config. Every key is optional.";

/** The text of the JSON Schema, with a final newline. */
export function configSchemaText(): string {
  const toSchema = fieldSchemas(documentation, { allowsReferences: true });
  const { examples: _, description: __, ...schema } = toSchema(configFileField());
  const whole = { $schema: "http://json-schema.org/draft-07/schema#", title, description, ...schema };
  return `${JSON.stringify(whole, null, 2)}\n`;
}
