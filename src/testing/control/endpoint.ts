/** The endpoint of a verb. */

import type { Context } from "../../core/http/context.ts";
import type { App } from "../../server/app.ts";
import { type ProblemIssue, problemResponse } from "../../server/errors/problem_response.ts";
import type { Endpoint } from "../../server/endpoint.ts";
import { type HttpResponse, json } from "../../core/http/message.ts";
import { noContent } from "../../platform/http/response.ts";
import { type ConfigIssue, ConfigurationError } from "../../core/rules/configuration_error.ts";
import { validate } from "../../server/config/config_issue.ts";
import { parameters } from "../../core/http/params.ts";
import { UnmetFaultsError } from "../assert_all_met.ts";
import { LogError } from "../log/log_error.ts";
import { LoginError } from "../login_error.ts";
import { TenantError } from "../tenants.ts";
import { authorizeRequest } from "./authorize_request.ts";
import { ControlError } from "./control_error.ts";
import { readInput } from "./read_input.ts";
import { controlPath, type ControlTarget, type Verb, verbPath } from "./verb.ts";
import type { HostedServer } from "../../server/hosted_server.ts";

export function controlPaths(
  { site: { base } }: App,
  path: string,
): Required<Pick<Endpoint, "path" | "aliases">> {
  return { path: base + controlPath + path, aliases: base === "" ? [] : [controlPath + path] };
}

/** The properties that all endpoints of the control share. */
export const commonDescription = {
  caller: "any",
  title: "Control",
  errors: "problem",
  role: "control",
} as const satisfies Partial<Endpoint>;

/**
 * Creates the endpoint of a verb.
 *
 * @param secret The bearer token that requests must have. Absent: none is required.
 */
export function verbEndpoint(verb: Verb, target: Omit<ControlTarget, "name">, secret: string | undefined): Endpoint {
  const handle = async (context: Context<HostedServer>): Promise<HttpResponse> => {
    await authorizeRequest(context, secret);
    const input = await readInput(context, verb);
    const issues = validate(verb.input, input);
    if (issues.length > 0) return rejectInput(issues);
    const { issuer, audience, assertionAudiences } = context.server;
    try {
      const result = await verb.run({ ...target, name: { issuer, audience, assertionAudiences } }, input);
      return verb.result === undefined ? noContent : json(200, result);
    } catch (error) {
      return toProblem(error);
    }
  };
  const method = verb.reads ? "GET" : "POST";
  return {
    ...commonDescription,
    name: `control.${verb.name}`,
    ...controlPaths(target.app, verbPath(verb)),
    methods: [method],
    parameters: parameters(...verb.reads ? Object.keys(verb.input.members) : []),
    load: () => ({ [method]: handle }),
  };
}

function rejectInput(issues: readonly ConfigIssue[]): HttpResponse {
  return problemResponse({
    status: 400,
    detail: issues.length === 1 ? "The input has 1 error." : `The input has ${issues.length} errors.`,
    rule: "CO-05",
    errors: issues.map(({ path, hint, expected, received }) => ({ place: path, expected, received, fix: hint })),
  });
}

/** The response to an error of a verb. @throws An error that is not a rejection, such as a store error. */
function toProblem(error: unknown): HttpResponse {
  if (error instanceof ConfigurationError) return rejectInput(error.issues);
  if (error instanceof ControlError) {
    const { status, message, errors } = error;
    return problemResponse({ status, detail: message, errors });
  }
  if (error instanceof LoginError || error instanceof TenantError || error instanceof UnmetFaultsError) {
    return problemResponse({ status: 409, detail: error.message });
  }
  if (error instanceof LogError) {
    const issue: ProblemIssue = { expected: String(error.expected), received: String(error.actual) };
    return problemResponse({ status: 422, detail: error.message, errors: [issue] });
  }
  if (error instanceof TypeError || error instanceof RangeError) {
    return problemResponse({ status: 400, detail: error.message, rule: "CO-05", errors: readIssue(error.message) });
  }
  throw error;
}

/** The messages of the mock: `PLACE: expected EXPECTED, received RECEIVED`, and the fix if there is one. */
const argumentMessage =
  /^(?<place>[^:\n]+): expected (?<expected>.+?), received (?<received>.+?)(?:[.;] (?<fix>\S.*))?$/s;

/** The issue that a message of the mock describes; none if it is a sentence of another form. */
function readIssue(message: string): ProblemIssue[] {
  const { place, expected, received, fix } = argumentMessage.exec(message)?.groups ?? {};
  return expected === undefined || received === undefined ? [] : [{ place, expected, received, fix }];
}
