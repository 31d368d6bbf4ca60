/** The lines of an explanation, for terminals, reports and errors. */

import type { Explanation } from "../../core/rules/errors.ts";

/** The texts of an explanation besides its reason. */
interface ExplainedTexts extends Partial<Pick<Explanation, "expected" | "received" | "earlier" | "fix">> {
  /** How the received value differs from the expected one. */
  readonly note?: string;
}

/** The lines that follow the reason, each with its label, in the order in which they are read. */
export function explanationLines(
  { expected, received, earlier, note, fix }: ExplainedTexts,
): (readonly [label: keyof ExplainedTexts, text: string])[] {
  const lines = Object.entries({ expected, received, earlier, note, fix }) as [keyof ExplainedTexts, string?][];
  return lines.flatMap(([label, text]) => text === undefined ? [] : [[label, text] as const]);
}
