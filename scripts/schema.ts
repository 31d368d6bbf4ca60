/** Writes the JSON Schema, the OpenAPI document and the type of client metadata: `deno task schema --help`. */

import { writeFile } from "node:fs/promises";
import { readCommand } from "./command.ts";
import { configSchemaText, schemaPath } from "./config_schema.ts";
import { mergedTypes } from "./merged_types.ts";
import { openApiPath, openApiText } from "./control_openapi.ts";

readCommand({
  call: "deno task schema",
  does:
    `Writes ${schemaPath}, from the description of the configuration and its comments, and ${openApiPath}, from the ` +
    "verbs of the control and theirs, and types of the kernel with members of extensions, from the folders of these.",
});
await writeFile(schemaPath, configSchemaText());
await writeFile(openApiPath, openApiText());
for (const [path, text] of mergedTypes()) await writeFile(path, text);
