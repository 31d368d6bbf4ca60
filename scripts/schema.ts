/** Writes static/config.schema.json; run it from the project's folder whenever src/config/schema.ts has changed. */

import { writeFile } from "node:fs/promises";
import { configSchemaText, schemaPath } from "./config_schema.ts";

await writeFile(schemaPath, configSchemaText());
