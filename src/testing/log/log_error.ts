/** The error of an expectation that was not met: an assertion error to any test runner, without being one of any. */

/** What was expected of the log is not so. */
export class LogError extends Error {
  /** What was expected. */
  readonly expected: unknown;
  /** What was there instead. */
  readonly actual: unknown;

  /** Says in `message` what a person needs to know, the requests that came included. */
  constructor(message: string, expected: unknown, actual: unknown) {
    super(message);
    // Runners look at the name to tell a failed test from a broken one.
    this.name = "AssertionError";
    this.expected = expected;
    this.actual = actual;
  }
}
