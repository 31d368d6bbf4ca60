/** GET and POST /authorized: where the demo clients are called back; explains what came, and redeems and stores nothing. */

import { HttpFault } from "../http/http_error.ts";
import { parseFields, readForm } from "../http/form.ts";
import type { Fields } from "../http/form.ts";
import type { Incoming, Reply } from "../http/message.ts";
import { html } from "../http/responses.ts";
import { describeCode } from "../oauth/authorize/authorization_request.ts";
import type { IssuedCode } from "../oauth/authorize/authorization_request.ts";
import { demoSecret } from "../oauth/config/settings.ts";
import { readParams } from "../oauth/params.ts";
import type { Params } from "../oauth/params.ts";
import { encodeFormValue } from "../oauth/clients/redirect_uri.ts";
import type { Target } from "../http/router.ts";
import { asPage } from "../app/error_response.ts";
import { recogniseBrowser } from "../app/browser_cookie.ts";
import { callbackUri, demoClientsOf, hasCallbackPage, noCallback, recallFlow, startLinks } from "./demo_client.ts";
import type { Answers, Desk } from "../app/endpoint.ts";
import { urlOf } from "../app/endpoint.ts";
import type { AuthorizedProps, TokenRequestExample } from "../app/pages.ts";
import { retrace } from "./round_trip.ts";
import { shellQuote } from "../admin/client_snippets/shell_quote.ts";
import { propose } from "./playground/steps.ts";

/** The longest value that is shown whole, in characters. */
const shownLimit = 512;

/** The most parameters that are named although they mean nothing. */
const shownNames = 8;

/** What an authorization response is made of (OAuth 2.1 §4.1.2; RFC 9207 §2). */
const answerParameters = ["code", "error", "error_description", "error_uri", "state", "iss"];

interface Callback extends Params {
  readonly names: readonly string[];
}

/** The callback page. */
export function authorized(desk: Desk): Answers {
  async function answer(request: Incoming, target: Target, read: () => Fields | Promise<Fields>): Promise<Reply> {
    const here = desk.during(request);
    // Otherwise any text could be shown under this server's name although no client has this redirect URI.
    if (!hasCallbackPage(here)) return await asPage(here, target, noCallback());
    const { server, site } = here;
    const browser = await recogniseBrowser(here, request);
    const notes: string[] = [];
    const params = await readCallback(read, notes);
    const code = params.get("code");
    const redirect = show(params, notes);
    const shown = new Map(redirect);
    const [state, iss] = [shown.get("state"), shown.get("iss")];
    // A code that is cut on the page cannot be redeemed from it.
    const isWhole = code !== undefined && shown.has("code") && code.length <= shownLimit;
    const success = params.get("error") === undefined && isWhole;
    const flow = await recallFlow(browser, state);
    const issued = success ? await describeCode(server, code) : undefined;
    const props: AuthorizedProps = {
      ...site,
      trail: here.trailTo(redirect) ?? site.trail,
      outcome: success
        ? { kind: "success", code: shown.get("code")!, state }
        : { kind: "failure", error: shown.get("error"), description: shown.get("error_description") },
      notes,
      roundTrip: await retrace(here, {
        redirect: success ? redirect : redirect.filter(([name]) => name !== "code"),
        ignored: nameOthers(params.names),
        flow,
        issued,
      }),
      proposal: success ? await propose(here, browser, { code, state, iss }, flow, issued) : undefined,
      examples: success ? examples(here, code, flow?.verifier, issued) : [],
      tokenEndpoint: urlOf(server.issuer, "/oauth2/token"),
      codeLifetime: server.lifetimes.code,
      startLinks: await startLinks(here, browser),
    };
    const pages = await here.pages();
    return html(200, pages.authorized(props), browser.headers);
  }

  return {
    GET: (request, target) => answer(request, target, () => parseFields(target.query)),
    // Where the answer travels by form_post, the browser posts it here.
    POST: (request, target) => answer(request, target, () => readForm(request)),
    refuse: (fault, target, request) => asPage(desk.during(request), target, fault),
  };
}

async function readCallback(read: () => Fields | Promise<Fields>, notes: string[]): Promise<Callback> {
  let fields: Fields = [];
  try {
    fields = await read();
  } catch (fault) {
    if (!(fault instanceof HttpFault)) throw fault;
    notes.push("The answer could not be read: its names and values must be percent-encoded UTF-8, and not too long.");
  }
  return Object.assign(readParams(fields), { names: [...new Set(fields.map(([name]) => name))] });
}

/** The response parameters, safe to show: each one once, of limited length, without control characters. */
function show(params: Params, notes: string[]): [name: string, value: string][] {
  return answerParameters.flatMap((name) => {
    const value = params.get(name);
    if (params.repeats(name)) {
      notes.push(`${name} came more than once, so no value of it can be trusted and none is shown.`);
      return [];
    }
    if (value === undefined) return [];
    if (value.length > shownLimit) {
      notes.push(`${name} is ${value.length} characters long; only the first ${shownLimit} are shown.`);
    }
    if (visible(value) !== value) notes.push(`${name} holds control characters, shown as \uFFFD.`);
    return [[name, shorten(value)]];
  });
}

/** The names of what does not belong there; the values may be anything, and are left alone. */
function nameOthers(names: readonly string[]): string[] {
  return names.filter((name) => !answerParameters.includes(name)).slice(0, shownNames).map(shorten);
}

function shorten(text: string): string {
  return visible(text.length <= shownLimit ? text : `${text.slice(0, shownLimit)}…`);
}

function visible(text: string): string {
  return text.replace(/\p{Cc}/gu, "\uFFFD");
}

function examples(
  desk: Desk,
  code: string,
  verifier: string | undefined,
  issued: IssuedCode | undefined,
): TokenRequestExample[] {
  const { server } = desk;
  const owner = issued === undefined ? undefined : server.clients.find(issued.clientId);
  const own = demoClientsOf(desk);
  return (["public", "confidential"] as const).map((kind) => {
    const isKind = (client: { readonly confidential: boolean }) => client.confidential === (kind === "confidential");
    const client = owner !== undefined && isKind(owner) ? owner : own.find(isKind);
    return example(desk, kind, client?.id, code, verifier, issued);
  });
}

function example(
  desk: Desk,
  kind: "public" | "confidential",
  clientId: string | undefined,
  code: string,
  verifier: string | undefined,
  issued: IssuedCode | undefined,
): TokenRequestExample {
  const id = clientId ?? "YOUR_CLIENT_ID";
  const challenged = issued === undefined || issued.challenge !== undefined;
  const form = [
    ["grant_type", "authorization_code"],
    ["code", code],
    ["redirect_uri", issued?.redirectUri ?? callbackUri(desk.server)],
    ...challenged ? [["code_verifier", verifier ?? "YOUR_CODE_VERIFIER"]] : [],
    ...kind === "public" ? [["client_id", id]] : [],
  ].map(([name, value]) => `${name}=${encodeFormValue(value!)}`);
  const secret = clientId === "demo-confidential" ? demoSecret : "YOUR_CLIENT_SECRET";
  const lines = [
    `curl ${shellQuote(urlOf(desk.server.issuer, "/oauth2/token"))}`,
    ...kind === "confidential" ? [`-u ${shellQuote(`${encodeFormValue(id)}:${secret}`)}`] : [],
    ...form.map((pair) => `-d ${shellQuote(pair)}`),
  ];
  return {
    kind,
    clientId,
    command: lines.join(" \\\n  "),
    secrets: verifier === undefined ? [] : [{ name: `code verifier in the ${kind} request`, value: verifier }],
    fits: issued === undefined ? undefined : issued.clientId === clientId,
    used: issued?.spentAt !== undefined,
    verifier: !challenged ? "none" : verifier === undefined ? "placeholder" : "known",
    lacksSecret: kind === "confidential" && secret !== demoSecret,
  };
}
