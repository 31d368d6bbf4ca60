/**
 * Clients with one mistake each, and correct clients in unusual styles, from advisories, issues, specifications. They
 * were written without a look at what the check searches for, so they say what share of such mistakes it finds.
 */

import { type Entry, kinds } from "./entry.ts";
import { otherMistakes } from "./other_mistakes.ts";
import { otherStyles } from "./other_styles.ts";
import { resourceMistakes } from "./resource_mistakes.ts";
import { webMistakes } from "./web_mistakes.ts";
import { webPageMistakes } from "./web_page_mistakes.ts";
import { webStyles } from "./web_styles.ts";

export const mistakes: readonly Entry[] = [...webMistakes, ...webPageMistakes, ...otherMistakes, ...resourceMistakes];

export const legalStyles: readonly Entry[] = [...webStyles, ...otherStyles];

/** The correct clients that the entries change. */
export const correctClients: readonly Entry[] = [
  ...kinds.map((kind): Entry => ({ kind, name: `a correct ${kind}`, source: "" })),
  { kind: "resource server", name: "a correct resource server that verifies JWTs", source: "", verifying: () => ({}) },
];
