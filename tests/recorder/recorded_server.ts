/** Servers with a recorder outermost, one of them with login and consent pages of its own, and what they remember. */

import type { Approver, Plugin } from "../../src/mod.ts";
import type { Context } from "../../src/server/endpoint.ts";
import type { Endpoint } from "../../src/server/extension.ts";
import { readForm } from "../../src/core/http/form.ts";
import { html, type HttpRequest, redirect } from "../../src/core/http/message.ts";
import type { Exchange } from "../../src/recorder/exchange.ts";
import { type Recorder, recorder, type RecorderOptions } from "../../src/recorder/recorder.ts";
import { testClients } from "../server/client_endpoints.ts";
import { encode, type Fields, type TestServer, testServer } from "../kit.ts";

/** A server under test, and what is remembered of it. */
export interface RecordedServer {
  readonly server: TestServer;
  readonly recorder: Recorder;
}

/** The test clients, a recorder, and further inner plugins. */
export async function recordedServer(
  options: RecorderOptions = {},
  ...inner: readonly Plugin[]
): Promise<RecordedServer> {
  const record = recorder(options);
  return { recorder: record, server: await testServer({ ...testClients, plugins: [record, ...inner] }) };
}

/** Records a fault as a server does: by its event, with the request. */
export function recordFault(recorder: Recorder, request: HttpRequest, fault: string): void {
  recorder.onEvent!({ type: "fault_applied", at: 0, endpoint: "/", fault }, { request } as Context);
}

/** A server with its own login and consent pages, which come as Responses in parts. */
export async function interactiveServer(): Promise<RecordedServer> {
  const record = recorder();
  const pending = new Map<string, string>();
  let interactionCount = 0;
  const approver: Approver = (request, { users, now, httpRequest }) => {
    const { search } = new URL(httpRequest.url);
    const interaction = new URLSearchParams(search).get("interaction");
    const user = [...users.known().values()][0]!;
    if (interaction !== null) return { user, scope: request.scope, authTime: now() };
    const created = `interaction-of-a-user-${++interactionCount}`;
    pending.set(created, search);
    return Promise.resolve(
      new Response(null, { status: 302, headers: { location: `/oauth2/login?interaction=${created}` } }),
    );
  };
  const interactionParameter = { name: "interaction", secret: "interaction", linksFlow: true };
  const pages: Plugin = {
    routes: () =>
      ["login", "consent"].map((name): Endpoint => ({
        name,
        path: `/oauth2/${name}`,
        methods: ["GET", "POST"],
        caller: "browser",
        title: name,
        errors: "redirect",
        role: "step",
        parameters: [interactionParameter, { name: "form_token", secret: "form_token" }],
        responseParameters: [interactionParameter],
        load: () => ({
          GET: ({ target }) =>
            streamedResponse(
              page("/oauth2/login", new URLSearchParams(target.query).get("interaction")!),
              "text/html; charset=utf-8",
            ),
          async POST({ request }) {
            const { interaction = "" } = Object.fromEntries(await readForm(request));
            if (name === "login") return html(200, page("/oauth2/consent", interaction));
            return redirect("POST", `/oauth2/authorize${pending.get(interaction)}&interaction=${interaction}`);
          },
        }),
      })),
  };
  return { recorder: record, server: await testServer({ ...testClients, approver, plugins: [record, pages] }) };
}

function page(action: string, interaction: string): string {
  return `<!DOCTYPE html><title>Log in to spa</title><form method="post" action="${action}">` +
    `<input type="hidden" name="interaction" value="${interaction}">` +
    `<input type="hidden" name="form_token" value="form-token-of-${interaction}"><button>Continue</button></form>`;
}

/** A Response whose body comes in two parts. */
export function streamedResponse(text: string, type: string): Response {
  const bytes = new TextEncoder().encode(text);
  const half = bytes.length >> 1;
  const body = new ReadableStream<Uint8Array>({
    start(controller) {
      controller.enqueue(bytes.slice(0, half));
      controller.enqueue(bytes.slice(half));
      controller.close();
    },
  });
  return new Response(body, { headers: { "content-type": type } });
}

/** Completes the pages of {@link interactiveServer}, and returns the redirect with the code. */
export async function completeLogin({ server }: RecordedServer, fields: Fields = {}): Promise<URL> {
  let response = await server.authorize(fields);
  response = await server.get(response.headers.get("location")!);
  for (const name of ["login", "consent"]) {
    const interaction = /name="interaction" value="([^"]*)"/.exec(await response.text())![1];
    const form_token = `form-token-of-${interaction}`;
    response = await server.post(`/oauth2/${name}`, {
      interaction,
      form_token,
      sub: "alice",
      password: "open sesame",
    });
  }
  const last = await server.get(response.headers.get("location")!);
  return new URL(last.headers.get("location")!);
}

/** Endpoint and outcome of each exchange. */
export function summarizeExchanges(exchanges: readonly Exchange[]): string[] {
  return exchanges.map(({ endpoint, outcome }) => `${endpoint} ${outcome}`);
}

/** POSTs a body of any type. */
export function send(server: TestServer, path: string, body: BodyInit, type: string): Promise<Response> {
  const init = { method: "POST", body, headers: { "content-type": type }, duplex: "half" };
  return server.get(path, init as RequestInit);
}

/** The media type of forms. */
export const form = "application/x-www-form-urlencoded";

/** A body that comes in as many parts as are asked for, and counts them. */
export function endlessBody(
  part: string,
): { readonly body: ReadableStream<Uint8Array>; readonly pulled: () => number } {
  let pulled = 0;
  const bytes = new TextEncoder().encode(part);
  const body = new ReadableStream<Uint8Array>({
    pull(controller) {
      pulled++;
      controller.enqueue(bytes);
    },
  }, { highWaterMark: 0 });
  return { body, pulled: () => pulled };
}

/** The good token request of `spa` as a body. */
export function tokenBody(fields: Fields): string {
  return encode({ grant_type: "authorization_code", client_id: "spa", ...fields });
}
