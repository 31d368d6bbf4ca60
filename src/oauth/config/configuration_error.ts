/** The error that says everything that is wrong with the settings, at once and for a person. */

import type { ConfigIssue, ConfigurationWarning } from "./config_issue.ts";

/** Settings that cannot be used. `message` tells every fault, a paragraph each, as a terminal can show it. */
export class ConfigurationError extends Error {
  /** Everything that is wrong, in the order in which it was found; never empty. */
  readonly issues: readonly ConfigIssue[];

  /**
   * Creates the error for these faults.
   *
   * @param warnings Shown after the faults, because they may explain them: a misspelt variable leaves a setting at
   *   its default.
   */
  constructor(faults: readonly ConfigIssue[], warnings: readonly ConfigurationWarning[] = []) {
    const count = faults.length === 1 ? "1 fault" : `${faults.length} faults`;
    const told = warnings.map(({ path, message }) => `${path} (warning)\n  ${message}`);
    super([`The configuration has ${count}.`, ...faults.map(formatIssue), ...told].join("\n\n"));
    this.name = "ConfigurationError";
    this.issues = faults;
  }
}

/** One fault as a paragraph: the place, then what was expected and found, then how to mend it. No final newline. */
function formatIssue(issue: ConfigIssue): string {
  return `${issue.path}\n  Expected ${issue.expected}, found ${issue.received}.\n  ${issue.hint}`;
}

/** Throws where there are issues. */
export function assertNoIssues(issues: Iterable<ConfigIssue>): void {
  const all = [...issues];
  if (all.length > 0) throw new ConfigurationError(all);
}
