/** Request handlers of the inspector, loaded at the first visit. */

import { assetResponse } from "../site/static_files.ts";
import { ensureBrowserCookie } from "../app/browser_cookie.ts";
import { callbackClients } from "../site/demo_client.ts";
import { browserCsrfToken, readProtectedForm } from "../app/csrf.ts";
import type { Context } from "../app/context.ts";
import { HttpError } from "../http/http_error.ts";
import type { HttpResponse } from "../http/message.ts";
import { htmlWithForms, redirect } from "../http/responses.ts";
import { OAuthError } from "../oauth/errors.ts";
import { hasTestHost } from "../oauth/config/settings.ts";
import type { Flow } from "../recorder/exchange.ts";
import { toFixture } from "../recorder/export/fixture.ts";
import { toHar } from "../recorder/export/har.ts";
import type { Recorder } from "../recorder/recorder.ts";
import { formatFlow } from "../recorder/export/text.ts";
import { describeFlow, type ShownSteps, stepQuery, summarizeFlow } from "./flow.ts";
import { type DocumentRequests, findDocumentRequests } from "./documents.ts";
import { describeHabits } from "./habits.ts";
import { describeList, recentRows } from "./list.ts";

/** GET /flows. */
export async function showList(context: Context, recorder: Recorder): Promise<HttpResponse> {
  const browser = await ensureBrowserCookie(context);
  const { flowPages } = await import("../ui/flows/mod.ts");
  const { issuer } = context.server;
  const list = describeList(recorder, issuer, new URLSearchParams(context.target.query));
  const [first] = list.rows;
  const page = flowPages.list({
    ...context.site,
    ...list,
    newest: first && summarizeFlow(findFlow(recorder, first.id), issuer),
    recording: recorder.recording,
    start: (await callbackClients(context)).length > 0 ? "/start" : undefined,
    csrfToken: await browserCsrfToken(context, browser),
  });
  return htmlWithForms(200, page, browser.headers);
}

/** POST /flows: stops and starts recording, or deletes all flows. */
export async function changeRecording(context: Context, recorder: Recorder): Promise<HttpResponse> {
  const action = (await readProtectedForm(context)).get("do");
  if (action === "delete") recorder.clear();
  else if (action === "stop" || action === "record") recorder.recording = action === "record";
  else throw unknownAction("delete, stop or record", action);
  return redirect("POST", `${context.site.base}/flows`);
}

/** GET /flows/{id}, its exports, and the style sheets and scripts of these pages. */
export async function showOne(context: Context, recorder: Recorder, name: string): Promise<HttpResponse> {
  const { flowPages } = await import("../ui/flows/mod.ts");
  if (Object.hasOwn(flowPages.assets, name)) return assetResponse(context.request, flowPages.assets[name]!);
  const { id, form } = /^(?<id>d?\d+)(?:\.(?<form>har|txt|json))?$/.exec(name)?.groups ?? {};
  const flow = findFlow(recorder, id);
  const { server, site, target: { query } } = context;
  if (form !== undefined) return exportFlow(server.issuer, flow, form);
  const params = new URLSearchParams(query);
  const canShowSecrets = hasTestHost(server.issuer);
  const secrets = canShowSecrets && params.get("show") === "secrets";
  const browser = await ensureBrowserCookie(context);
  const page = flowPages.flow({
    ...site,
    ...await describeFlow(server, flow, readShownSteps(params), {
      ...{ secrets, now: server.now() },
      editPath: canShowSecrets ? `${site.base}/flows/edit` : undefined,
    }),
    habits: "count" in flow
      ? undefined
      : await describeHabits(server, recorder, flow, site.base, params.get("habits") === "all"),
    recent: recentRows(recorder, server.issuer, flow.id),
    secrets: secrets ? "shown" : canShowSecrets ? "masked" : "never",
    csrfToken: await browserCsrfToken(context, browser),
  });
  return htmlWithForms(200, page, browser.headers);
}

function readShownSteps(params: URLSearchParams): ShownSteps {
  const [from, step] = ["from", "step"].map((name) => Number(params.get(name)) || undefined);
  return { from, step };
}

/** POST /flows/{id}: deletes the flow. */
export async function deleteFlow(context: Context, recorder: Recorder, id: string): Promise<HttpResponse> {
  const action = (await readProtectedForm(context)).get("do");
  if (action !== "delete") throw unknownAction("delete", action);
  recorder.clear(findFlow(recorder, id).id);
  return redirect("POST", `${context.site.base}/flows`);
}

/** GET /flows/of/{number}: redirects from the number of an exchange to its step. */
export function redirectToStep({ site }: Context, recorder: Recorder, number: string): HttpResponse {
  const exchange = recorder.exchanges().find((candidate) => String(candidate.number) === number);
  const flow = findFlow(recorder, exchange?.flow ?? `d${number}`);
  // Of repeated requests, the newest stands for those that are not shown.
  const step = flow.exchanges.findIndex((candidate) => String(candidate.number) === number) + 1 ||
    flow.exchanges.length;
  return redirect("GET", `${site.base}/flows/${flow.id}${stepQuery(flow, step)}#step-${step}`);
}

/** A flow, or the requests for a document, by its ID. @throws {HttpError} 404 if it is not recorded. */
function findFlow(recorder: Recorder, id: string | undefined): Flow | DocumentRequests {
  const flow = id === undefined ? undefined : recorder.flow(id) ?? findDocumentRequests(recorder, id);
  if (flow === undefined) throw flowNotFound();
  return flow;
}

function flowNotFound(): HttpError {
  return new HttpError(404, "HT-01", "This flow is not recorded: it was deleted, or newer flows replaced it");
}

function unknownAction(expected: string, received = "nothing"): OAuthError {
  return new OAuthError("invalid_request", "unknown value of do", { rule: "FL-04", expected, received });
}

/** An export of a flow. Secrets are always redacted, because users share exports. */
function exportFlow(issuer: string, flow: Flow, format: string): HttpResponse {
  const name = `flow-${flow.id}.${format}`;
  const [type, body] = format === "txt" ? ["text/plain; charset=utf-8", formatFlow(flow)] : [
    "application/json",
    JSON.stringify(format === "har" ? toHar(flow.exchanges, { issuer }) : toFixture(flow), null, 2),
  ];
  return {
    status: 200,
    headers: {
      "content-type": type,
      // Text has no `content-disposition`, so that browsers display it.
      "content-disposition": `${format === "txt" ? "inline" : "attachment"}; filename="${name}"`,
      "cache-control": "no-store",
      "x-content-type-options": "nosniff",
    },
    body: `${body.trimEnd()}\n`,
  };
}
