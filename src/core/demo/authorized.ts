/**
 * GET and POST /authorized: a redirect URI for clients that have no page. Shows the response, and how to exchange the
 * code; never exchanges it.
 */

import type { Context } from "../http/context.ts";
import { assertCallbackPage, type DemoFlow, restoreDemoFlow, startLinks } from "./demo_flow.ts";
import { endpointUrl } from "../http/endpoint.ts";
import { type Fields, parseFields, readForm } from "../http/form.ts";
import { HttpError, type HttpResponse } from "../http/message.ts";
import type { AuthorizedOutcome, AuthorizedProps } from "../pages/authorized_page.tsx";
import { PlainAuthorizedPage } from "../pages/plain_pages.tsx";
import { plainPage } from "../pages/render_page.ts";
import { type Params, paramsFromFields } from "../http/params.ts";
import type { Handlers } from "../route.ts";
import { storageKey } from "../keys/secrets.ts";
import type { Server } from "../server.ts";
import { readBrowserCookie } from "../sessions/browser_cookie.ts";
import { createExamples, type IssuedCode } from "./token_example.ts";

/** Maximum length of a shown value, in characters; a longer value is cut. */
const maxShownValueLength = 1024;

/** A response, as the page shows it. */
export interface Arrived extends Omit<AuthorizedProps, "base" | "examples"> {
  readonly params: ReceivedParams;
  /** The parameters that the page shows. */
  readonly parameters: Fields;
  /** The code; absent if the login failed, or if the code cannot be exchanged. */
  readonly code?: string;
  /** The record of the code, if this server knows it. */
  readonly issued?: IssuedCode;
  /** The login, if this browser started it at `/start`. */
  readonly flow?: DemoFlow;
}

/** How a server shows a response. */
interface AuthorizedView {
  /** The names of the parameters that the page shows. */
  readonly names: readonly string[];
  /**
   * Unpacks the received parameters, such as a signed response, and adds a sentence about it to `notes`. Default: they
   * are used as received.
   */
  unwrap?(server: Server, params: ReceivedParams, notes: string[]): Promise<ReceivedParams>;
  respond(context: Context, arrived: Arrived): Promise<HttpResponse>;
}

/** The page: responses in the query come by GET, `form_post` responses by POST. */
export function authorizedHandlers({ names, unwrap, respond }: AuthorizedView = plainView): Handlers {
  const showResponse = async (context: Context) => {
    // Without such a client no response is genuine: a link could show any text under this server's name.
    await assertCallbackPage(context);
    const { server } = context;
    const notes: string[] = [];
    const received = await readResponse(context, notes);
    const params = await unwrap?.(server, received, notes) ?? received;
    const parameters = shownParameters(params, names, notes);
    const code = exchangeableCode(params);
    const issued = code === undefined ? undefined : await inspectCode(server, code);
    const browser = await readBrowserCookie(context);
    const hasArrived = notes.length > 0 || names.some((name) => params.names.includes(name));
    return await respond(context, {
      ...{ params, parameters, notes, code, issued },
      flow: browser && await restoreDemoFlow(browser, new Map(parameters).get("state")),
      outcome: hasArrived ? outcomeOf({ code, issued, parameters }) : { kind: "none" },
      tokenEndpoint: endpointUrl(context, "token"),
      codeLifetimeSeconds: server.policy.lifetimes.code,
      startLinks: await startLinks(context),
    });
  };
  return { GET: showResponse, POST: showResponse };
}

/** The parameters that have no place in the component of the page. */
const otherNames = ["iss", "error_uri"];

/** The page of the minimal server. Its parameters are those of OAuth 2.1 §4.1.2 and RFC 9207 §2: no tokens. */
const plainView: AuthorizedView = {
  names: ["code", "error", "error_description", "error_uri", "state", "iss"],
  async respond(context, { params: _, parameters, code, issued, flow, ...shown }) {
    return await plainPage(200, PlainAuthorizedPage, {
      ...context.site,
      ...shown,
      others: parameters.filter(([name]) => otherNames.includes(name) || name === "state" && code === undefined),
      examples: code === undefined ? [] : await createExamples(context, { code, issued, verifier: flow?.verifier }),
    });
  },
};

/** The outcome of a login, from its response. */
function outcomeOf({ code, issued, parameters }: Pick<Arrived, "code" | "issued" | "parameters">): AuthorizedOutcome {
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
async function readResponse({ request, target }: Context, notes: string[]): Promise<ReceivedParams> {
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
function shownParameters(
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
function exchangeableCode(params: Params): string | undefined {
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
