/** The texts of the documentation. */

/** The path of the text that describes every rule. */
export const rulesPath = "tests/rules.md";

/** The paths of all texts, which the executable file contains. */
export const documentationPaths: readonly string[] = [rulesPath];
