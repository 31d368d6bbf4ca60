/** The verbs of the control over HTTP as Markdown, from its OpenAPI document. */

import { escapeHtml, paragraphs, type ReferencePage } from "./page.ts";
import { membersText, type Schema } from "./settings.ts";

interface Operation {
  readonly operationId: string;
  readonly summary: string;
  readonly parameters?: readonly (Schema & { readonly name: string })[];
  readonly requestBody?: { readonly content: { readonly "application/json": { readonly schema: Schema } } };
}

/** The page of the verbs. @param text The OpenAPI document. */
export function controlPage(text: string): ReferencePage {
  const paths: Readonly<Record<string, Readonly<Record<string, Operation>>>> = JSON.parse(text).paths;
  return {
    name: "control",
    text: paragraphs(
      "# Control over HTTP: every verb",
      "With `--control on`, programs in any language call these below `/_control`. Input and output are JSON; " +
        "[the OpenAPI document](static/control.openapi.json) has all types.",
      ...Object.entries(paths).flatMap(([path, operations]) =>
        Object.entries(operations).flatMap(([method, operation]) => printVerb(method, path, operation))
      ),
    ),
  };
}

function printVerb(method: string, path: string, { operationId, summary, parameters, requestBody }: Operation) {
  const body = requestBody?.content["application/json"].schema ?? {};
  const properties = parameters === undefined
    ? body.properties
    : Object.fromEntries(parameters.map((parameter) => [parameter.name, parameter]));
  const shallow = Object.entries(properties ?? {}).map(([name, { description }]) => [name, { description }]);
  return [
    `## \`${operationId}\``,
    `${escapeHtml(summary)} \`${method.toUpperCase()} /_control${path}\``,
    membersText({ properties: Object.fromEntries(shallow) }),
  ];
}
