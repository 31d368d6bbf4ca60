/**
 * GET and POST /authorized: a redirect URI for clients that have no page. Shows the response, and how to exchange the
 * code; never exchanges it.
 */

import type { Context } from "../http/context.ts";
import { assertCallbackPage, restoreDemoFlow, startLinks } from "./demo_flow.ts";
import { endpointUrl } from "../http/endpoint.ts";
import { type Fields, parseFields, readForm } from "../http/form.ts";
import { HttpError, type HttpResponse } from "../http/message.ts";
import type { AuthorizedOutcome } from "../pages/authorized_page.tsx";
import { PlainAuthorizedPage } from "../pages/plain_pages.tsx";
import { plainPage } from "../pages/render_page.ts";
import { type Params, paramsFromFields } from "../http/params.ts";
import type { Handlers } from "../route.ts";
import { storageKey } from "../keys/secrets.ts";
import type { Server } from "../server.ts";
import { readBrowserCookie } from "./browser_cookie.ts";
import { createExamples, type IssuedCode } from "./token_example.ts";

/** Maximum length of a shown value, in characters; a longer value is cut. */
const maxShownValueLength = 1024;

/** The parameters that the page shows (OAuth 2.1 §4.1.2; RFC 9207 §2): no tokens. */
const shownNames = ["code", "error", "error_description", "error_uri", "state", "iss"];

/** The parameters that have no place in the component of the page. */
const otherNames = ["iss", "error_uri"];

/** The page: responses in the query come by GET, `form_post` responses by POST. */
export const authorized: Handlers = { GET: showResponse, POST: showResponse };

async function showResponse(context: Context): Promise<HttpResponse> {
  // Without such a client no response is genuine, and an attacker's link could show any text under this server's name.
  await assertCallbackPage(context);
  const notes: string[] = [];
  const params = await readResponse(context, notes);
  const parameters = shownParameters(params, shownNames, notes);
  const { server, site } = context;
  const code = exchangeableCode(params);
  const issued = code === undefined ? undefined : await inspectCode(server, code);
  const browser = await readBrowserCookie(context);
  const flow = browser && await restoreDemoFlow(browser, params.get("state"));
  const hasArrived = notes.length > 0 || shownNames.some((name) => params.names.includes(name));
  return await plainPage(200, PlainAuthorizedPage, {
    ...site,
    outcome: responseOutcome({ code, issued, parameters, hasArrived }),
    notes,
    others: parameters.filter(([name]) => otherNames.includes(name) || name === "state" && code === undefined),
    examples: code === undefined ? [] : await createExamples(context, { code, issued, verifier: flow?.verifier }),
    tokenEndpoint: endpointUrl(context, "token"),
    codeLifetimeSeconds: server.settings.lifetimes.code,
    startLinks: await startLinks(context),
  });
}

/** A response, as the page shows it. */
interface ShownResponse {
  /** See {@link exchangeableCode}. */
  readonly code: string | undefined;
  readonly issued: IssuedCode | undefined;
  /** See {@link shownParameters}. */
  readonly parameters: Fields;
  /** Whether the request has any parameter of a response. */
  readonly hasArrived: boolean;
}

/** The outcome of a login, from its response. */
export function responseOutcome({ code, issued, parameters, hasArrived }: ShownResponse): AuthorizedOutcome {
  if (!hasArrived) return { kind: "none" };
  const shown = new Map(parameters);
  return code === undefined
    ? { kind: "failure", error: shown.get("error"), description: shown.get("error_description") }
    : {
      kind: "success",
      code: shown.get("code")!,
      state: shown.get("state"),
      isUsed: issued?.consumedAt !== undefined,
    };
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

/** Reads a code without consuming it; `undefined` if the server does not know it. */
export async function inspectCode(server: Server, code: string): Promise<IssuedCode | undefined> {
  const record = await server.store.get("code", await storageKey(server, code));
  if (record === undefined) return undefined;
  const { grant: { clientId }, redirectUri, codeChallenge } = record.value;
  return { clientId, redirectUri, codeChallenge, consumedAt: record.consumedAt };
}
