/** Requests to the control, as a test suite in any language sends them. */

import { assertEquals } from "@std/assert";
import type { ProblemIssue } from "../../../src/server/errors/problem_response.ts";

/** A response of the control, with its JSON. */
export interface ControlResponse {
  readonly status: number;
  readonly headers: Headers;
  // deno-lint-ignore no-explicit-any
  readonly body: any;
}

/** Sends requests to the control of a server. */
export interface ControlClient {
  /** GET with the input in the query. */
  get(path: string, input?: Readonly<Record<string, string>>): Promise<ControlResponse>;
  /** POST with the input as JSON. */
  post(path: string, input?: unknown, headers?: Readonly<Record<string, string>>): Promise<ControlResponse>;
}

/** A server, in this process or over the network. */
interface Reachable {
  readonly issuer: string;
  fetch(request: Request): Promise<Response>;
}

/** Creates the client. */
export function controlClient(as: Reachable): ControlClient {
  const send = async (request: Request): Promise<ControlResponse> => {
    const response = await as.fetch(request);
    const text = await response.text();
    return { status: response.status, headers: response.headers, body: text === "" ? undefined : JSON.parse(text) };
  };
  const urlOf = (path: string) => `${as.issuer}/_control${path}`;
  return {
    get: (path, input = {}) => send(new Request(`${urlOf(path)}?${new URLSearchParams(input)}`)),
    post: (path, input = {}, headers = {}) =>
      send(
        new Request(urlOf(path), {
          method: "POST",
          body: JSON.stringify(input),
          headers: { "content-type": "application/json", ...headers },
        }),
      ),
  };
}

/** Asserts that a problem repeats what its detail says was expected and received, with the place. */
export function assertIssues({ detail, errors }: { readonly detail: string; readonly errors: ProblemIssue[] }): void {
  if (!/: expected .*, received /s.test(detail)) return;
  const { place, expected, received, fix } = errors[0]!;
  assertEquals(detail, `${place}: expected ${expected}, received ${received}${fix === undefined ? "" : `. ${fix}`}`);
}
