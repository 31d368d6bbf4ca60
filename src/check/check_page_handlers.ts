/** GET and POST /clients/{id}/check, and GET /flows/check and below, loaded at the first visit. */

import { ensureBrowserCookie } from "../core/sessions/browser_cookie.ts";
import type { Context } from "../core/http/context.ts";
import { browserCsrfToken, readProtectedForm } from "../server/pages/csrf.ts";
import { html, HttpError, type HttpResponse, redirect } from "../core/http/message.ts";
import { htmlWithForms } from "../platform/http/response.ts";
import type { Client } from "../core/clients/clients.ts";
import { ConfigurationError } from "../core/rules/configuration_error.ts";
import { serverOrigins } from "../server/config/server_origins.ts";
import { reject } from "../server/rules/mod.ts";
import type { Params } from "../core/http/params.ts";
import { isTestUrl } from "../server/config/host_kinds.ts";
import type { EditForm } from "../server/pages/field.tsx";
import { clientCheckField } from "./check_issues.ts";
import type { ClientCheckOptions } from "./check_options.ts";
import { CheckRunningError, type ClientCheck } from "./client_check.ts";
import { renderPage } from "../core/pages/render_page.ts";
import { CheckReportPage } from "./pages/check_report.tsx";
import { ClientCheckPage } from "./pages/client_check.tsx";
import type { CheckReport } from "./report.ts";
import { describeReport, formatId } from "./report_data.ts";
import { viewReport } from "./report_view.ts";
import { showFlow } from "../devtools/requests/handlers.ts";

export { assets } from "./pages/assets.gen.ts";

/** The fields of the form: the options without the client. */
const { client: _, ...fields } = clientCheckField.members;

/** What the page shows besides the form. */
interface Shown {
  readonly status?: number;
  readonly values: Readonly<Record<string, string>>;
  readonly errors?: EditForm["errors"];
  readonly problem?: string;
}

/**
 * Shows the form. With `progress` in the query, shows the progress of the check, or its report if the check has ended.
 * While a check is running, always shows its progress.
 */
export async function showCheck(context: Context, check: ClientCheck): Promise<HttpResponse> {
  const client = await findClient(context);
  const { status, client: checked, error } = check.state();
  if (status === "running" && checked !== client.id) return redirect("GET", progressPath(context, checked!));
  const wantsProgress = new URLSearchParams(context.target.query).has("progress");
  if (wantsProgress && check.report() !== undefined) return redirect("GET", `${context.site.base}/flows/check`);
  const problem = status === "failed" && checked === client.id ? `The check failed: ${error}` : undefined;
  return await showPage(context, check, client, { values: proposedValues(context, client, check), problem });
}

/** Starts or stops a check. */
export async function changeCheck(context: Context, check: ClientCheck): Promise<HttpResponse> {
  const client = await findClient(context);
  const form = await readProtectedForm(context);
  const action = form.get("do");
  if (action === "stop") {
    await check.stop();
    return redirect("POST", progressPath(context, client.id));
  }
  if (action !== "start") throw reject("DI-03", { expected: "start or stop", sent: action });
  const values = Object.fromEntries(Object.keys(fields).map((name) => [name, form.get(name) ?? ""]));
  try {
    await check.start(readOptions(client.id, form), context.server.issuer);
  } catch (error) {
    if (error instanceof CheckRunningError) {
      return await showPage(context, check, client, { status: 409, values, problem: error.message });
    }
    if (!(error instanceof ConfigurationError)) throw error;
    const errors = error.issues.map(({ path, ...issue }) => ({ ...issue, field: path }));
    return await showPage(context, check, client, { status: 400, values, errors });
  }
  return redirect("POST", progressPath(context, client.id));
}

export function showReport({ site }: Context, check: ClientCheck, report: CheckReport): HttpResponse {
  const { client } = check.state();
  const path = `/clients/${encodeURIComponent(client ?? "")}`;
  const page = renderPage(CheckReportPage, {
    ...site,
    ...viewReport(describeReport(report), { journeyPath: (index) => `/flows/check/${index + 1}` }),
    actions: client === undefined
      ? []
      : [{ label: "Back to the client", path }, { label: "Check the client again", path: `${path}/check` }],
  });
  return html(200, page);
}

/** The flow of one journey, by its number in the report: as a page, or as an export. */
export async function showJourney(context: Context, { results }: CheckReport): Promise<HttpResponse> {
  const { path } = context.target;
  const { number, form } = /\/(?<number>\d+)(?:\.(?<form>md|sh))?$/.exec(path)?.groups ?? {};
  const result = results[Number(number) - 1];
  const exchanges = result?.evidence.exchanges ?? [];
  const [first] = exchanges;
  if (result === undefined || first === undefined) {
    throw new HttpError(404, "HT-01", "The check has no flow with this number", {
      fix: "Choose a flow in the report at /flows/check.",
    });
  }
  const { client } = exchanges.find((exchange) => exchange.client !== undefined) ?? {};
  const flow = { id: `check/${number}`, startedAt: first.at, client, outcome: exchanges.at(-1)!.outcome, exchanges };
  const list = { label: "Report of the check", path: "/flows/check" };
  return await showFlow(context, flow, { form, about: { label: formatId(result.attack.id, result.values), list } });
}

async function showPage(
  context: Context,
  check: ClientCheck,
  client: Client,
  { status = 200, values, errors = [], problem }: Shown,
): Promise<HttpResponse> {
  const browser = await ensureBrowserCookie(context);
  const state = check.state();
  const page = renderPage(ClientCheckPage, {
    ...context.site,
    client: { id: client.id, name: client.name, href: clientPath(context, client.id) },
    form: { values, errors, csrfToken: await browserCsrfToken(context, browser) },
    problem,
    reportPath: state.client === client.id && check.report() !== undefined ? "/flows/check" : undefined,
    ...state.status === "running" && state.client === client.id && { progress: state },
  });
  return htmlWithForms(status, page, browser.headers);
}

/** The client of the path. @throws {HttpError} 404 if there is none that can be checked. */
async function findClient({ server, site, target }: Context): Promise<Client> {
  const [, encoded] = /^\/clients\/([^/]+)\/check$/.exec(target.path.slice(site.base.length)) ?? [];
  if (encoded === undefined) throw new HttpError(404, "HT-01", "This address does not exist");
  const client = await server.clients.registered.find(decode(encoded));
  if (client?.standing === "configured" && client.redirectUris.some(isTestUrl)) return client;
  throw new HttpError(404, "HT-01", "No configured client with a redirect URI on a test host has this ID", {
    fix: "Choose a client of the list at /clients.",
  });
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return "";
  }
}

/**
 * The values of the last check of the client; before it, a login URL at the origin of its redirect URI, unless that is
 * this server.
 */
function proposedValues(
  { server }: Context,
  { id, redirectUris }: Client,
  check: ClientCheck,
): Record<string, string> {
  const last = check.options();
  if (last?.client === id) {
    const values = last as unknown as Readonly<Record<string, unknown>>;
    return Object.fromEntries(Object.keys(fields).map((name) => [name, [values[name] ?? ""].flat().join(" ")]));
  }
  const own = serverOrigins(server);
  const local = redirectUris.find((uri) => isTestUrl(uri) && !own.includes(new URL(uri).origin));
  return local === undefined ? {} : { loginUrl: new URL("/login", local).href };
}

/** The options of a form; a field without a value is left out. */
function readOptions(client: string, form: Params): ClientCheckOptions {
  const given = Object.entries(fields).flatMap(([name, { type }]) => {
    const text = (form.get(name) ?? "").trim();
    if (text === "") return [];
    return [[name, type === "array" ? text.split(/[\s,]+/) : text]];
  });
  return { client, loginUrl: "", ...Object.fromEntries(given) };
}

const clientPath = ({ site }: Context, id: string) => `${site.base}/clients/${encodeURIComponent(id)}`;

const progressPath = (context: Context, id: string) => `${clientPath(context, id)}/check?progress`;
