/** The props of the report of a check: plain values, already redacted. */

/** An attack or a habit, with the variants that have one verdict. */
export interface ReportedAttack {
  /** Its id. */
  readonly name: string;
  /** What the server does. */
  readonly title: string;
  /** What is expected: `must-reject`. */
  readonly level: string;
  /** How grave a failure is; absent for a habit. */
  readonly severity?: "critical" | "high" | "medium" | "low";
  /** What a failure leads to; absent for a habit. */
  readonly consequence?: string;
  /** What a correct client does. */
  readonly correctClient: string;
  /** How to fix the client; absent for a habit. */
  readonly fix?: string;
  /** The command that repeats the attack; absent for a habit. */
  readonly repeat?: string;
  /** The specifications and reports that require it. */
  readonly sources: readonly string[];
  /** How many variants the attack has, whatever their verdict. */
  readonly total: number;
  /** What the client did in each variant. */
  readonly variants: readonly ReportedVariant[];
}

/** One variant of an attack. */
export interface ReportedVariant {
  /** The values of its parameters; empty without parameters. */
  readonly values: string;
  /** What the client did. */
  readonly because: string;
  /** What the server sent, in place of what it sends without an attack. */
  readonly sent: readonly string[];
  /** A line for each exchange. */
  readonly exchanges: readonly string[];
  /** The page of its flow, a path below the base. Default: it has none. */
  readonly path?: string;
}

/** Results of one verdict with something in common. */
export interface ReportedGroup {
  /** The cause, or the category. */
  readonly title: string;
  /** How many attacks and habits it has. */
  readonly count: number;
  /** The severity of the gravest attack; absent if nothing failed. */
  readonly severity?: ReportedAttack["severity"];
  /** Whether it is open at first. Default: false. */
  readonly open?: boolean;
  /** The attacks with all details, the gravest first. */
  readonly attacks?: readonly ReportedAttack[];
  /** The names of attacks and habits without details. */
  readonly names?: readonly string[];
  /** What one of them says beyond the cause. */
  readonly example?: string;
}

/** How many attacks and habits have one verdict. */
export interface ReportedScore {
  /** `failed`, `known`, `warning`, `inconclusive`, `noted`, `skipped` or `passed`. */
  readonly verdict: string;
  /** How many attacks and habits have it. */
  readonly count: number;
}

/** The results with one verdict. */
export interface ReportedVerdict extends ReportedScore {
  /** Groups by cause, the gravest first; passed attacks by category. */
  readonly groups: readonly ReportedGroup[];
}

export interface CheckReportProps {
  /** The name of the client. */
  readonly client: string;
  /** Whether the login without an attack succeeded and no attack did. Absent: the check is running. */
  readonly passed?: boolean;
  /** Why the check as a whole shows too little; absent if it shows enough. */
  readonly problem?: string;
  /** Lines about the failure of the login without an attack; absent if it succeeded. */
  readonly controlFailure?: readonly string[];
  /** What to declare if the client is allowed to do what failed; absent if there is nothing. */
  readonly hint?: string;
  /** The known failures that passed. */
  readonly outdatedBaseline: readonly string[];
  /** The form that starts the check again with one attack: its URL, and its fields besides `only`. Default: none. */
  readonly repeatForm?: { readonly action: string; readonly fields: Readonly<Record<string, string>> };
  /** How many attacks and journeys there were, and how long they took. */
  readonly summary: string;
  /** Each verdict that the check has, whether it is shown or not. */
  readonly score: readonly ReportedScore[];
  /** The only verdict that is shown. Default: all. */
  readonly show?: string;
  /** The results that are shown, the worst first. */
  readonly verdicts: readonly ReportedVerdict[];
}
