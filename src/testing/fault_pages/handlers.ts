/** The handlers of the page `/faults`, loaded at the first visit. */

import { ensureBrowserCookie } from "../../app/browser_cookie.ts";
import type { Context } from "../../app/context.ts";
import { browserCsrfToken, readProtectedForm } from "../../app/csrf.ts";
import type { HttpResponse } from "../../http/message.ts";
import { htmlWithForms, redirect } from "../../http/responses.ts";
import { OAuthError } from "../../oauth/errors.ts";
import type { Params } from "../../oauth/params.ts";
import type { Hold } from "../faults/hold.ts";
import { createFault, faultDefinitions } from "../faults/mod.ts";
import type { FaultParameter } from "../faults/parameters.ts";
import type { PageControl } from "./page_control.ts";

/** The endpoints whose requests name the client. */
const clientEndpoints = ["authorize", "par", "token", "revoke", "introspect", "device_authorization"];

/** GET /faults: `client` and `fault` in the query choose what the form is about. */
export function showFaults(context: Context, control: PageControl): Promise<HttpResponse> {
  return showPage(context, control, new URLSearchParams(context.target.query), 200);
}

/** POST /faults: adds, removes or releases a rule, moves the clock, or rotates the keys. */
export async function changeFaults(context: Context, control: PageControl): Promise<HttpResponse> {
  const form = await readProtectedForm(context);
  const action = form.get("do");
  try {
    if (action === "add") addRule(control, form);
    else if (action === "remove") removeRule(control, form.get("rule"));
    else if (action === "release") releaseRule(control, form.get("rule"));
    else if (action === "advance") control.clock.advance(Number(form.get("seconds") || NaN));
    else if (action === "reset") control.clock.reset();
    else if (action === "rotate") await context.server.keys.rotate(context.server.settings.alg, 0);
    else {
      throw new OAuthError("invalid_request", "unknown value of do", {
        rule: "FL-04",
        expected: "add, remove, release, advance, reset or rotate",
        received: action ?? "nothing",
      });
    }
  } catch (error) {
    // Invalid parameters of a fault, or an invalid time.
    if (!(error instanceof TypeError || error instanceof RangeError)) throw error;
    const names = ["client", "fault", ...findDefinition(form.get("fault"))?.parameters.map(fieldName) ?? []];
    const shown = new URLSearchParams(names.map((name) => [name, form.get(name) ?? ""]));
    return await showPage(context, control, shown, 400, error.message);
  }
  const client = form.get("client");
  const query = client ? `?${new URLSearchParams({ client })}` : "";
  return redirect("POST", `${context.site.base}/faults${query}`);
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
  const { faultsPage } = await import("../../ui/faults.tsx");
  const definition = findDefinition(shown.get("fault") ?? undefined);
  const page = faultsPage({
    ...site,
    csrfToken: await browserCsrfToken(context, browser),
    error,
    client: shown.get("client") || undefined,
    clients: (await server.clients.list()).map(({ id }) => id),
    definitions: faultDefinitions,
    chosen: definition && {
      ...definition,
      endpoints: definition.endpoints.includes("any")
        ? [...new Set(context.app.endpoints.filter(({ errors }) => errors !== "page").map(({ name }) => name))]
        : definition.endpoints,
      fields: definition.parameters.map((parameter) => ({
        name: fieldName(parameter),
        label: parameter.name,
        hint: parameter.description,
        value: shown.get(fieldName(parameter)) ?? textOf(parameter),
      })),
    },
    rules: [...rules.values()].map(({ id, description, release, rule: { fired } }) => ({
      ...{ id, description, fired },
      canRelease: release !== undefined,
    })),
    now: clock.now(),
  });
  return htmlWithForms(status, page, browser.headers);
}

function addRule({ on, rules }: PageControl, form: Params): void {
  const id = form.get("fault") ?? "";
  const endpoint = form.get("endpoint") ?? "any";
  const isAlways = form.get("times") === "always";
  const values = (findDefinition(id)?.parameters ?? []).flatMap((parameter) => {
    const text = form.get(fieldName(parameter));
    return text === undefined || text === "" ? [] : [[parameter.name, parseValue(parameter, text)] as const];
  });
  const fault = createFault(id, Object.fromEntries(values));
  const client = clientEndpoints.includes(endpoint) ? form.get("client") || undefined : undefined;
  const builder = on(endpoint, client === undefined ? undefined : { client });
  const rule = isAlways ? builder.always(fault) : builder.once(fault);
  const ruleId = String(Number([...rules.keys()].at(-1) ?? 0) + 1);
  const whose = client === undefined ? "any client" : client;
  const description = `${id} at ${endpoint}, for ${isAlways ? "every request" : "the next request"} of ${whose}`;
  const release = "release" in fault ? (fault as Hold).release : undefined;
  rules.set(ruleId, { id: ruleId, description, rule, release });
}

function removeRule({ rules }: Pick<PageControl, "rules">, id = ""): void {
  rules.get(id)?.rule.remove();
  rules.delete(id);
}

/** Lets the requests that wait continue; later ones pass, so the rule is removed with them. */
function releaseRule({ rules }: PageControl, id = ""): void {
  rules.get(id)?.release?.();
  removeRule({ rules }, id);
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
