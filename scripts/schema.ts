/** Writes the JSON Schema, the OpenAPI document, merged types and lists of attacks: `deno task schema --help`. */

import { writeFile } from "node:fs/promises";
import { cataloguePath, catalogueText } from "./catalogue.ts";
import { readCommand } from "./command.ts";
import { configSchemaText, schemaPath } from "./config_schema.ts";
import { mergedTypes } from "./merged_types.ts";
import { openApiPath, openApiText } from "./control_openapi.ts";

readCommand({
  call: "deno task schema",
  does:
    `Writes ${schemaPath}, from the description and the comments of the configuration; ${openApiPath}, from those of ` +
    "the verbs of the control; the types to which extensions add members, from the folders of the extensions; and the " +
    `lists of attacks and habits in ${cataloguePath}, from their records.`,
});
// The other files contain comments of the merged types.
for (const [path, text] of mergedTypes()) await writeFile(path, text);
await writeFile(schemaPath, configSchemaText());
await writeFile(openApiPath, openApiText());
await writeFile(cataloguePath, catalogueText());
