/** Writes static/config.schema.json: `deno task schema --help`. */

import { writeFile } from "node:fs/promises";
import { readCommand } from "./command.ts";
import { configSchemaText, schemaPath } from "./config_schema.ts";

readCommand({
  call: "deno task schema",
  does: `Writes ${schemaPath}, from the description of the configuration and its comments.`,
});
await writeFile(schemaPath, configSchemaText());
