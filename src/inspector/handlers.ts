/** What the pages of the inspector answer; loaded when somebody comes to look. */

import { serveAsset } from "../site/static_files.ts";
import { recogniseBrowser } from "../app/browser_cookie.ts";
import { demoClientsOf } from "../site/demo_client.ts";
import { editToken, readEdit } from "../app/csrf.ts";
import type { Desk } from "../app/endpoint.ts";
import { HttpFault } from "../http/http_error.ts";
import type { Incoming, Reply } from "../http/message.ts";
import { htmlWithForms, redirect } from "../http/responses.ts";
import { OAuthError } from "../oauth/errors.ts";
import { hasTestHost } from "../oauth/config/settings.ts";
import type { Flow } from "../recorder/exchange.ts";
import { asFixture } from "../recorder/export/fixture.ts";
import { asHar } from "../recorder/export/har.ts";
import type { Recorder } from "../recorder/recorder.ts";
import { asText } from "../recorder/export/text.ts";
import { describeFlow, stepsPerPage } from "./flow.ts";
import { describeList } from "./list.ts";

/** GET /flows. */
export async function showList(here: Desk, request: Incoming, recorder: Recorder, query: string): Promise<Reply> {
  const browser = await recogniseBrowser(here, request);
  const { flowPages } = await import("../ui/flows/mod.ts");
  const page = flowPages.list({
    ...here.site,
    ...describeList(recorder.flows(), new URLSearchParams(query)),
    recording: recorder.recording,
    start: demoClientsOf(here).length > 0 ? "/start" : undefined,
    formToken: await editToken(here, browser),
  });
  return htmlWithForms(200, page, browser.headers);
}

/** POST /flows: stops and starts recording, or forgets everything. */
export async function changeAll(here: Desk, request: Incoming, recorder: Recorder): Promise<Reply> {
  const wish = (await readEdit(here, request)).get("do");
  if (wish === "delete") recorder.clear();
  else if (wish === "stop" || wish === "record") recorder.recording = wish === "record";
  else throw unknownWish("delete, stop or record", wish);
  return redirect("POST", `${here.site.base}/flows`);
}

/** GET /flows/{id}, its exports, and the files of these pages. */
export async function showOne(
  here: Desk,
  request: Incoming,
  recorder: Recorder,
  name: string,
  query: string,
): Promise<Reply> {
  const { flowPages } = await import("../ui/flows/mod.ts");
  if (Object.hasOwn(flowPages.assets, name)) return serveAsset(request, flowPages.assets[name]!);
  const { id, form } = /^(?<id>\d+)(?:\.(?<form>har|txt|json))?$/.exec(name)?.groups ?? {};
  const flow = find(recorder, id);
  const { server, site } = here;
  if (form !== undefined) return take(server.issuer, flow, form);
  const wishes = new URLSearchParams(query);
  const mayReveal = hasTestHost(server.issuer);
  const secrets = mayReveal && wishes.get("show") === "secrets";
  const browser = await recogniseBrowser(here, request);
  const page = flowPages.flow({
    ...site,
    ...await describeFlow(server, flow, Number(wishes.get("from")) || 1, { secrets, now: server.now() }),
    secrets: secrets ? "shown" : mayReveal ? "masked" : "never",
    formToken: await editToken(here, browser),
  });
  return htmlWithForms(200, page, browser.headers);
}

/** POST /flows/{id}: forgets it. */
export async function changeOne(here: Desk, request: Incoming, recorder: Recorder, id: string): Promise<Reply> {
  const wish = (await readEdit(here, request)).get("do");
  if (wish !== "delete") throw unknownWish("delete", wish);
  recorder.clear(find(recorder, id).id);
  return redirect("POST", `${here.site.base}/flows`);
}

/** GET /flows/of/{number}: leads to the step that an exchange is, from the page that was its answer. */
export function findStep({ site }: Desk, recorder: Recorder, number: string): Reply {
  const exchange = recorder.exchanges().find((one) => String(one.number) === number);
  const flow = exchange?.flow === undefined ? undefined : recorder.flow(exchange.flow);
  if (flow === undefined) throw gone();
  const step = flow.exchanges.findIndex((one) => one.number === exchange!.number) + 1;
  const from = step > stepsPerPage ? `?from=${step}` : "";
  return redirect("GET", `${site.base}/flows/${flow.id}${from}#step-${step}`);
}

function find(recorder: Recorder, id: string | undefined): Flow {
  const flow = id === undefined ? undefined : recorder.flow(id);
  if (flow === undefined) throw gone();
  return flow;
}

function gone(): HttpFault {
  return new HttpFault(404, "HT-01", "No such flow is remembered: it was deleted, or newer ones have taken its place");
}

function unknownWish(expected: string, received = "nothing"): OAuthError {
  return new OAuthError("invalid_request", "do says nothing that can be done here", {
    rule: "FL-04",
    expected,
    received,
  });
}

/** A flow to take away. Secrets are masked, because what is taken away is shown to others. */
function take(issuer: string, flow: Flow, form: string): Reply {
  const name = `flow-${flow.id}.${form}`;
  const [type, body] = form === "txt" ? ["text/plain; charset=utf-8", asText(flow)] : [
    "application/json",
    JSON.stringify(form === "har" ? asHar(flow.exchanges, { issuer }) : asFixture(flow), null, 2),
  ];
  return {
    status: 200,
    headers: {
      "content-type": type,
      // What can be read in a browser is shown there.
      "content-disposition": `${form === "txt" ? "inline" : "attachment"}; filename="${name}"`,
      "cache-control": "no-store",
      "x-content-type-options": "nosniff",
    },
    body: `${body.trimEnd()}\n`,
  };
}
