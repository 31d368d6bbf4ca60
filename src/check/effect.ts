/** What is expected of a client, and the effect of an attack that succeeds. */

/** What is expected of a client. */
export type AttackLevel =
  /** The client must not accept what it receives. */
  | "must-reject"
  /** The client should not accept it; a specification leaves it to the client. */
  | "should-reject"
  /** The response is unusual and correct: the client must accept it. */
  | "must-tolerate"
  /** The journey may fail, but it must end by itself, and the next one must succeed. */
  | "must-recover"
  /** No behaviour is wrong; the report states what the client does. */
  | "informational";

/** The severity of an attack that succeeds. */
export type Severity =
  /** An attacker logs in as another user. */
  | "critical"
  /** An attacker gets tokens, or acts in the session of another user. */
  | "high"
  /** Users cannot log in, or a weakness helps another attack. */
  | "medium"
  /** The client is less careful than a specification recommends. */
  | "low";

/** The severities, the highest first. */
export const severities: readonly Severity[] = ["critical", "high", "medium", "low"];

/** The defect of a client if an attack succeeds, its consequence, and how to fix the client. */
export interface Effect {
  /** What the client does wrong if the attack succeeds; a report groups attacks by it. Follows "the client". */
  readonly cause: string;
  /** What the client does wrong if most attacks of each cause of this group succeed. Default: the cause alone. */
  readonly partOf?: string;
  /** The severity of an attack that succeeds. */
  readonly severity: Severity;
  /** What an attacker or a user can then do, or no longer do; one sentence. */
  readonly consequence: string;
  /** What to change in the client, one sentence. */
  readonly fix: string;
}
