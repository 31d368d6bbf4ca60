/** The text with the requirement of each rule. */

/** Its path from the root of the project. */
export const rulesPath = "tests/rules.md";

/** @internal Reads it. Rejects if this copy of the program does not have the file, as on JSR. */
export type ReadRules = () => Promise<string>;
