/** The handlers of the page `/faults`, loaded at the first visit. Its forms have the fields of verbs of the control. */

import { appOf } from "../../server/app.ts";
import { ensureBrowserCookie } from "../../core/sessions/browser_cookie.ts";
import { takeConfirmation } from "../../server/login/confirmation.ts";
import type { Context } from "../../core/http/context.ts";
import type { HostedServer } from "../../server/hosted_server.ts";
import { browserCsrfToken, readProtectedForm } from "../../server/pages/csrf.ts";
import type { HttpResponse } from "../../core/http/message.ts";
import { htmlWithForms } from "../../platform/http/response.ts";
import { isObject } from "../../core/http/json_value.ts";
import type { Field } from "../../core/policy/field.ts";
import { validate } from "../../server/config/config_issue.ts";
import { renderPage } from "../../core/pages/render_page.ts";
import { reject } from "../../server/rules/mod.ts";
import type { Params } from "../../core/http/params.ts";
import { isTestUrl } from "../../server/config/host_kinds.ts";
import { asServerPolicy } from "../../server/config/server_policy.ts";
import { ControlError } from "../control/control_error.ts";
import type { ControlTarget, Verb } from "../control/verb.ts";
import { clockVerbs } from "../control/verbs/clock.ts";
import { faultVerbs } from "../control/verbs/faults.ts";
import { keyVerbs } from "../control/verbs/keys.ts";
import { tokenVerbs } from "../control/verbs/tokens.ts";
import { userVerbs } from "../control/verbs/users.ts";
import type { FaultDefinition } from "../faults/definition.ts";
import { loadAllFaults } from "../faults/all_faults.ts";
import { confirmChange, movedTo, type PageControl } from "./confirm_change.ts";
import { clockPresets } from "./clock_presets.ts";
import { Faults } from "./faults.tsx";
import type { FaultsProps, FormField } from "./props.ts";
import { type ScenarioStep, withUser } from "../scenarios/scenario.ts";
import { scenarios } from "../scenarios/scenarios.ts";

export { assets } from "./assets.gen.ts";
export { faultList } from "../faults/fault_list.ts";

/** The fault of a user who denies, as data of a form or of the control. */
export const denial = {
  fault: "error",
  endpoint: "authorize",
  parameters: { code: "access_denied", description: "the user denied the request" },
} as const;

/** The verbs of the page: the value `do` of a form names one. */
const verbs: Readonly<Record<string, Verb>> = Object.fromEntries(
  [...faultVerbs, ...clockVerbs, ...keyVerbs, ...tokenVerbs]
    .filter(({ name }) =>
      /^(?:faults\.(?:add|remove|release)|clock\.(?:advance|set|reset)|rotateKeys|revoke)$/.test(name)
    ).map((verb) => [verb.name, verb]),
);

/** The beginning of the names of fields that are parameters of a fault. */
const prefix = "parameter_";

/** The faults of the first screen, by their effect: mistakes that most clients meet. */
const commonFaults: FaultsProps["common"] = [
  { title: "Token endpoint: 503", values: { fault: "status", endpoint: "token", [`${prefix}code`]: "503" } },
  { title: "Expired ID token", values: { fault: "id-token/exp-past", endpoint: "token" } },
  { title: "Wrong nonce", values: { fault: "id-token/nonce-wrong", endpoint: "token" } },
  { title: "Wrong state", values: { fault: "response/state-wrong", endpoint: "authorize" } },
  {
    title: "Deny consent",
    values: {
      ...{ fault: denial.fault, endpoint: denial.endpoint },
      ...Object.fromEntries(Object.entries(denial.parameters).map(([name, value]) => [prefix + name, value])),
    },
  },
  { title: "Slow responses", values: { fault: "delay", endpoint: "token", [`${prefix}milliseconds`]: "3000" } },
];

/** Words for the effects of some faults, by which a search finds them, too. */
const effects: Readonly<Record<string, string>> = {
  error: "access_denied denied deny consent invalid_grant invalid_client server_error temporarily_unavailable",
  status: "503 500 429 down outage unavailable rate limit too many requests",
  delay: "slow timeout latency",
  hang: "slow timeout no response",
  drop: "connection reset network offline",
  "store.expired": "expired code too late",
};

/** Maximum length of a search, in characters. */
const maxSearchChars = 100;

/** GET /faults: `client` and `fault` in the query choose what the form is about, `q` which faults the page lists. */
export function showFaults(context: Context, control: PageControl): Promise<HttpResponse> {
  return showPage(context, control, new URLSearchParams(context.target.query), 200);
}

/** POST /faults: runs the verb `do`. */
export async function changeFaults(context: Context<HostedServer>, control: PageControl): Promise<HttpResponse> {
  const form = await readProtectedForm(context);
  const name = form.get("do") ?? "";
  if (name === "scenario") return await startScenario(context, control, form.get("scenario") ?? "");
  const verb = Object.hasOwn(verbs, name) ? verbs[name] : undefined;
  if (verb === undefined) {
    throw reject("FL-04", { expected: `one of ${Object.keys(verbs).join(", ")}, scenario`, sent: form.get("do") });
  }
  const input = forDocuments(context, await readInput(verb, form));
  const issues = validate(verb.input, input).map(({ path, expected, received }) =>
    `${path}: expected ${expected}, received ${received}.`
  );
  const confirmation = issues.length > 0 ? { error: issues.join(" ") } : await run(verb, context, control, input);
  if (typeof confirmation !== "string") {
    const fields = fieldsOf(verb, await findDefinition(form.get("fault")));
    const shown = new URLSearchParams(["client", ...fields.map(({ name }) => name)].map((name) => [
      name,
      form.get(name) ?? "",
    ]));
    return await showPage(context, control, shown, 400, confirmation.error);
  }
  const client = form.get("shown_client");
  const query = client ? `?${new URLSearchParams({ client })}` : "";
  return await confirmChange(context, `${context.site.base}/faults${query}`, confirmation);
}

/** Runs the calls of a scenario. */
async function startScenario(
  context: Context<HostedServer>,
  control: PageControl,
  name: string,
): Promise<HttpResponse> {
  const calls = scenarioCalls(name, (await context.server.users.list())[0]?.sub);
  if (calls === undefined) {
    throw reject("FL-04", {
      expected: `one of ${scenarios.map((scenario) => scenario.name).join(", ")}`,
      sent: name,
    });
  }
  const changes: string[] = [];
  for (const { verb, input = {} } of calls) {
    const found = [...Object.values(verbs), removeUser].find((one) => one.name === verb)!;
    const change = await run(found, context, control, input);
    changes.push(typeof change === "string" ? change : change.error);
  }
  const what = changes.length === 1 ? changes[0]! : `${changes.length} faults added`;
  return await confirmChange(context, `${context.site.base}/faults`, `Scenario ${name}: ${what}`);
}

const removeUser = userVerbs.find(({ name }) => name === "users.delete")!;

/** What a verb changed, for its confirmation. */
interface Change {
  /** The rule that was added, released or removed. */
  readonly description: string;
  /** The time of the clock. */
  readonly now: number;
  /** The published keys, the newest last. */
  readonly kids: readonly string[];
  /** How many grants were revoked. */
  readonly revoked: number;
}

/** The sentences that say what a verb changed. Default: how far the clock was moved. */
const confirmations: Readonly<Record<string, (change: Change) => string>> = {
  "faults.add": ({ description }) => `Fault added: ${description}`,
  "faults.remove": ({ description }) => `Fault removed: ${description}`,
  "faults.release": ({ description }) => `Fault released: ${description}; the requests that waited continue`,
  "clock.reset": ({ now }) => `Clock reset to the system time: ${new Date(now).toISOString()}`,
  rotateKeys: ({ kids }) =>
    `Signing key rotated: kid ${kids.at(-1)} signs now; ${kids.at(-2)} stays published until its last token expires`,
  "users.delete": () => "the user and the sessions and tokens of the user are removed",
  revoke: ({ revoked }) => `Revoked: every code and token of ${revoked === 1 ? "1 login" : `${revoked} logins`}`,
};

/** Runs a verb. Returns what it changed, or why it rejects the input. */
async function run(
  verb: Verb,
  { app }: Context,
  control: PageControl,
  input: Readonly<Record<string, unknown>>,
): Promise<string | { readonly error: string }> {
  const rule = control.faults.all().find(({ id }) => id === input.id);
  const before = control.clock.now();
  try {
    const result = await verb.run({ app, control } as unknown as ControlTarget, input);
    const now = control.clock.now();
    return confirmations[verb.name]?.({ ...rule, now, ...result } as Change) ?? movedTo(before, now);
  } catch (error) {
    if (error instanceof ControlError) {
      return `Nothing changed: ${verb === removeUser ? error.message : "the fault was already removed"}`;
    }
    if (error instanceof TypeError || error instanceof RangeError) return { error: error.message };
    throw error;
  }
}

/** A field of a form: a member of the input of a verb, or a parameter of a fault. */
interface NamedField {
  readonly name: string;
  readonly label: string;
  readonly hint?: string;
  readonly field: Field;
}

/** The labels of members whose names would be unclear. */
const labels: Readonly<Record<string, string>> = {
  times: "Number of requests",
  for: "Seconds after which it ends",
  always: "Every request until it is removed",
  sub: "User",
};

/** The fields of a verb, with the parameters of a fault instead of the member `parameters`. */
function fieldsOf({ input: { members } }: Verb, fault?: FaultDefinition): NamedField[] {
  return Object.entries(members).flatMap(([name, field]): NamedField[] => {
    // The pattern of a visitor could block the server (ReDoS).
    if (name === "params") return [];
    if (name !== "parameters") {
      const hint = field.default === undefined && field.type !== "boolean"
        ? `For example ${textOf(field.examples[0])}.`
        : undefined;
      return [{ name, label: labels[name] ?? inWords(name), hint, field }];
    }
    return (fault?.parameters ?? []).map((parameter) => ({
      name: prefix + parameter.name,
      label: parameter.label ?? inWords(parameter.name),
      hint: parameter.description + (isObject(parameter.default) ? " A JSON object." : ""),
      field: parameter,
    }));
  });
}

/** The input of a verb: each field of the form that has a value. */
async function readInput(verb: Verb, form: Params): Promise<Readonly<Record<string, unknown>>> {
  const values = fieldsOf(verb, await findDefinition(form.get("fault"))).flatMap(({ name, field }) => {
    const text = form.get(name);
    return text ? [[name, parseValue(field, text)] as const] : [];
  });
  const own = values.filter(([name]) => name.startsWith(prefix));
  return {
    ...Object.fromEntries(values.filter((value) => !own.includes(value))),
    ...own.length > 0 &&
      { parameters: Object.fromEntries(own.map(([name, value]) => [name.slice(prefix.length), value])) },
  };
}

/** Requests for public documents name no client. */
function forDocuments({ app }: Context, input: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  const { client: _, ...others } = input;
  return app.endpoints.find(({ name }) => name === input.endpoint)?.caller === "any" ? others : input;
}

/** The value of a field that the form has as text: JSON, unless the field is a string or the text is not JSON. */
function parseValue({ type }: Field, text: string): unknown {
  if (type === "string") return text;
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

async function showPage(
  context: Context,
  { clock, faults }: PageControl,
  shown: URLSearchParams,
  status: number,
  error?: string,
): Promise<HttpResponse> {
  const { app, server, site } = context;
  const browser = await ensureBrowserCookie(context);
  const confirmation = await takeConfirmation(context);
  const definition = await findDefinition(shown.get("fault") ?? undefined);
  const search = (shown.get("q") ?? "").trim().slice(0, maxSearchChars);
  const clients = await server.clients.list({ limit: 50 });
  const checkPath = (id: string) => `/clients/${encodeURIComponent(id)}/check`;
  const checkable = clients.filter(({ standing, redirectUris }) =>
    standing === "configured" && redirectUris.some(isTestUrl)
  );
  const choices: Readonly<Record<string, readonly string[]>> = {
    endpoint: definition?.endpoints.includes("any") === false
      ? definition.endpoints
      : [...new Set(app.endpoints.filter(({ errors }) => errors !== "page").map(({ name }) => name))],
    client: ["", ...clients.map(({ id }) => id)],
    grant_type: ["", ...server.grantTypes.map(({ type }) => type)],
  };
  const defaults: Readonly<Record<string, string>> = {
    endpoint: choices.endpoint!.includes("token") ? "token" : choices.endpoint![0]!,
    seconds: "3600",
  };
  const formFields = (name: string) =>
    fieldsOf(verbs[name]!, definition).filter(({ name }) => name !== "fault").map((
      { name, label, hint, field },
    ): FormField => ({
      name,
      label,
      hint: choices[name] === undefined ? hint : undefined,
      choices: choices[name] ?? (field.type === "boolean" ? ["", "true"] : field.choices),
      emptyChoice: field.type === "boolean" ? "no" : "any",
      value: shown.get(name) ?? defaults[name] ?? textOf(field.default === false ? undefined : field.default),
    }));
  const page = renderPage(Faults, {
    ...site,
    csrfToken: await browserCsrfToken(context, browser),
    error,
    confirmation: error === undefined ? confirmation.text : undefined,
    client: shown.get("client") || undefined,
    clients: clients.map(({ id }) => id),
    checks: appOf(context).findEndpoint(site.base + checkPath("any"))?.name !== "client_check"
      ? []
      : checkable.slice(0, 5).map(({ id }) => ({ client: id, path: checkPath(id) })),
    search,
    common: commonFaults,
    scenarios,
    groups: findGroups(await loadAllFaults(), search),
    chosen: definition && { ...definition, fields: formFields("faults.add") },
    rules: faults.all(),
    now: clock.now(),
    presets: clockPresets(asServerPolicy(server.policy).lifetimes),
    advance: formFields("clock.advance"),
    revoke: formFields("revoke"),
  });
  return htmlWithForms(status, page, { ...confirmation.headers, ...browser.headers });
}

/** All faults, grouped by the part of their IDs before the dot or the slash; the search hides some. */
function findGroups(faults: readonly FaultDefinition[], search: string) {
  const words = search.toLowerCase().split(/\s+/);
  const groups = Map.groupBy(faults, ({ id }) => /^[^./]+(?=[./])/.exec(id)?.[0] ?? "");
  return [...groups].map(([name, definitions]) => ({
    // Faults without a group break an exchange as a whole.
    title: name === "" ? "Whole response" : inWords(name),
    definitions: definitions.map(({ id, title, correctClient, endpoints, also = [] }) => {
      const text = [id, title, correctClient, ...endpoints, ...also, effects[id]].join(" ").toLowerCase();
      return { id, title, text, isFound: words.every((word) => text.includes(word)) };
    }),
  }));
}

/** `idToken` as `ID token`, `retryAfter` as `Retry after`. */
function inWords(name: string): string {
  const words = name.replaceAll(/[_-]/g, " ").replaceAll(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);
  return words.replace(/^id\b/, "ID").replace(/^[a-z]/, (letter) => letter.toUpperCase());
}

const findDefinition = async (id: string | undefined) =>
  (await loadAllFaults()).find((one) => one.id === id || id !== undefined && one.also?.includes(id));

/** The text of a value in a form. */
const textOf = (value: unknown): string =>
  value === undefined ? "" : typeof value === "string" ? value : JSON.stringify(value);

/**
 * The calls of a scenario. A denial is a fault, so that the page lists it and can remove it.
 *
 * @param user The `sub` of the user that a call is about.
 */
function scenarioCalls(name: string, user: string | undefined): readonly ScenarioStep[] | undefined {
  const scenario = scenarios.find((candidate) => candidate.name === name);
  return scenario?.steps.map(({ verb, input = {} }) =>
    verb === "decisions.deny"
      ? { verb: "faults.add", input: { ...denial, always: true } }
      : { verb, input: withUser(input, user) }
  );
}
