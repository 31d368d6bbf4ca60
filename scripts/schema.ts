/** Writes the JSON Schema, the OpenAPI document and merged types: `deno task schema --help`. */

import { writeFile } from "node:fs/promises";
import { readCommand } from "./command.ts";
import { configSchemaText, schemaPath } from "./config_schema.ts";
import { mergedTypes } from "./merged_types.ts";
import { openApiPath, openApiText } from "./control_openapi.ts";

readCommand({
  call: "deno task schema",
  does:
    `Writes ${schemaPath}, from the description and the comments of the configuration; ${openApiPath}, from those of ` +
    "the verbs of the control; and the types to which extensions add members, from the folders of the extensions.",
});
// The other files contain comments of the merged types.
for (const [path, text] of mergedTypes()) await writeFile(path, text);
await writeFile(schemaPath, configSchemaText());
await writeFile(openApiPath, openApiText());
