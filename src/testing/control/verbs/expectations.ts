/** Verbs that check the log. If it is not as expected, the response is 422 with the requests. */

import { anyValue, choice, flag, list, object, record, text, whole } from "../../../core/policy/field.ts";
import { type ClientAuthMethod, clientAuthMethodNames } from "../../../server/config/client_metadata.ts";
import type { RuleId } from "../../../core/rules/rule.ts";
import { checkPractices, type PracticeOptions } from "../../check_practices.ts";
import { type JsonPattern, jsonPatternFields, toRequestPattern } from "../../faults/json_pattern.ts";
import { defineVerb, type Verb } from "../verb.ts";

/** Expectations of every exchange that matches. */
interface LogExpectation extends JsonPattern {
  /** The name of the endpoint, such as `token`. */
  readonly endpoint: string;
  /** The number of exchanges. Default: at least one, if nothing else is expected. */
  readonly called?: number;
  /** The `client_id` of the client that called. */
  readonly by?: string;
  /** The client authentication method. */
  readonly with?: ClientAuthMethod;
  /** Parameters of the query or the form, in the format of `params`. */
  readonly withParams?: JsonPattern["params"];
  /** The ID of a rule that was checked and passed. */
  readonly passed?: string;
  /** Whether no response is an error. Default: not checked. */
  readonly succeeded?: boolean;
  /** Whether every request was rejected. Default: not checked. */
  readonly rejected?: boolean;
  /** The error code of the rejections. Default: any. */
  readonly error?: string;
  /** The ID of the rule of the rejections. Default: any. */
  readonly rule?: string;
}

/** A report about practices. */
interface PracticesResult {
  /** Whether no practice failed. */
  readonly passed: boolean;
  /** The report as text. */
  readonly text: string;
  /** Each practice with its outcome, evidence and source. */
  readonly practices: readonly Readonly<Record<string, unknown>>[];
}

/** Which requests are checked. */
interface OfClient {
  /** The `client_id` of the only client whose requests are checked. Default: every client. */
  readonly client?: string;
}

const ofClient = { input: object<OfClient>("OfClient", { client: text(["web"]) }, {}), args: ["client"] };

/** Expectations of what the server received. */
export const expectationVerbs: readonly Verb[] = [
  defineVerb<LogExpectation, void>({
    name: "log.expect",
    summary: "Checks every exchange of an endpoint; 422 with the list of requests if one is not as expected.",
    input: object<LogExpectation>(
      "LogExpectation",
      {
        endpoint: text(["token"]),
        ...jsonPatternFields,
        called: whole(1, { min: 0, expected: "a whole number of at least 0" }),
        by: text(["web"]),
        with: choice(clientAuthMethodNames),
        withParams: jsonPatternFields.params,
        passed: text(["PK-09"]),
        succeeded: flag(),
        rejected: flag(),
        error: text(["invalid_grant"]),
        rule: text(["RT-04"]),
      },
      { endpoint: "token", called: 1, by: "web", succeeded: true },
      { required: ["endpoint"] },
    ),
    run({ control: { log } }, expected) {
      const { endpoint, called, by, with: auth, withParams, passed, succeeded, rejected, error, rule } = expected;
      const expectation = log.expect(endpoint, toRequestPattern(expected));
      const others = [by, auth, withParams, passed, succeeded, rejected, error, rule];
      if (called !== undefined || others.every((member) => member === undefined)) expectation.called(called);
      if (by !== undefined) expectation.by(by);
      if (auth !== undefined) expectation.with(auth);
      if (withParams !== undefined) expectation.withParams(toRequestPattern({ params: withParams }).params!);
      if (passed !== undefined) expectation.passed(passed as RuleId);
      if (succeeded) expectation.succeeded();
      if (rejected || error !== undefined || rule !== undefined) {
        expectation.rejected(error, rule as RuleId | undefined);
      }
    },
  }),
  defineVerb<OfClient, void>({
    name: "log.expectNoRejections",
    summary: "Checks that no request was rejected, except requests for metadata, which clients try at several URLs.",
    ...ofClient,
    run: ({ control: { log } }, { client }) => log.expectNoRejections(client),
  }),
  defineVerb<OfClient, void>({
    name: "log.expectNoWarnings",
    summary: "Checks that no request caused a warning.",
    ...ofClient,
    run: ({ control: { log } }, { client }) => log.expectNoWarnings(client),
  }),
  defineVerb<PracticeOptions, PracticesResult>({
    name: "checkPractices",
    summary:
      "Reports which best practices a client meets, from its recorded requests: PKCE, state, credentials, refreshes.",
    reads: true,
    input: object<PracticeOptions>("PracticeOptions", { client: text(["web"]), flow: text(["1"]) }, {}),
    result: object<PracticesResult>("PracticesResult", {
      passed: flag(),
      text: text(["15 best practices: 12 passed, 3 skipped"]),
      practices: list(record(anyValue, { id: "pkce-used" }, "a practice"), [[{ id: "pkce-used" }]]),
    }, { passed: true, text: "15 best practices: 12 passed, 3 skipped", practices: [{ id: "pkce-used" }] }),
    async run({ app: { server }, control: { log } }, options) {
      const report = await checkPractices({ issuer: server.issuer, log, clients: server.clients.registered }, options);
      const { practices } = report.toJSON() as Pick<PracticesResult, "practices">;
      return { passed: report.passed, text: String(report), practices };
    },
  }),
];
