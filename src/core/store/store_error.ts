/** The error of a store that cannot be opened or used, with a fix for the operator. */

/** @internal The parts of the message; each is a phrase without a full stop. */
export interface StoreErrorDetails {
  /** The store that failed: the path of its file, or its URL without the password. */
  readonly location: string;
  /** The expected state, as a noun phrase. */
  readonly expected: string;
  /** The found state, as a noun phrase; never a stored value. */
  readonly received: string;
  /** How to fix it, in the imperative. */
  readonly hint: string;
}

/** The error of a store that cannot be opened or used. The message is one sentence; `cause` is the underlying error. */
export class StoreError extends Error {
  /** The parts of the message. */
  readonly details: StoreErrorDetails;

  /** Creates an error; `cause` is the underlying error. */
  constructor(details: StoreErrorDetails, cause?: unknown) {
    super(`${details.location}: expected ${details.expected}, found ${details.received}; ${details.hint}.`, { cause });
    this.name = "StoreError";
    this.details = details;
  }
}
