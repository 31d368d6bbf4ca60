/** A request that is wrong as HTTP, before any protocol looks at it. */

/** Thrown by the readers in this room; whoever answers chooses the form of the answer. */
export class HttpFault extends Error {
  /** The status to answer with. */
  readonly status: number;
  /** The ID of the rule that was broken. */
  readonly rule: string;

  /** Refuses with a status, the ID of a rule and one sentence. */
  constructor(status: number, rule: string, message: string) {
    super(message);
    this.name = "HttpFault";
    this.status = status;
    this.rule = rule;
  }
}
