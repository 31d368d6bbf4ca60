/** The limit of guesses of secrets. The whole server counts them. */

/** An authentication attempt. */
export interface AuthenticationAttempt {
  /** The claimed client id; or the subject of a user, with the prefix `user `. */
  readonly client: string;
  /** The address of the caller; empty if unknown. */
  readonly address: string;
}

/** @internal Counts failures by client and network. */
export interface RateLimiter {
  /** The seconds for which such attempts must be rejected; 0 if they are allowed. */
  retryAfter(attempt: AuthenticationAttempt): number;
  /** Counts one failure. */
  recordFailure(attempt: AuthenticationAttempt): void;
  /** Forgets all failures. */
  clear(): void;
}
