/** The handlers of the page `/faults`, loaded at the first visit. */

import { ensureBrowserCookie } from "../../server/endpoints/shared/browser_cookie.ts";
import { redirectWithConfirmation, takeConfirmation } from "../../server/endpoints/shared/confirmation.ts";
import type { App, Context } from "../../server/assembly/context.ts";
import { browserCsrfToken, readProtectedForm } from "../../server/endpoints/shared/csrf.ts";
import { htmlWithForms, type HttpResponse } from "../../platform/http/message.ts";
import { quote } from "../../server/config/config_issue.ts";
import { OAuthError } from "../../server/oauth/errors.ts";
import type { Params } from "../../server/oauth/params.ts";
import type { Recorder } from "../../recorder/recorder.ts";
import { faultDefinitions } from "../faults/mod.ts";
import { type FaultParameter, parameterLabel } from "../faults/parameters.ts";
import { changeToken } from "./change_token.ts";
import { clockPresets } from "./clock_presets.ts";
import { moveClock } from "./move_clock.ts";
import type { PageControl } from "./page_control.ts";

/** The fields of the form that adds a fault, besides those of its parameters. */
const ruleFields = ["client", "fault", "endpoint", "grant_type", "times", "count"];

/** Maximum length of a search, in characters. */
const maxSearchChars = 100;

/** GET /faults: `client` and `fault` in the query choose what the form is about, `q` which faults the page lists. */
export function showFaults(context: Context, control: PageControl): Promise<HttpResponse> {
  return showPage(context, control, new URLSearchParams(context.target.query), 200);
}

/**
 * POST /faults: adds, removes or releases a rule, moves the clock, or rotates the keys; `expire` and `revoke` name a
 * token that a flow issued.
 */
export async function changeFaults(
  context: Context,
  control: PageControl,
  recorder: Recorder | undefined,
): Promise<HttpResponse> {
  const form = await readProtectedForm(context);
  const changed = await changeToken(context, control, recorder?.flows() ?? [], form);
  if (changed !== undefined) return changed;
  let confirmation: string;
  try {
    confirmation = await applyForm(context, control, form);
  } catch (error) {
    // Invalid parameters of a fault, or an invalid time.
    if (!(error instanceof TypeError || error instanceof RangeError)) throw error;
    const names = [...ruleFields, ...findDefinition(form.get("fault"))?.parameters.map(fieldName) ?? []];
    const shown = new URLSearchParams(names.map((name) => [name, form.get(name) ?? ""]));
    return await showPage(context, control, shown, 400, error.message);
  }
  const client = form.get("client");
  const query = client ? `?${new URLSearchParams({ client })}` : "";
  return await redirectWithConfirmation(context, `${context.site.base}/faults${query}`, confirmation);
}

/** Applies a form. Returns what it changed. @throws {TypeError | RangeError} For invalid values. */
async function applyForm({ app, server }: Context, control: PageControl, form: Params): Promise<string> {
  const { clock } = control;
  const action = form.get("do");
  switch (action) {
    case "add":
      return `Fault added: ${addRule(app, control, form)}`;
    case "remove":
    case "release": {
      const id = form.get("rule") ?? "";
      const rule = control.rules.all().find((rule) => rule.id === id);
      if (rule === undefined || !control.rules[action](id)) return "Nothing changed: the fault was already removed";
      return `Fault ${action}d: ${rule.description}${
        action === "release" ? "; the requests that waited continue" : ""
      }`;
    }
    case "advance":
      return await moveClock(clock, readSeconds(form.get("seconds") ?? ""));
    case "reset":
      clock.reset();
      return `Clock reset to the system time: ${new Date(clock.now()).toISOString()}`;
    case "rotate": {
      const { alg } = server.settings;
      const { kid: previous } = await server.keys.signer(alg);
      const publishedUntil = new Date(await server.keys.rotate(alg, 0)).toISOString();
      const { kid } = await server.keys.signer(alg);
      return `Signing key rotated: kid ${kid} signs now; ${previous} is published until ${publishedUntil}`;
    }
    default:
      throw new OAuthError("invalid_request", "unknown value of do", {
        rule: "FL-04",
        expected: "add, remove, release, advance, reset or rotate",
        received: action ?? "nothing",
      });
  }
}

function readSeconds(text: string): number {
  const seconds = Number(text || NaN);
  if (!Number.isNaN(seconds)) return seconds;
  throw new TypeError(`Clock: expected a number of seconds, such as 3600, received ${quote(text)}.`);
}

async function showPage(
  context: Context,
  { clock, rules }: PageControl,
  shown: URLSearchParams,
  status: number,
  error?: string,
): Promise<HttpResponse> {
  const { server, site } = context;
  const browser = await ensureBrowserCookie(context);
  const confirmation = await takeConfirmation(context);
  const { faultsPage } = await import("./faults.tsx");
  const definition = findDefinition(shown.get("fault") ?? undefined);
  const search = (shown.get("q") ?? "").trim().slice(0, maxSearchChars);
  const page = faultsPage({
    ...site,
    csrfToken: await browserCsrfToken(context, browser),
    error,
    confirmation: error === undefined ? confirmation.text : undefined,
    client: shown.get("client") || undefined,
    clients: (await server.clients.list()).map(({ id }) => id),
    search,
    groups: findGroups(search),
    chosen: definition && {
      ...definition,
      endpoint: shown.get("endpoint") ?? "token",
      grantType: shown.get("grant_type") ?? "",
      grantTypes: server.grantTypes.map(({ type }) => type),
      times: shown.get("times") ?? "once",
      count: shown.get("count") ?? "2",
      endpoints: definition.endpoints.includes("any")
        ? [...new Set(context.app.endpoints.filter(({ errors }) => errors !== "page").map(({ name }) => name))]
        : definition.endpoints,
      fields: definition.parameters.map((parameter) => ({
        name: fieldName(parameter),
        label: parameterLabel(parameter),
        hint: parameter.type === "object" ? `${parameter.description} A JSON object.` : parameter.description,
        choices: parameter.enum,
        value: shown.get(fieldName(parameter)) ?? textOf(parameter),
      })),
    },
    rules: rules.all().map(({ waits, finished, ...rule }) => ({ ...rule, canRelease: waits, isFinished: finished })),
    now: clock.now(),
    presets: clockPresets(server.settings.lifetimes),
  });
  return htmlWithForms(status, page, { ...confirmation.headers, ...browser.headers });
}

/** Adds a rule. Returns its description. */
function addRule(app: App, { rules }: PageControl, form: Params): string {
  const fault = form.get("fault") ?? "";
  const endpoint = form.get("endpoint") ?? "any";
  const values = (findDefinition(fault)?.parameters ?? []).flatMap((parameter) => {
    const text = form.get(fieldName(parameter));
    return text === undefined || text === "" ? [] : [[parameter.name, parseValue(parameter, text)] as const];
  });
  // Requests for public documents name no client.
  const namesClient = app.endpoints.find(({ name }) => name === endpoint)?.caller !== "any";
  const times = form.get("times");
  return rules.add({
    ...{ fault, endpoint, parameters: Object.fromEntries(values) },
    client: namesClient ? form.get("client") || undefined : undefined,
    grant_type: form.get("grant_type") || undefined,
    times: times === "count" ? Number(form.get("count") || NaN) : 1,
    always: times === "always",
  }).description;
}

/** The faults that contain all words, grouped by the part of their IDs before the dot. */
function findGroups(search: string) {
  const words = search.toLowerCase().split(/\s+/);
  const found = faultDefinitions.filter(({ id, title, correctClient, endpoints }) => {
    const text = [id, title, correctClient, ...endpoints].join(" ").toLowerCase();
    return words.every((word) => text.includes(word));
  });
  const groups = Map.groupBy(found, ({ id }) => id.includes(".") ? id.slice(0, id.indexOf(".")) : "");
  return [...groups].map(([name, definitions]) => ({ title: groupTitle(name), definitions }));
}

/** `idToken` as `ID token`; faults without a group break an exchange as a whole. */
function groupTitle(name: string): string {
  if (name === "") return "Whole response";
  const words = name.replaceAll(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);
  return words.replace(/^id\b/, "ID").replace(/^[a-z]/, (letter) => letter.toUpperCase());
}

function findDefinition(id: string | undefined) {
  return faultDefinitions.find((definition) => definition.id === id);
}

/** The name of the form field of a parameter. */
function fieldName({ name }: FaultParameter): string {
  return `parameter_${name}`;
}

/** The value of a parameter that the form has as text. */
function parseValue({ type }: FaultParameter, text: string): unknown {
  const types: readonly string[] = typeof type === "string" ? [type] : type;
  if (types.length === 1 && types[0] === "string") return text;
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "string" && types.includes("string") ? text : value;
  } catch {
    return text;
  }
}

/** The default of a parameter, as the form has it. */
function textOf({ default: value }: FaultParameter): string {
  return value === undefined ? "" : typeof value === "string" ? value : JSON.stringify(value);
}
