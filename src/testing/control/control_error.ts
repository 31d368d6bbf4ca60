/** The error of a verb that cannot run with its valid input, for example because no client has the `client_id`. */

import { quote } from "../../server/config/config_issue.ts";
import type { ProblemIssue } from "../../server/errors/problem_response.ts";

/** Rejects a request to the control. */
export class ControlError extends Error {
  readonly status: 404 | 409 | 422;
  /** What was expected and received. */
  readonly errors: readonly ProblemIssue[];

  /** Creates the error; the message is one or more sentences. */
  constructor(status: 404 | 409 | 422, message: string, errors: readonly ProblemIssue[] = []) {
    super(message);
    this.name = "ControlError";
    this.status = status;
    this.errors = errors;
  }
}

/** The rejection of a name that nothing has. */
export function notFound(message: string, place: string, expected: string, received: string): ControlError {
  return new ControlError(404, message, [{ place, expected, received: quote(received) }]);
}
