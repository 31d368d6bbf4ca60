/** The error that lists all issues of a configuration. */

import type { ConfigIssue, ConfigurationWarning } from "./config_issue.ts";

/** An invalid configuration. `message` describes each issue in a paragraph, for a terminal. */
export class ConfigurationError extends Error {
  /** All issues in the order of their discovery; never empty. */
  readonly issues: readonly ConfigIssue[];

  /**
   * Creates the error.
   *
   * @param warnings Shown after the issues, because they may explain them: a misspelt variable leaves a setting at its
   *   default.
   */
  constructor(issues: readonly ConfigIssue[], warnings: readonly ConfigurationWarning[] = []) {
    const count = issues.length === 1 ? "1 issue" : `${issues.length} issues`;
    const paragraphs = warnings.map(({ path, message }) => `${path} (warning)\n  ${message}`);
    super([`The configuration has ${count}.`, ...issues.map(formatIssue), ...paragraphs].join("\n\n"));
    this.name = "ConfigurationError";
    this.issues = issues;
  }
}

/** An issue as a paragraph, without a final newline. */
function formatIssue(issue: ConfigIssue): string {
  return `${issue.path}\n  Expected ${issue.expected}, found ${issue.received}.\n  ${issue.hint}`;
}

/** Throws a {@link ConfigurationError} if there are issues. */
export function assertNoIssues(issues: Iterable<ConfigIssue>): void {
  const all = [...issues];
  if (all.length > 0) throw new ConfigurationError(all);
}
