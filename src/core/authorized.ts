/**
 * GET and POST /authorized: a redirect URI for clients that have no page. Shows the response, and how to exchange the
 * code; never exchanges it.
 */

import type { Context } from "./context.ts";
import type { Client } from "./clients/repository.ts";
import { rejectUntrustedHost } from "./cross_site.ts";
import { endpointUrl } from "./endpoint.ts";
import { type Fields, parseFields, readForm } from "./http/form.ts";
import { HttpError, type HttpResponse } from "./http/message.ts";
import { PlainAuthorizedPage } from "./pages/plain_pages.tsx";
import { plainPage } from "./pages/render_page.ts";
import { frontChannelBase } from "./names.ts";
import { type Params, paramsFromFields } from "./params.ts";
import type { Handlers } from "./route.ts";
import { storageKey } from "./secrets.ts";
import type { Server } from "./server.ts";
import { shellQuote } from "./quote_value.ts";

/** Maximum length of a shown value, in characters; a longer value is cut. */
const maxShownValueLength = 1024;

/** The parameters that the page shows (OAuth 2.1 §4.1.2; RFC 9207 §2): no tokens. */
const shownNames = ["code", "error", "error_description", "error_uri", "state", "iss"];

/** Maximum number of clients to search. */
const maxSearchedClients = 200;

/** The page: responses in the query come by GET, `form_post` responses by POST. */
export const authorized: Handlers = { GET: showResponse, POST: showResponse };

async function showResponse(context: Context): Promise<HttpResponse> {
  // Without such a client no response is genuine, and an attacker's link could show any text under this server's name.
  await assertCallbackPage(context);
  const notes: string[] = [];
  const params = await readResponse(context, notes);
  const parameters = shownParameters(params, shownNames, notes);
  const code = exchangeableCode(params);
  return await plainPage(200, PlainAuthorizedPage, {
    issuer: context.site.issuer,
    notes,
    parameters,
    hasResponse: parameters.length > 0 || notes.length > 0,
    tokenRequest: code === undefined ? undefined : await tokenRequest(context, code),
  });
}

/** The redirect URI that is this server's own page. */
export function callbackUri(server: Server): string {
  return `${frontChannelBase(server).replace(/\/$/, "")}/authorized`;
}

/** The clients whose redirect URI is this server's own page, public ones first. */
export async function callbackClients({ server }: Context): Promise<Client[]> {
  const callback = callbackUri(server);
  return (await server.clients.list({ limit: maxSearchedClients }))
    .filter((client) => client.hasRedirectUri(callback) && client.grantTypes.includes("authorization_code"))
    .sort((a, b) => Number(a.confidential) - Number(b.confidential));
}

/**
 * Rejects a request for `/authorized` and its steps under an untrusted host (DNS rebinding), and where the page does
 * not exist: on a test host it always does, otherwise only if a client has its redirect URI.
 *
 * @throws {HttpError} 403 or 404.
 */
export async function assertCallbackPage(context: Context): Promise<void> {
  const { server, request } = context;
  rejectUntrustedHost(server, request, "DI-04");
  if (server.settings.allows.openTools || (await callbackClients(context)).length > 0) return;
  throw new HttpError(404, "HT-01", "No client has this page as its redirect URI", {
    fix: "Add its URL to the redirect_uris of a client.",
  });
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

/** The code; `undefined` if the login failed, or the code is absent, repeated, or cut and so not exchangeable. */
export function exchangeableCode(params: Params): string | undefined {
  const code = params.get("code");
  const isWhole = code !== undefined && !params.isRepeated("code") && code.length <= maxShownValueLength;
  return isWhole && params.get("error") === undefined ? code : undefined;
}

/** The token request of the client that the code was issued to. */
async function tokenRequest(context: Context, code: string): Promise<string> {
  const { server } = context;
  const issued = await inspectCode(server, code);
  const client = issued && await server.clients.find(issued.clientId);
  return tokenCommand(context, {
    code,
    issued,
    clientId: client?.id ?? "YOUR_CLIENT_ID",
    secret: client?.confidential ? "YOUR_CLIENT_SECRET" : undefined,
  });
}

/** What the token request of a code contains. */
interface CodeExchange {
  readonly code: string;
  /** The record of the code, if this server knows it. */
  readonly issued?: IssuedCode;
  /** The code verifier. Default: `YOUR_CODE_VERIFIER`. */
  readonly verifier?: string;
  readonly clientId: string;
  /** The secret of a confidential client. Absent for a public one. */
  readonly secret?: string;
}

/** A token request to paste into a shell. */
export function tokenCommand(
  context: Context,
  { code, issued, verifier = "YOUR_CODE_VERIFIER", clientId, secret }: CodeExchange,
): string {
  const usesPkce = issued === undefined || issued.codeChallenge !== undefined;
  const form = {
    grant_type: "authorization_code",
    code,
    redirect_uri: issued?.redirectUri ?? callbackUri(context.server),
    ...usesPkce && { code_verifier: verifier },
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
