/** GET and POST /flows/edit/{number}: edits a recorded request and sends it again, as an experiment of its flow. */

import { appOf } from "../../../server/app.ts";
import { ensureBrowserCookie } from "../../../core/sessions/browser_cookie.ts";
import { browserCsrfToken, readProtectedForm } from "../../../server/pages/csrf.ts";
import type { Context } from "../../../core/http/context.ts";
import { repeatedHost } from "../../repeated_host.ts";
import type { Fields } from "../../../core/http/form.ts";
import { HttpError, type HttpResponse, isDropped, isResponse, redirect } from "../../../core/http/message.ts";
import { htmlWithForms } from "../../../platform/http/response.ts";
import { encodeFormValue } from "../../../core/clients/redirect_uri.ts";
import { readLimited } from "../../../server/fetching/outbound.ts";
import type { Exchange } from "../../../recorder/exchange.ts";
import type { Recorder } from "../../../recorder/recorder.ts";
import { redactFlow } from "../../../recorder/redact.ts";
import { renderPage } from "../../../core/pages/render_page.ts";
import { Edit, type EditProps } from "../pages/edit.tsx";
import { exchangeTitle } from "../labels.ts";
import type { Masked } from "../message.ts";
import { withVisibleTexts } from "../../../server/explain/visible_text.ts";
import { editableRequest, isEditable } from "./editable.ts";
import { type EditedRequest, readEdited, readRows, recordedRows } from "./edited.ts";
import type { PendingExperiments } from "./pending_experiments.ts";

/** Maximum number of bytes to read of the response to an edited request. */
const maxResponseBytes = 64 * 1024;

/** GET: the recorded request as a form. */
export async function showEditForm(context: Context, recorder: Recorder, number: string): Promise<HttpResponse> {
  const exchange = findEditable(recorder, number);
  const recorded = editableRequest(exchange);
  return await render(context, exchange, 200, {
    query: recordedRows(recorded, "query"),
    form: recordedRows(recorded, "form"),
    headers: recorded.inBrowser ? [] : recordedRows(recorded, "headers"),
    body: recorded.body?.shown,
    errors: [],
    isRecording: recorder.recording,
  });
}

/** POST: sends the edited request, or leads the browser to it; then leads to its step. */
export async function sendEdited(
  context: Context,
  recorder: Recorder,
  pending: PendingExperiments,
  number: string,
): Promise<HttpResponse> {
  const params = await readProtectedForm(context);
  const exchange = findEditable(recorder, number);
  const recorded = editableRequest(exchange);
  const { request, errors } = readEdited(params, recorded);
  const rejected = async (allErrors: EditProps["errors"]) =>
    await render(context, exchange, 400, {
      query: readRows(params, recorded, "query"),
      form: readRows(params, recorded, "form"),
      headers: recorded.inBrowser ? [] : readRows(params, recorded, "headers"),
      body: recorded.body && params.get("body"),
      errors: allErrors,
      isRecording: recorder.recording,
    });
  if (errors.length > 0) return await rejected(errors);
  const { base } = context.site;
  if (recorded.inBrowser) {
    const target = withQuery(recorded.path, [...request.query, ...request.form]);
    pending.add(target, exchange.original.number);
    return redirect("POST", target);
  }
  const sent = await sendToItself(context, recorder, exchange.original, request);
  if (sent === undefined) {
    const hint = "Leave out each part that a request with this method cannot have.";
    const received = "a request that cannot be sent";
    return await rejected([{ field: "send", expected: "a request that HTTP allows", received, hint }]);
  }
  const outcome = recorder.findExchange(sent);
  return redirect("POST", outcome === undefined ? `${base}/flows` : `${base}/flows/of/${outcome.number}`);
}

/** Sends a request to an endpoint of this server, in process; `undefined` if it is no HTTP request. */
async function sendToItself(
  context: Context,
  recorder: Recorder,
  { number, request: { method, path } }: Exchange,
  { query, form, headers, body }: EditedRequest,
): Promise<Request | undefined> {
  const { server, target } = context;
  let request: Request;
  try {
    const sentBody = form.length > 0 ? encodeFields(form) : body;
    request = new Request(withQuery(server.names.backChannel + path, query), {
      method,
      headers: [...headers, ...repeatedHost(context.request)].map(([name, value]): [string, string] => [name, value]),
      ...method === "POST" || method === "PUT" ? { body: sentBody ?? "" } : {},
    });
  } catch {
    return undefined;
  }
  recorder.markExperiment(request, number);
  try {
    const response = await appOf(context).dispatch(request, target.clientAddress);
    if (isResponse(response) && !isDropped(response)) await readBody(response);
  } catch {
    // The recorder has the outcome: no response, one that broke off, or the start of a long one.
  }
  return request;
}

/** Reads a body, because the recorder records what is read. An event stream may have no end, so it is cancelled. */
async function readBody(response: Response): Promise<void> {
  const isStream = /^text\/event-stream\b/i.test(response.headers.get("content-type") ?? "");
  if (isStream) response.body?.cancel().catch(() => {});
  else await readLimited(response, maxResponseBytes);
}

function withQuery(path: string, fields: Fields): string {
  return fields.length === 0 ? path : `${path}?${encodeFields(fields)}`;
}

function encodeFields(fields: Fields): string {
  return fields.map(([name, value]) => `${encodeFormValue(name)}=${encodeFormValue(value)}`).join("&");
}

function findEditable(recorder: Recorder, number: string): Masked<Exchange> {
  const found = recorder.exchanges().find((candidate) => String(candidate.number) === number);
  const flow = found?.flow === undefined ? undefined : recorder.flow(found.flow);
  const index = flow?.exchanges.findIndex((candidate) => candidate.number === found!.number) ?? -1;
  if (flow === undefined || index < 0 || !isEditable(flow.exchanges[index]!)) {
    throw new HttpError(404, "HT-01", "This request is no longer recorded, or only a user can send it again", {
      fix: "Choose a request in a flow of /flows, or begin a new login.",
    });
  }
  return { original: flow.exchanges[index]!, masked: redactFlow(flow).exchanges[index]! };
}

async function render(
  context: Context,
  { original, masked }: Masked<Exchange>,
  status: number,
  values: Pick<EditProps, "query" | "form" | "headers" | "body" | "errors" | "isRecording">,
): Promise<HttpResponse> {
  const browser = await ensureBrowserCookie(context);
  const { method, path } = masked.request;
  const page = renderPage(
    Edit,
    withVisibleTexts({
      ...context.site,
      ...values,
      number: original.number,
      title: exchangeTitle(masked),
      line: `${method} ${path}`,
      hasForm: method === "POST" && values.body === undefined,
      inBrowser: original.endpoint === "authorize",
      csrfToken: await browserCsrfToken(context, browser),
    }),
  );
  return htmlWithForms(status, page, browser.headers);
}
