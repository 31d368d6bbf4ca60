/** Builds the OpenAPI document of the control from the list of verbs and from their comments. */

import { globSync } from "node:fs";
import { type Verb, verbPath } from "../src/testing/control/verb.ts";
import { verbs } from "../src/testing/control/verbs/mod.ts";
import { fieldSchemas, type JsonSchema } from "./field_schema.ts";

/** The path of the document in the project. */
export const openApiPath = "static/control.openapi.json";

/** The files whose interfaces document inputs and results. */
const documentation = [
  "src/server/config/provider_profile.ts",
  ...globSync("src/{core/clients,core/keys,core/policy,server/config,server/extensions,server/extensions/*}/*.ts")
    .sort(),
  ...globSync("src/testing/{control/verbs,.,faults}/*.ts").sort(),
  ...globSync("src/check/*.ts").sort(),
];

const problem = {
  type: "object",
  description: "Problem details (RFC 9457).",
  properties: {
    type: { type: "string" },
    title: { type: "string", description: "The reason phrase of the status." },
    status: { type: "integer" },
    detail: { type: "string", description: "What is wrong, in full sentences." },
    rule: { type: "string", description: "The ID of the violated rule." },
    errors: {
      type: "array",
      items: {
        type: "object",
        properties: {
          place: { type: "string", description: "The place in the input: redirect_uris[0]." },
          expected: { type: "string", description: "A valid value as a noun phrase." },
          received: { type: "string", description: "The value that was sent, without secrets." },
          fix: { type: "string", description: "How to fix it." },
        },
      },
    },
  },
  required: ["type", "status", "detail", "errors"],
};

/** The text of the document, with a final newline. */
export function openApiText(): string {
  const toSchema = fieldSchemas(documentation, { allowsReferences: false });
  const document = {
    openapi: "3.1.0",
    info: {
      title: "Latchkey control",
      version: "1",
      description:
        "The control of a server over HTTP. Each path is the name of a function that a program calls in process.",
    },
    servers: [{ url: "http://localhost:9000/_control" }],
    security: [{}, { secret: [] }],
    paths: Object.fromEntries(
      verbs.map((verb) => [verbPath(verb), { [verb.reads ? "get" : "post"]: operation(verb, toSchema) }]),
    ),
    components: {
      schemas: { Problem: problem },
      responses: {
        Problem: {
          description: "The request is rejected.",
          content: { "application/problem+json": { schema: { $ref: "#/components/schemas/Problem" } } },
        },
      },
      securitySchemes: {
        secret: { type: "http", scheme: "bearer", description: "The setting controlSecret, if there is one." },
      },
    },
  };
  return `${JSON.stringify(document, null, 2)}\n`;
}

function operation(verb: Verb, toSchema: ReturnType<typeof fieldSchemas>): JsonSchema {
  const { name, summary, reads, input, args, result, returns } = verb;
  const schema = toSchema(input) as { readonly properties: Readonly<Record<string, JsonSchema>> };
  return {
    operationId: name,
    summary,
    // For connectLatchkey().
    "x-arguments": args,
    "x-returns": returns,
    ...reads
      ? {
        parameters: Object.entries(schema.properties).map(([parameter, { description, ...schema }]) => ({
          name: parameter,
          in: "query",
          required: input.required?.includes(parameter) ?? false,
          description,
          schema,
        })),
      }
      : { requestBody: { required: true, content: { "application/json": { schema } } } },
    responses: {
      ...result === undefined
        ? { 204: { description: "Done." } }
        : { 200: { description: "Done.", content: { "application/json": { schema: toSchema(result) } } } },
      default: { $ref: "#/components/responses/Problem" },
    },
  };
}
