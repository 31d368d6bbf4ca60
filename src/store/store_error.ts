/** What a store throws when it cannot be opened or used, said for the person who has to mend it. */

/** The parts of the sentence; each a phrase without a full stop. */
export interface StoreErrorDetails {
  /** The store that failed: the path of its file. */
  readonly location: string;
  /** What would have been right, as a noun phrase. */
  readonly expected: string;
  /** What was there instead, as a noun phrase; never a stored value. */
  readonly received: string;
  /** How to mend it, in the imperative. */
  readonly hint: string;
}

/** A store that cannot be opened or used. The message is one sentence; `cause` is what was thrown underneath. */
export class StoreError extends Error {
  /** The same sentence in its parts. */
  readonly details: StoreErrorDetails;

  /** Says this fault; `cause` is what was thrown underneath. */
  constructor(fault: StoreErrorDetails, cause?: unknown) {
    super(`${fault.location}: expected ${fault.expected}, found ${fault.received}; ${fault.hint}.`, { cause });
    this.name = "StoreError";
    this.details = fault;
  }
}

/** Rejects an invalid URL before the driver does, because the driver's error would contain the password. */
export function assertUrl(url: string, location: string, example: string): void {
  if (URL.canParse(url)) return;
  throw new StoreError({
    location,
    expected: `a URL like ${example}`,
    received: "a text that is not a URL (hidden)",
    hint: "percent-encode all characters of user and password except letters and digits, and put @host after them",
  });
}
