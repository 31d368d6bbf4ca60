/** The error of an expectation that is not met. Every test runner shows it as an assertion error. */

/** An expectation of the log that is not met. */
export class LogError extends Error {
  /** The expected value. */
  readonly expected: unknown;
  /** The actual value. */
  readonly actual: unknown;

  /** Creates the error. The message lists the requests. */
  constructor(message: string, expected: unknown, actual: unknown) {
    super(message);
    // Test runners distinguish failures from other errors by the name.
    this.name = "AssertionError";
    this.expected = expected;
    this.actual = actual;
  }
}
