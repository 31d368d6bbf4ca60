/** The faults as Markdown, from their definitions. */

import type { FaultDefinition } from "../../../src/testing/faults/definition.ts";
import { allFaults } from "../../../src/check/fault.ts";
import { escape, paragraphs, type ReferencePage } from "./page.ts";

/** The page of the faults. */
export function faultsPage(): ReferencePage {
  const groups = Map.groupBy(allFaults, ({ id }) => /^[^./]+(?=[./])/.exec(id)?.[0] ?? "");
  return {
    name: "faults",
    text: paragraphs(
      "# Faults: errors, delays and wrong responses",
      'In a test: `as.on("token").once(faults.status(503))`, and of a fault with a slash ' +
        '`as.on("token").once(fault("id-token/exp-past"))`. Over HTTP: the verb `faults.add`. In a browser: the page ' +
        "`/faults`.",
      ...[...groups].flatMap(([group, faults]) => [
        `## ${group === "" ? "Any response" : `Faults of \`${group}\``}`,
        ...faults.flatMap(printFault),
      ]),
    ),
  };
}

function printFault({ id, title, endpoints, correctClient, parameters, also = [] }: FaultDefinition): string[] {
  return [
    `### \`${id}\``,
    `${escape(title.replace(/\.$/, ""))}. Endpoints: ${
      endpoints.map((name) => `\`${name}\``).join(", ")
    }. A correct client: ${escape(correctClient)}${
      also.length === 0 ? "" : ` Also: ${also.map((name) => `\`${name}\``).join(", ")}.`
    }`,
    parameters.map(({ name, description, default: value }) =>
      `- \`${name}\`: ${escape(description)}${value === undefined ? "" : ` Default: \`${JSON.stringify(value)}\`.`}`
    ).join("\n"),
  ];
}
