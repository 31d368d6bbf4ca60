/** Writes static/config.schema.json: `deno task schema --help`. */

import { writeFile } from "node:fs/promises";
import { readCommand } from "./command.ts";
import { configSchemaText, schemaPath } from "./config_schema.ts";

readCommand({
  call: "deno task schema",
  does: `Writes ${schemaPath}, wherever src/cli/schema.ts has changed.`,
});
await writeFile(schemaPath, configSchemaText());
