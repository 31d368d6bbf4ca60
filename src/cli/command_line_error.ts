/** Wrong words after a command, and wrong input that it asked for. */

import { type ConfigIssue, formatIssue } from "../core/rules/configuration_error.ts";

/** The words of a command are wrong. A flag of the server is a part of the configuration: `ConfigurationError`. */
export class CommandLineError extends Error {
  override readonly name = "CommandLineError";
  /** All issues in the order of their discovery; never empty. */
  readonly issues: readonly ConfigIssue[];

  constructor(issues: readonly ConfigIssue[]) {
    const heading = issues.length === 1 ? [] : [`The command line has ${issues.length} issues.`];
    super([...heading, ...issues.map(formatIssue)].join("\n\n"));
    this.issues = issues;
  }
}
