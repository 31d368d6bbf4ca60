/** Request handlers of the inspector, loaded at the first visit. */

import { ensureBrowserCookie } from "../../core/sessions/browser_cookie.ts";
import { appOf } from "../../server/app.ts";
import { callbackClients } from "../../core/demo/demo_flow.ts";
import { fixLink, mayListClients } from "../../server/errors/client_change.ts";
import { browserCsrfToken, readProtectedForm } from "../../server/pages/csrf.ts";
import type { Context } from "../../core/http/context.ts";
import type { Site } from "../../server/pages/layout.tsx";
import { HttpError, type HttpResponse, json, redirect } from "../../core/http/message.ts";
import { htmlWithForms } from "../../platform/http/response.ts";
import { isSameOrigin } from "../../server/pages/same_origin.ts";
import { reject } from "../../server/rules/mod.ts";
import type { Exchange, Flow } from "../../recorder/exchange.ts";
import { toFlowData } from "../../recorder/export/flow_data.ts";
import type { Recorder } from "../../recorder/recorder.ts";
import { formatFlowMarkdown } from "../../recorder/export/markdown.ts";
import { renderPage } from "../../core/pages/render_page.ts";
import { FlowDetails as FlowPage } from "./pages/flow.tsx";
import { List } from "./pages/list.tsx";
import type { FlowProps } from "./pages/props.ts";
import {
  describeFlow,
  findCheckOrder,
  findFailure,
  type FindHelp,
  rejectsClient,
  stepPath,
  summarizeFlow,
} from "./flow.ts";
import { curlCommand } from "./curl.ts";
import { type DocumentRequests, findDocumentRequests } from "./documents.ts";
import { findMessages } from "../messages/find_messages.ts";
import { whatServerSaw } from "../messages/what_server_saw.ts";
import { sinceSuccess } from "./last_success.ts";
import { formatFlowDocument } from "./flow_document.ts";
import { describeList, exportedFlows, flowKinds, selectFlows } from "./list.ts";
import { suggestMatch } from "../../server/explain/suggest_match.ts";
import { withVisibleTexts } from "../../server/explain/visible_text.ts";
import { findHostWarning } from "../../server/hosting/other_host.ts";

/** What the visitor may see beside a rejection. */
function findHelp(context: Context): FindHelp {
  return (explanation) => ({
    change: fixLink(context, explanation.change),
    suggestion: mayListClients(context) ? suggestMatch(context.server, explanation) : undefined,
  });
}

/** GET /flows. */
export async function showList(context: Context, recorder: Recorder): Promise<HttpResponse> {
  const browser = await ensureBrowserCookie(context);
  const { server } = context;
  const query = new URLSearchParams(context.target.query);
  // A search is expensive, and a page of another site may have a hundred of them as images.
  const leftOutSearch = isSameOrigin(context.request, server.names.frontChannel) ? null : query.get("q");
  if (leftOutSearch !== null) query.delete("q");
  const list = describeList(recorder, server, query);
  const selected = findShown(recorder, query.get("flow"));
  // After a restart, clients read the metadata again: a login before that says more.
  const first = list.rows.flat().find(({ document, rejection }) => document === undefined || rejection !== undefined) ??
    list.rows[0]?.[0];
  const pane = selected ?? (first && findFlow(recorder, first.id));
  const page = renderPage(
    List,
    withVisibleTexts({
      ...context.site,
      ...list,
      selected: selected?.id,
      pane: pane && summarizeFlow(pane, server, findHelp(context)),
      recording: recorder.recording,
      leftOut: recorder.leftOut,
      leftOutSearch: leftOutSearch || undefined,
      hasTokens: server.policy.allows.openTools,
      start: (await callbackClients(context)).length > 0 ? "/start" : undefined,
      csrfToken: await browserCsrfToken(context, browser),
    }),
  );
  return htmlWithForms(200, page, browser.headers);
}

/**
 * GET /flows.json: the flows of the list with their exchanges; for a `q` that is an error text, what the server saw of
 * it. Programs of this machine read it, pages of other sites
 * do not.
 */
export function exportList(context: Context, recorder: Recorder): HttpResponse {
  const { server, request, target } = context;
  const query = new URLSearchParams(target.query);
  const secrets = query.get("show") === "secrets";
  if (secrets && !appOf(context).server.policy.insecure.includes("show-secrets")) {
    throw new HttpError(403, "FL-03", 'show=secrets requires "show-secrets" in the setting insecure', {
      fix: 'Remove show, or add "show-secrets" to insecure in the configuration file.',
    });
  }
  if (!isSameOrigin(request, server.names.frontChannel)) {
    throw new HttpError(403, "FL-03", "A page of another site may not read the list of flows");
  }
  const outcome = query.get("outcome") ?? "";
  if (outcome !== "" && !flowKinds.some((kind) => kind === outcome)) {
    // A program that reads every flow instead of the rejected ones would not notice.
    throw new HttpError(400, "FL-01", "outcome is unknown", {
      expected: flowKinds.join(", "),
      received: outcome,
    });
  }
  const { groups, older } = selectFlows(recorder, server, query, exportedFlows);
  const flows = groups.flat().map(({ flow, redacted, row: { id, at, user, status, warning } }) => ({
    ...{ id, at: new Date(at).toISOString(), user, status: status.label, warning },
    ...toFlowData(secrets ? flow : redacted),
  }));
  const seen = findMessages(query.get("q") ?? "").flatMap(({ problem }) => whatServerSaw(problem, recorder, server));
  return json(200, { flows, older, ...seen.length > 0 && { seen } }, { "cross-origin-resource-policy": "same-origin" });
}

/** POST /flows: stops and starts recording, or deletes all flows. */
export async function changeRecording(context: Context, recorder: Recorder): Promise<HttpResponse> {
  const action = (await readProtectedForm(context)).get("do");
  if (action === "delete") recorder.clear();
  else if (action === "stop" || action === "record") recorder.recording = action === "record";
  else throw reject("FL-04", { expected: "delete, stop or record", sent: action });
  return redirect("POST", `${context.site.base}/flows`);
}

/** GET /flows/{id} and its exports. */
export async function showOne(context: Context, recorder: Recorder, name: string): Promise<HttpResponse> {
  const { id, form } = /^(?<id>d?\d+)(?:\.(?<form>html|md|sh))?$/.exec(name)?.groups ?? {};
  const flow = findFlow(recorder, id);
  return await showFlow(context, flow, {
    form,
    isRecorded: true,
    sinceSuccess: sinceSuccess(recorder.flows(), flow),
  });
}

/** What the page of a flow has besides its exchanges. */
interface FlowView extends Pick<FlowProps, "about" | "sinceSuccess"> {
  /** The export, instead of the page: `html`, `md` or `sh`. */
  readonly form?: string;
  /** Whether this server recorded it. Default: false. */
  readonly isRecorded?: boolean;
}

/** A flow as a page or an export; also one that no recorder has any more, such as that of an attack of a check. */
export async function showFlow(
  context: Context,
  flow: Flow | DocumentRequests,
  { form, isRecorded = false, ...view }: FlowView,
): Promise<HttpResponse> {
  const { server, target: { query } } = context;
  const site: Site = context.site;
  const params = new URLSearchParams(query);
  if (form === "html") return exportResponse(flow, form, await formatFlowDocument(appOf(context), flow));
  if (form !== undefined) {
    const step = Number(params.get("step") || 1);
    return exportResponse(
      flow,
      form,
      form === "md" ? formatFlowMarkdown(flow, findFailure(flow.exchanges)) : formatCommand(server.issuer, flow, step),
    );
  }
  const canShowSecrets = server.policy.allows.openTools;
  const secrets = canShowSecrets && params.get("show") === "secrets";
  const browser = await ensureBrowserCookie(context);
  const [from, step] = ["from", "step"].map((name) => Number(params.get(name)) || undefined);
  const page = renderPage(
    FlowPage,
    withVisibleTexts({
      ...site,
      ...await describeFlow(server, flow, { from, step }, {
        ...{ secrets, now: server.now() },
        findHelp: findHelp(context),
        checkOrder: (exchange) => findCheckOrder(appOf(context), exchange),
        // Only what this server has recorded has a reference.
        canCheck: isRecorded && canShowSecrets,
      }),
      ...view,
      hostWarning: isRecorded && !("count" in flow) ? findHostWarning(context) : undefined,
      secrets: secrets ? "shown" as const : canShowSecrets ? "masked" as const : "never" as const,
      csrfToken: await browserCsrfToken(context, browser),
    }),
  );
  return htmlWithForms(200, page, browser.headers);
}

/** POST /flows/{id}: deletes the flow. */
export async function deleteFlow(context: Context, recorder: Recorder, id: string): Promise<HttpResponse> {
  const action = (await readProtectedForm(context)).get("do");
  if (action !== "delete") throw reject("FL-04", { expected: "delete", sent: action });
  recorder.clear(findFlow(recorder, id).id);
  return redirect("POST", `${context.site.base}/flows`);
}

/**
 * GET /flows/of/{number}: redirects from the number of an exchange to its step; if it was rejected, to the top of the
 * page, which begins with the reason.
 */
export function redirectToStep({ site }: Context, recorder: Recorder, number: string): HttpResponse {
  const isMeant = (candidate: Exchange) => String(candidate.number) === number;
  const exchange = recorder.exchanges().find(isMeant);
  const flow = findShown(recorder, exchange?.flow ?? `d${number}`);
  // Of repeated requests for a document, the newest stands for those that are not shown.
  const step = flow && ("count" in flow ? 1 : flow.exchanges.findIndex(isMeant) + 1);
  if (!flow || !step) {
    throw notRecorded("This request is not recorded: it was deleted, newer ones replaced it, or the server restarted");
  }
  const path = site.base + stepPath(flow, step);
  return redirect("GET", rejectsClient(flow.exchanges[step - 1]!) ? path.replace(/#.*/, "") : path);
}

/** A flow, or the requests for a document, by its ID. @throws {HttpError} 404 if there is none. */
function findFlow(recorder: Recorder, id: string | undefined): Flow | DocumentRequests {
  const flow = findShown(recorder, id);
  if (flow === undefined) throw notRecorded("This flow is not recorded: it was deleted, or newer flows replaced it");
  return flow;
}

function findShown(recorder: Recorder, id: string | null | undefined): Flow | DocumentRequests | undefined {
  return id ? recorder.flow(id) ?? findDocumentRequests(recorder, id) : undefined;
}

function notRecorded(reason: string): HttpError {
  return new HttpError(404, "HT-01", reason, {
    fix: "Send the request again, or choose a flow that /flows lists.",
  });
}

/** An export of a flow, or of one step. Secrets are always redacted, because users share exports. */
function exportResponse(flow: Flow, format: string, text: string): HttpResponse {
  const name = `flow-${flow.id.replace("/", "-")}.${format}`;
  const isFile = format === "html";
  return {
    status: 200,
    headers: {
      // Also Markdown and commands are plain text, so that browsers display them.
      "content-type": `text/${isFile ? "html" : "plain"}; charset=utf-8`,
      "content-disposition": `${isFile ? "attachment" : "inline"}; filename="${name}"`,
      "cache-control": "no-store",
      "x-content-type-options": "nosniff",
    },
    body: `${text.trimEnd()}\n`,
  };
}

/** A step as a curl command. @throws {HttpError} 404 if the flow has no such step, or the step no command. */
function formatCommand(issuer: string, flow: Flow, step: number): string {
  const exchange = flow.exchanges[step - 1];
  const received = `step ${step}`;
  if (exchange === undefined) {
    throw new HttpError(404, "HT-01", "The flow has no such step", {
      expected: flow.exchanges.length === 1 ? "step 1" : `a step from 1 to ${flow.exchanges.length}`,
      received,
      fix: "Choose a step on the page of the flow.",
    });
  }
  const command = curlCommand(exchange, new URL(issuer).origin);
  if (command !== undefined) return command;
  throw new HttpError(404, "HT-01", "This step has no curl command", {
    expected: "a step with a body that was recorded whole and has no U+0000",
    received,
    fix: "Read the request of the step on the page of the flow.",
  });
}
