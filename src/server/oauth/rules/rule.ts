/** The type of a row of the rule table. */

/** A row of the rule table. */
export interface Rule {
  /**
   * The fact that a passed check establishes: one sentence, without a full stop. Absent if passed checks of the rule
   * are not traced.
   */
  readonly passes?: string;
  /**
   * How to fix a request that breaks the rule, for the developer of the client. Absent if the rule rejects no request.
   */
  readonly fix?: string;
  /**
   * The specifications that the rule is taken from, as `tests/rules.md` names them; empty for a rule of this project.
   */
  readonly cites: readonly string[];
}
