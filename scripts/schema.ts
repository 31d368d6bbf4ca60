/** Writes the JSON Schema, the OpenAPI document and the type of client metadata: `deno task schema --help`. */

import { writeFile } from "node:fs/promises";
import { readCommand } from "./command.ts";
import { configSchemaText, schemaPath } from "./config_schema.ts";
import { clientMembersPath, clientMembersText } from "./client_members.ts";
import { openApiPath, openApiText } from "./control_openapi.ts";

readCommand({
  call: "deno task schema",
  does:
    `Writes ${schemaPath}, from the description of the configuration and its comments, and ${openApiPath}, from the ` +
    `verbs of the control and theirs, and ${clientMembersPath}, from the folders of the extensions.`,
});
await writeFile(schemaPath, configSchemaText());
await writeFile(openApiPath, openApiText());
await writeFile(clientMembersPath, clientMembersText());
