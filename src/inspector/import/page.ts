/** GET and POST /flows/import: opens the file of an exported flow. */

import { ensureBrowserCookie } from "../../app/browser_cookie.ts";
import { browserCsrfToken, readProtectedUpload } from "../../app/csrf.ts";
import type { Context } from "../../app/context.ts";
import { withVisibleTexts } from "../../app/visible_text.ts";
import { htmlWithForms, type HttpResponse, redirect } from "../../http/message.ts";
import type { ShownFlows } from "../handlers.ts";
import { maxImportedFlows } from "./imported_flows.ts";
import { readFlowFile } from "./read_file.ts";
import type { ImportProps } from "../../ui/flows/import.tsx";

/** Maximum size of an uploaded file, in bytes. */
const maxFileBytes = 1024 * 1024;

/** Maximum size of the rest of the form, in bytes. */
const maxFormBytes = 4096;

/** GET: the form. */
export async function showImportForm(context: Context): Promise<HttpResponse> {
  return await render(context, 200, []);
}

/** POST: imports the file, or else the pasted text, and leads to the page of the flow. */
export async function importFlow(context: Context, { recorder, imported }: ShownFlows): Promise<HttpResponse> {
  const params = await readProtectedUpload(context, maxFileBytes + maxFormBytes);
  const text = params.get("file") ?? params.get("text");
  if (text === undefined) {
    const hint = "Choose a file, or paste the JSON text.";
    return await render(context, 400, [{ path: "file", expected: "an exported flow", received: "nothing", hint }]);
  }
  const now = context.server.now();
  const { flow, issues } = readFlowFile(text, { endpoints: recorder.endpoints, now });
  if (flow === undefined) return await render(context, 400, issues);
  const { id } = imported.add(flow, { now, newest: recorder.exchanges().at(-1)?.number ?? 0 });
  return redirect("POST", `${context.site.base}/flows/${id}`);
}

async function render(context: Context, status: number, issues: ImportProps["issues"]): Promise<HttpResponse> {
  const browser = await ensureBrowserCookie(context);
  const { flowPages } = await import("../../ui/flows/mod.ts");
  const page = flowPages.importForm(withVisibleTexts({
    ...context.site,
    issues,
    maxFileMiB: maxFileBytes / 1024 / 1024,
    maxFlows: maxImportedFlows,
    csrfToken: await browserCsrfToken(context, browser),
  }));
  return htmlWithForms(status, page, browser.headers);
}
