/** Runs scenarios on a server: their calls at the start, after a response, and again after each reset. */

import type { HttpResponse } from "../../core/http/message.ts";
import { parseTarget } from "../../core/http/router.ts";
import type { App } from "../../server/app.ts";
import type { Plugin } from "../../server/hosting/options.ts";
import { suggest } from "../../core/policy/suggest.ts";
import { quote, validate } from "../../server/config/config_issue.ts";
import { type ConfigIssue, ConfigurationError } from "../../core/rules/configuration_error.ts";
import type { Verb } from "./verb.ts";
import { verbs } from "./verbs/mod.ts";
import type { ListedFault } from "../faults/fault_list.ts";
import type { ServerControl } from "../test_control.ts";
import type { ChosenScenario } from "../scenarios/choose.ts";
import { type ScenarioStep, withUser } from "../scenarios/scenario.ts";

export interface RunningScenarios {
  /** Runs calls after responses; its `setup` throws a {@link ConfigurationError}. */
  readonly plugin: Plugin;
  /** The control, whose `reset` starts the scenarios again. */
  readonly control: ServerControl;
  /** Runs the calls of the start. */
  start(): Promise<void>;
  /** What the scenarios have done so far. */
  results(): ScenarioResults;
}

/** Sentences about scenarios. An optional scenario without an effect has none. */
export interface ScenarioResults {
  /** One for each other scenario: a call changed the server, or a fault fired. */
  readonly withEffect: readonly string[];
  /** One for each scenario without an effect, or with a call that failed, with the reason. */
  readonly withoutEffect: readonly string[];
}

/** A step whose verb was found. */
interface PreparedStep extends ScenarioStep {
  readonly found: Verb;
}

/** What a scenario has done so far. */
interface Progress {
  readonly scenario: ChosenScenario;
  readonly steps: readonly PreparedStep[];
  waiting: readonly PreparedStep[];
  /** The fault rules since the last reset. */
  rules: readonly string[];
  /** Whether a call changed the server, or a fault fired. */
  hadEffect: boolean;
  /** Why a call failed. */
  error?: string;
}

/**
 * Prepares scenarios for the server of a control.
 *
 * @throws {ConfigurationError} If a step names no verb that changes the server, or its input is invalid.
 */
export function runScenarios(inner: ServerControl, scenarios: readonly ChosenScenario[]): RunningScenarios {
  const issues: ConfigIssue[] = [];
  const all: readonly Progress[] = scenarios.map((scenario) => {
    const steps = scenario.steps.flatMap((step, i) => {
      const found = findVerb(step, `${scenario.name}: steps[${i}]`);
      if ("found" in found) return [found];
      issues.push(...found);
      return [];
    });
    return { scenario, steps, waiting: [], rules: [], hadEffect: false };
  });
  if (issues.length > 0) throw new ConfigurationError(issues);
  const closing = new AbortController();
  let app: App | undefined;

  async function runStep(progress: Progress, { found, input = {} }: PreparedStep): Promise<void> {
    const { scenario } = progress;
    const { server } = app!;
    const { issuer, audience, assertionAudiences } = server;
    const user = scenario.user ?? (await server.users.list())[0]?.sub;
    const target = {
      ...{ app: app!, control: inner, closed: closing.signal, name: { issuer, audience, assertionAudiences } },
      endpoints: () => ({}),
    };
    try {
      const result = await found.run(target, withUser(input, user));
      if (found.name === "faults.add") progress.rules = [...progress.rules, (result as ListedFault).id];
      // A user without tokens has nothing to revoke.
      else if (found.name !== "revoke" || (result as { readonly revoked: number }).revoked > 0) {
        progress.hadEffect = true;
      }
    } catch (error) {
      progress.error = `${found.name}: ${(error as Error).message}`;
    }
  }

  function readFired(): void {
    const fired = new Set(inner.faults.all().filter((rule) => rule.fired > 0).map(({ id }) => id));
    for (const progress of all) progress.hadEffect ||= progress.rules.some((id) => fired.has(id));
  }

  async function start(): Promise<void> {
    for (const progress of all) {
      progress.rules = [];
      progress.waiting = progress.steps.filter(({ after }) => after !== undefined);
      for (const step of progress.steps.filter(({ after }) => after === undefined)) await runStep(progress, step);
    }
  }

  /** Reports no fault rule of a scenario: a test need not meet it, and `results` reports it once. */
  async function reset(options?: Parameters<ServerControl["reset"]>[0]): Promise<void> {
    readFired();
    for (const id of all.flatMap(({ rules }) => rules)) inner.faults.remove(id);
    try {
      await inner.reset(options);
    } finally {
      await start();
    }
  }

  async function follow(name: string | undefined, response: HttpResponse | Response): Promise<HttpResponse | Response> {
    if (name === undefined || response.status >= 400) return response;
    for (const progress of all) {
      const due = progress.waiting.filter(({ after }) => after === name);
      if (due.length === 0) continue;
      progress.waiting = progress.waiting.filter(({ after }) => after !== name);
      for (const step of due) await runStep(progress, step);
    }
    return response;
  }

  return {
    start,
    control: { ...inner, reset },
    results() {
      readFired();
      return {
        withEffect: all.filter(succeeded).map(({ scenario }) => `The scenario ${nameOf(scenario)} had an effect.`),
        withoutEffect: all.filter((progress) => !succeeded(progress) && !progress.scenario.optional).map(
          describeFailure,
        ),
      };
    },
    plugin: {
      setup(assembled) {
        app = assembled;
        const { issuer, policy } = app.server;
        if (!policy.allows.openTools) throw realHost(issuer);
        const names = app.endpoints.map(({ name }) => name);
        const unknown = all.flatMap(({ scenario, steps }) =>
          steps.flatMap(({ after }) => after === undefined || names.includes(after) ? [] : [[scenario, after] as const])
        );
        if (unknown.length > 0) {
          throw new ConfigurationError(unknown.map(([{ name }, after]) => unknownEndpoint(name, after, names)));
        }
      },
      handle: (next) => async (request, peer) => {
        const response = await next(request, peer);
        if (all.every(({ waiting }) => waiting.length === 0)) return response;
        return await follow(app?.findEndpoint(parseTarget(request.url, {}).path)?.name, response);
      },
      close: () => closing.abort(),
    },
  };
}

/** The step with its verb, or the issues of the step. */
function findVerb(step: ScenarioStep, path: string): PreparedStep | readonly ConfigIssue[] {
  const changing = verbs.filter(({ name, reads }) => !reads && name !== "reset");
  const found = changing.find(({ name }) => name === step.verb);
  if (found === undefined) {
    const nearest = suggest(step.verb, changing.map(({ name }) => name));
    const hint = nearest === undefined ? "/_control/openapi.json lists the verbs." : `Did you mean ${nearest}?`;
    const expected = "a verb of the control that changes the server";
    return [{ path: `${path}.verb`, expected, received: quote(step.verb), hint }];
  }
  const issues = validate(found.input, withUser(step.input ?? {}, "alice"));
  return issues.length === 0
    ? { ...step, found }
    : issues.map((issue) => ({ ...issue, path: `${path}.input.${issue.path}` }));
}

const succeeded = ({ hadEffect, error }: Progress) => hadEffect && error === undefined;

const nameOf = ({ name, user }: ChosenScenario) => user === undefined ? name : `${name}:${user}`;

function describeFailure({ scenario, waiting, hadEffect, error }: Progress): string {
  const why = error?.replace(/\.$/, "") ??
    (waiting.length > 0 ? `no successful response of ${waiting[0]!.after}` : "no request that its faults apply to");
  return `The scenario ${nameOf(scenario)} ${hadEffect ? "did not complete" : "had no effect"}: ${why}.`;
}

function realHost(issuer: string): ConfigurationError {
  return new ConfigurationError([{
    path: "scenario",
    expected: "an issuer on a test host, because every visitor meets the scenario",
    received: quote(issuer),
    hint: "Remove scenario, or use an issuer on a test host.",
  }]);
}

function unknownEndpoint(scenario: string, after: string, names: readonly string[]): ConfigIssue {
  const nearest = suggest(after, names);
  return {
    path: `${scenario}: after`,
    expected: "the name of an endpoint, such as token",
    received: quote(after),
    hint: nearest === undefined ? `The endpoints: ${names.join(", ")}.` : `Did you mean ${nearest}?`,
  };
}
