/**
 * GET and POST /authorized: the redirect URI of the demo clients. Shows the response, and how to exchange the code;
 * never exchanges it.
 */

import type { Context } from "./context.ts";
import { assertCallbackPage, callbackUri, type DemoFlow, restoreDemoFlow, startLinks } from "./demo_flow.ts";
import { endpointUrl } from "./endpoint.ts";
import { type Fields, parseFields, readForm } from "./http/form.ts";
import { HttpError, type HttpResponse } from "./http/message.ts";
import { PlainAuthorizedPage } from "./pages/plain_pages.tsx";
import { plainPage } from "./pages/render_page.ts";
import { type Params, paramsFromFields } from "./params.ts";
import type { Handlers } from "./route.ts";
import { type BrowserCookie, ensureBrowserCookie } from "./session/cookies.ts";
import { storageKey } from "./secrets.ts";
import type { Server } from "./server.ts";
import { shellQuote } from "./quote_value.ts";

/** Maximum length of a shown value, in characters; a longer value is cut. A state of a demo flow is shorter. */
const maxShownValueLength = 1024;

/** The parameters that the page shows (OAuth 2.1 §4.1.2; RFC 9207 §2): no tokens. */
const shownNames = ["code", "error", "error_description", "error_uri", "state", "iss"];

export interface AuthorizationResponse {
  /** Absent if the login failed, or if the page was opened without a response. */
  readonly code?: string;
  readonly state?: string;
  readonly iss?: string;
  /** The login, if this browser started it at `/start`. */
  readonly flow?: DemoFlow;
  /** The record of the code, if this server knows it. */
  readonly issued?: IssuedCode;
}

/** The page: responses in the query come by GET, `form_post` responses by POST. */
export const authorized: Handlers = { GET: showResponse, POST: showResponse };

async function showResponse(context: Context): Promise<HttpResponse> {
  // Without such a client no response is genuine, and an attacker's link could show any text under this server's name.
  await assertCallbackPage(context);
  const { server, site } = context;
  const browser = await ensureBrowserCookie(context);
  const notes: string[] = [];
  const params = await readResponse(context, notes);
  const parameters = shownParameters(params, shownNames, notes);
  const response = await findLogin(server, browser, params, parameters);
  return await plainPage(200, PlainAuthorizedPage, {
    issuer: site.issuer,
    notes,
    parameters,
    hasResponse: parameters.length > 0 || notes.length > 0,
    tokenRequest: response.code === undefined ? undefined : await tokenRequest(context, response.code, response),
    startLinks: await startLinks(context),
  }, browser.headers);
}

export type ReceivedParams = Params & { readonly names: string[] };

/** Reads the response; adds a sentence to `notes` if it cannot be parsed. */
export async function readResponse({ request, target }: Context, notes: string[]): Promise<ReceivedParams> {
  let fields: Fields = [];
  try {
    fields = request.method === "POST" ? await readForm(request) : parseFields(target.query);
  } catch (error) {
    if (!(error instanceof HttpError)) throw error;
    notes.push("The response could not be parsed: names and values must be percent-encoded UTF-8 of limited length.");
  }
  return Object.assign(paramsFromFields(fields), { names: [...new Set(fields.map(([name]) => name))] });
}

/** The parameters to show: not repeated, of limited length, without control characters. Adds a sentence for others. */
export function shownParameters(
  params: Params,
  names: readonly string[],
  notes: string[],
): [name: string, value: string][] {
  return names.flatMap((name) => {
    const value = params.get(name);
    if (params.isRepeated(name)) {
      notes.push(`${name} is repeated, so none of its values can be trusted and none is shown.`);
      return [];
    }
    if (value === undefined) return [];
    if (value.length > maxShownValueLength) {
      notes.push(`${name} is ${value.length} characters long; only the first ${maxShownValueLength} are shown.`);
    }
    if (replaceControlCharacters(value) !== value) notes.push(`${name} contains control characters, shown as \uFFFD.`);
    return [[name, truncate(value)]];
  });
}

export function truncate(text: string): string {
  return replaceControlCharacters(text.length <= maxShownValueLength ? text : `${text.slice(0, maxShownValueLength)}…`);
}

function replaceControlCharacters(text: string): string {
  return text.replace(/\p{Cc}/gu, "\uFFFD");
}

/** The response with the login that it ends, and the code that this server issued. */
export async function findLogin(
  server: Server,
  browser: BrowserCookie,
  params: Params,
  parameters: Fields,
): Promise<AuthorizationResponse> {
  const shown = new Map(parameters);
  const [received, state, iss] = [params.get("code"), shown.get("state"), shown.get("iss")];
  // A code that the page cuts cannot be exchanged from it.
  const isWhole = received !== undefined && shown.has("code") && received.length <= maxShownValueLength;
  const code = params.get("error") === undefined && isWhole ? received : undefined;
  const flow = await restoreDemoFlow(browser, state);
  return { code, state, iss, flow, issued: code === undefined ? undefined : await inspectCode(server, code) };
}

/** The token request of the client that the code was issued to. */
async function tokenRequest(context: Context, code: string, response: AuthorizationResponse): Promise<string> {
  const client = response.issued && await context.server.clients.find(response.issued.clientId);
  const id = client?.id ?? "YOUR_CLIENT_ID";
  return tokenCommand(context, code, response, id, client?.confidential ? "YOUR_CLIENT_SECRET" : undefined);
}

/**
 * A token request to paste into a shell.
 *
 * @param secret The secret of a confidential client. Absent for a public one.
 */
export function tokenCommand(
  context: Context,
  code: string,
  { flow, issued }: AuthorizationResponse,
  clientId: string,
  secret?: string,
): string {
  const usesPkce = issued === undefined || issued.codeChallenge !== undefined;
  const form = {
    grant_type: "authorization_code",
    code,
    redirect_uri: issued?.redirectUri ?? callbackUri(context.server),
    ...usesPkce && { code_verifier: flow?.verifier ?? "YOUR_CODE_VERIFIER" },
    ...secret === undefined && { client_id: clientId },
  };
  return [
    `curl ${shellQuote(endpointUrl(context, "token"))}`,
    ...secret === undefined ? [] : [`-u ${shellQuote(basicCredentials(clientId, secret))}`],
    ...`${new URLSearchParams(form)}`.split("&").map((pair) => `-d ${shellQuote(pair)}`),
  ].join(" \\\n  ");
}

/** ID and secret, form-encoded and joined by a colon (OAuth 2.1 §2.4.1). */
export function basicCredentials(id: string, secret: string): string {
  return `${new URLSearchParams({ [id]: secret })}`.replace("=", ":");
}

export interface IssuedCode {
  readonly clientId: string;
  readonly redirectUri: string;
  /** When it was exchanged, in milliseconds since the epoch; absent before. */
  readonly consumedAt?: number;
  /** The code challenge of the request; absent if it had none. */
  readonly codeChallenge?: string;
}

/** Reads a code without consuming it; `undefined` if the server does not know it. */
export async function inspectCode(server: Server, code: string): Promise<IssuedCode | undefined> {
  const record = await server.store.get("code", await storageKey(server, code));
  if (record === undefined) return undefined;
  const { grant: { clientId }, redirectUri, codeChallenge } = record.value;
  return { clientId, redirectUri, codeChallenge, consumedAt: record.consumedAt };
}
