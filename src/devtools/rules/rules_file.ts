/** The text with the requirement of each rule. */

/** Its path from the root of the project. */
export const rulesPath = "tests/rules.md";

/** @internal Reads it. Rejects if this copy of the program does not have the file, as on JSR. */
export type ReadRules = () => Promise<string>;

/** A rule in it: `- **AZ-13** SHOULD: A state of up to 1024 characters …`. */
export interface RuleRow {
  readonly id: string;
  /** The level of BCP 14; ` P` at its end marks a decision of this product. */
  readonly level: string;
  readonly requirement: string;
}

export function parseRules(text: string): RuleRow[] {
  const row = /^- \*\*([A-Z]{2}-\d{2})\*\* (?:(SHOULD|MAY)?( ?P)?: )?(.+)$/gm;
  return [...text.matchAll(row)].map(([, id, level = "MUST", product = "", requirement]) => ({
    ...{ id: id!, level: product === "" ? level : `${level} P`, requirement: requirement! },
  }));
}
