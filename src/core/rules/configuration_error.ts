/** The error of settings with which a server cannot start. */

/** @internal An invalid setting. */
export interface ConfigIssue {
  /** The place: `clients[1].redirect_uris[0]`. */
  readonly path: string;
  /** A valid value as a noun phrase: `an absolute URL without a fragment`. */
  readonly expected: string;
  /** The value, quoted if it is a string; never a secret. */
  readonly received: string;
  /** How to fix it, in one imperative sentence. */
  readonly hint: string;
  /** The lines of the configuration file with the value, and a caret below it. Default: none. */
  readonly excerpt?: string;
}

/** @internal A valid setting that probably does not work as intended. */
export interface ConfigurationWarning {
  /** The name of a setting (`scopes`, `clients[1].scope`), a variable or a flag. */
  readonly path: string;
  /** The effect and how to fix it, in full sentences, without secrets. */
  readonly message: string;
}

/** Further issues are only counted. */
const maxShownIssues = 100;

/** An invalid configuration. `message` describes each issue in a paragraph, for a terminal. */
export class ConfigurationError extends Error {
  /** All issues in the order of their discovery; never empty. */
  readonly issues: readonly ConfigIssue[];

  /**
   * Creates the error.
   *
   * @param warnings Shown after the issues, because a warning may explain an issue: a misspelt variable leaves a
   *   setting at its default.
   */
  constructor(issues: readonly ConfigIssue[], warnings: readonly ConfigurationWarning[] = []) {
    const count = issues.length === 1 ? "1 issue" : `${issues.length} issues`;
    const paragraphs = warnings.map(({ path, message }) => `${path} (warning)\n  ${message}`);
    const shown = issues.slice(0, maxShownIssues).map(formatIssue);
    const more = issues.length > maxShownIssues ? [`and ${issues.length - maxShownIssues} more`] : [];
    super([`The configuration has ${count}.`, ...shown, ...more, ...paragraphs].join("\n\n"));
    this.name = "ConfigurationError";
    this.issues = issues;
  }
}

/** An issue as a paragraph, without a final newline. */
export function formatIssue(issue: ConfigIssue): string {
  const excerpt = issue.excerpt === undefined ? "" : `\n${issue.excerpt.replaceAll(/^/gm, "  ")}`;
  return `${issue.path}${excerpt}\n  Expected ${issue.expected}, found ${issue.received}.\n  ${issue.hint}`;
}

/** Throws a {@link ConfigurationError} if there are issues. */
export function assertNoIssues(issues: Iterable<ConfigIssue>): void {
  const all = [...issues];
  if (all.length > 0) throw new ConfigurationError(all);
}
