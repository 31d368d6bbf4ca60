/** The type of a row of the rule table. */

/** A row of the rule table. */
export interface Rule {
  /**
   * What is true when the check has passed: one sentence, without a full stop. Absent if passed checks of the rule are
   * not traced.
   */
  readonly passes?: string;
  /** How to fix a request that breaks it, for the developer of the client. Absent if the rule rejects no request. */
  readonly fix?: string;
  /** The specifications that it is taken from, as `tests/rules.md` names them; none where it is this project's own. */
  readonly cites: readonly string[];
}
