/** The options of the mock as Markdown, from their comments. */

import { readComments } from "../../field_schema.ts";
import { escape, paragraphs, type ReferencePage } from "./page.ts";

/** The interfaces whose members are options of `testLatchkey`, and the files with their comments. */
const interfaces = {
  TestLatchkeyOptions: "src/testing/test_latchkey.ts",
  TestControlOptions: "src/testing/test_control.ts",
  LatchkeyOptions: "src/server/hosting/options.ts",
};

/** The page of the options. */
export function mockOptionsPage(): ReferencePage {
  const { comments } = readComments(Object.values(interfaces));
  const options = new Map(
    Object.keys(interfaces).flatMap((owner) =>
      [...comments].filter(([name]) => name.startsWith(`${owner}.`)).map(([name, text]) =>
        [name.slice(owner.length + 1), text] as const
      )
    ),
  );
  return {
    name: "mock-options",
    text: paragraphs(
      "# Options of the mock: testLatchkey()",
      "`testLatchkey({ … })` takes these options and every setting.",
      ...[...options].flatMap(([name, text]) => [`## \`${name}\``, escape(text)]),
    ),
  };
}
