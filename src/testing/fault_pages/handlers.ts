/** The handlers of the page `/faults`, loaded at the first visit. Its forms have the fields of verbs of the control. */

import { ensureBrowserCookie } from "../../server/endpoints/shared/browser_cookie.ts";
import { takeConfirmation } from "../../server/endpoints/shared/confirmation.ts";
import type { Context } from "../../server/assembly/context.ts";
import { browserCsrfToken, readProtectedForm } from "../../server/endpoints/shared/csrf.ts";
import { htmlWithForms, type HttpResponse } from "../../platform/http/message.ts";
import { type Field, validate } from "../../server/config/field.ts";
import { renderPage } from "../../server/pages/render_page.ts";
import { OAuthError } from "../../server/oauth/errors.ts";
import type { Params } from "../../server/oauth/params.ts";
import { isTestUrl } from "../../server/oauth/test_hosts.ts";
import type { Recorder } from "../../recorder/recorder.ts";
import { ControlError } from "../control/control_error.ts";
import type { ControlTarget, Verb } from "../control/verb.ts";
import { clockVerbs } from "../control/verbs/clock.ts";
import { faultVerbs } from "../control/verbs/faults.ts";
import { keyVerbs } from "../control/verbs/keys.ts";
import { tokenVerbs } from "../control/verbs/tokens.ts";
import { faultDefinitions } from "../faults/mod.ts";
import type { FaultRequest } from "../faults/fault_list.ts";
import { type FaultParameter, parameterLabel } from "../faults/parameters.ts";
import { changeToken } from "./change_token.ts";
import { confirmChange } from "./confirm_change.ts";
import { clockPresets } from "./clock_presets.ts";
import { Faults, type FormField } from "./faults.tsx";
import { movedTo } from "./move_clock.ts";
import type { PageControl } from "./page_control.ts";

/**
 * Members of verbs that the page does not take as fields: the parameters of a fault have fields of their own, and the
 * pattern of a visitor could block the server (ReDoS).
 */
const hiddenFields = ["parameters", "params"];

/** The verbs of the page: the value `do` of a form names one. */
const verbs: Readonly<Record<string, Verb>> = Object.fromEntries(
  [...faultVerbs, ...clockVerbs, ...keyVerbs, ...tokenVerbs]
    .filter(({ name }) =>
      /^(?:faults\.(?:add|remove|release)|clock\.(?:advance|set|reset)|rotateKeys|revoke)$/.test(name)
    ).map((verb) => [verb.name, verb]),
);

/** The faults of the first screen: mistakes that most clients meet. */
const commonFaults: readonly FaultRequest[] = [
  { fault: "error", endpoint: "token", parameters: { code: "invalid_grant" } },
  { fault: "status", endpoint: "token", parameters: { code: 503 } },
  { fault: "store.expired", endpoint: "token" },
  { fault: "idToken.expired", endpoint: "token" },
  { fault: "idToken.wrongNonce", endpoint: "token" },
  { fault: "authorizationResponse.wrongState", endpoint: "authorize" },
];

/** Maximum length of a search, in characters. */
const maxSearchChars = 100;

/** GET /faults: `client` and `fault` in the query choose what the form is about, `q` which faults the page lists. */
export function showFaults(context: Context, control: PageControl): Promise<HttpResponse> {
  return showPage(context, control, new URLSearchParams(context.target.query), 200);
}

/** POST /faults: runs the verb `do`; `expire` and `revoke` without it name a token that a flow issued. */
export async function changeFaults(
  context: Context,
  control: PageControl,
  recorder: Recorder | undefined,
): Promise<HttpResponse> {
  const form = await readProtectedForm(context);
  const name = form.get("do") ?? "";
  const verb = Object.hasOwn(verbs, name) ? verbs[name] : undefined;
  const changed = verb === undefined && await changeToken(context, control, recorder?.flows() ?? [], form);
  if (changed) return changed;
  if (verb === undefined) {
    throw new OAuthError("invalid_request", "unknown value of do", {
      rule: "FL-04",
      expected: `one of ${Object.keys(verbs).join(", ")}`,
      received: form.get("do") ?? "nothing",
    });
  }
  const input = forDocuments(context, readInput(verb, form));
  const issues = validate(verb.input, input).map(({ path, expected, received }) =>
    `${path}: expected ${expected}, received ${received}.`
  );
  const confirmation = issues.length > 0 ? { error: issues.join(" ") } : await run(verb, context, control, input);
  if (typeof confirmation !== "string") {
    const names = ["client", "fault", ...Object.keys(verb.input.members)].filter((name) => name !== "parameters");
    const fields = [...names, ...findDefinition(form.get("fault"))?.parameters.map(fieldName) ?? []];
    const shown = new URLSearchParams(fields.map((name) => [name, form.get(name) ?? ""]));
    return await showPage(context, control, shown, 400, confirmation.error);
  }
  const client = form.get("shown_client");
  const query = client ? `?${new URLSearchParams({ client })}` : "";
  return await confirmChange(context, `${context.site.base}/faults${query}`, confirmation);
}

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
    const result: object = await verb.run({ app, control } as unknown as ControlTarget, input) ?? {};
    return confirm(verb.name, { ...rule, before, now: control.clock.now(), ...result });
  } catch (error) {
    if (error instanceof ControlError) return "Nothing changed: the fault was already removed";
    if (error instanceof TypeError || error instanceof RangeError) return { error: error.message };
    throw error;
  }
}

/** The sentence that says what a verb changed. */
function confirm(
  verb: string,
  { description = "", before, now, kids = [], revoked = 0 }: {
    readonly description?: string;
    readonly before: number;
    readonly now: number;
    readonly kids?: readonly string[];
    readonly revoked?: number;
  },
): string {
  switch (verb) {
    case "faults.add":
      return `Fault added: ${description}`;
    case "faults.remove":
      return `Fault removed: ${description}`;
    case "faults.release":
      return `Fault released: ${description}; the requests that waited continue`;
    case "clock.reset":
      return `Clock reset to the system time: ${new Date(now).toISOString()}`;
    case "rotateKeys":
      return `Signing key rotated: kid ${kids.at(-1)} signs now; ${
        kids.at(-2)
      } stays published until its last token expires`;
    case "revoke":
      return `Revoked: every code and token of ${revoked === 1 ? "1 login" : `${revoked} logins`}`;
    default:
      return movedTo(before, now);
  }
}

/** The input of a verb: each field of the form that has a value. */
function readInput({ input: { members } }: Verb, form: Params): Readonly<Record<string, unknown>> {
  const names = Object.keys(members).filter((name) => !hiddenFields.includes(name) && form.get(name));
  const input: Record<string, unknown> = Object.fromEntries(
    names.map((name) => [name, parseValue(typesOf(members[name]!), form.get(name)!)]),
  );
  const parameters = findDefinition(form.get("fault"))?.parameters.filter((one) => form.get(fieldName(one))) ?? [];
  if (members.parameters === undefined || parameters.length === 0) return input;
  const values = parameters.map((one) => [one.name, parseValue([one.type].flat(), form.get(fieldName(one))!)]);
  return { ...input, parameters: Object.fromEntries(values) };
}

/** Requests for public documents name no client. */
function forDocuments({ app }: Context, input: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  const { client: _, ...others } = input;
  return app.endpoints.find(({ name }) => name === input.endpoint)?.caller === "any" ? others : input;
}

const typesOf = ({ type }: Field): readonly string[] => [type === "integer" ? "number" : type];

/** The value of a field that the form has as text. */
function parseValue(types: readonly string[], text: string): unknown {
  if (types.length === 1 && types[0] === "string") return text;
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "string" && types.includes("string") ? text : value;
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
  const definition = findDefinition(shown.get("fault") ?? undefined);
  const search = (shown.get("q") ?? "").trim().slice(0, maxSearchChars);
  const clients = await server.clients.list();
  const checkPath = (id: string) => `/clients/${encodeURIComponent(id)}/check`;
  const checkable = clients.filter(({ standing, redirectUris }) =>
    standing === "configured" && redirectUris.some(isTestUrl)
  );
  const page = renderPage(Faults, {
    ...site,
    csrfToken: await browserCsrfToken(context, browser),
    error,
    confirmation: error === undefined ? confirmation.text : undefined,
    client: shown.get("client") || undefined,
    clients: clients.map(({ id }) => id),
    checks: app.findEndpoint(site.base + checkPath("any"))?.name !== "client_check"
      ? []
      : checkable.slice(0, 5).map(({ id }) => ({ client: id, path: checkPath(id) })),
    search,
    common: commonFaults.map((request) => ({ ...request, title: findDefinition(request.fault)!.title })),
    groups: findGroups(search),
    chosen: definition &&
      { ...definition, fields: faultFields(context, definition, clients.map(({ id }) => id), shown) },
    rules: faults.all().map(({ waits, finished, ...rule }) => ({ ...rule, canRelease: waits, isFinished: finished })),
    now: clock.now(),
    presets: clockPresets(server.settings.lifetimes),
    advance: verbFields("clock.advance", shown, { seconds: "3600" }),
    revoke: verbFields("revoke", shown),
  });
  return htmlWithForms(status, page, { ...confirmation.headers, ...browser.headers });
}

/** The fields of the form for a fault: those of the verb, with the parameters of the fault in place of `parameters`. */
function faultFields(
  { app, server }: Context,
  { endpoints, parameters }: typeof faultDefinitions[number],
  clients: readonly string[],
  shown: URLSearchParams,
): FormField[] {
  const all = app.endpoints.filter(({ errors }) => errors !== "page").map(({ name }) => name);
  const choices: Readonly<Record<string, readonly string[]>> = {
    endpoint: endpoints.includes("any") ? [...new Set(all)] : endpoints,
    client: ["", ...clients],
    grant_type: ["", ...server.grantTypes.map(({ type }) => type)],
    always: ["", "true"],
  };
  const defaults = { endpoint: endpoints.includes("token") || endpoints.includes("any") ? "token" : endpoints[0]! };
  const own = parameters.map((parameter): FormField => ({
    name: fieldName(parameter),
    label: parameterLabel(parameter),
    hint: parameter.type === "object" ? `${parameter.description} A JSON object.` : parameter.description,
    choices: parameter.enum,
    value: shown.get(fieldName(parameter)) ?? textOf(parameter.default),
  }));
  const general = verbFields("faults.add", shown, defaults).map((field) => {
    const named = choices[field.name];
    return named === undefined ? field : { ...field, choices: named, hint: undefined };
  });
  return [...own, ...general.filter(({ name }) => name !== "fault" && !hiddenFields.includes(name))];
}

/** The labels of fields whose names are not enough. */
const labels: Readonly<Record<string, string>> = {
  times: "Number of requests",
  for: "Seconds after which it ends",
  always: "Every request until it is removed",
  sub: "User",
};

/** The fields of a form that runs a verb, from the description of its input. */
function verbFields(
  verb: string,
  shown: URLSearchParams,
  defaults: Readonly<Record<string, string>> = {},
): FormField[] {
  return Object.entries(verbs[verb]!.input.members).map(([name, field]) => {
    const words = name.replaceAll("_", " ");
    return {
      ...{ name, choices: field.choices, emptyChoice: field.type === "boolean" ? "no" : "any" },
      label: labels[name] ?? words.replace(/^./, (letter) => letter.toUpperCase()),
      hint: field.default === undefined ? `For example ${textOf(field.examples[0])}.` : undefined,
      value: shown.get(name) ?? defaults[name] ?? textOf(field.default === false ? undefined : field.default),
    };
  });
}

/** All faults, grouped by the part of their IDs before the dot; those that lack a word of the search are hidden. */
function findGroups(search: string) {
  const words = search.toLowerCase().split(/\s+/);
  const groups = Map.groupBy(faultDefinitions, ({ id }) => id.includes(".") ? id.slice(0, id.indexOf(".")) : "");
  return [...groups].map(([name, definitions]) => ({
    title: groupTitle(name),
    definitions: definitions.map(({ id, title, correctClient, endpoints }) => {
      const text = [id, title, correctClient, ...endpoints].join(" ").toLowerCase();
      return { id, title, text, isFound: words.every((word) => text.includes(word)) };
    }),
  }));
}

/** `idToken` as `ID token`; faults without a group break an exchange as a whole. */
function groupTitle(name: string): string {
  if (name === "") return "Whole response";
  const words = name.replaceAll(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);
  return words.replace(/^id\b/, "ID").replace(/^[a-z]/, (letter) => letter.toUpperCase());
}

const findDefinition = (id: string | undefined) => faultDefinitions.find((definition) => definition.id === id);

/** The name of the form field of a parameter. */
const fieldName = ({ name }: FaultParameter): string => `parameter_${name}`;

/** A value as a form has it. */
const textOf = (value: unknown): string =>
  value === undefined ? "" : typeof value === "string" ? value : JSON.stringify(value);
