/** One row of the table of rules. */

/** What the table says of a rule. */
export interface Rule {
  /**
   * What is true once the rule was checked and nothing was wrong: one sentence, without a full stop. Absent where nobody is
   * told that it has passed.
   */
  readonly passes?: string;
  /** How to fix a request that breaks it, for the developer of the client. Absent where no request is rejected by it. */
  readonly fix?: string;
  /** The specifications that it is taken from, as `tests/rules.md` names them; none where it is this project's own. */
  readonly cites: readonly string[];
}
