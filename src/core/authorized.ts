/**
 * GET and POST /authorized: the redirect URI of the demo clients. Shows the response, the checks of a client, and how
 * to exchange the code; never exchanges it. A plugin adds the steps that send requests (`DemoSteps`).
 */

import { ensureBrowserCookie } from "./session/browser_cookie.ts";
import { sendsIss } from "./authorization.ts";
import type { Context } from "./context.ts";
import { browserCsrfToken } from "./csrf.ts";
import { type ArrivedResponse, type DemoFlow, demoSecret } from "./demo_request.ts";
import { endpointUrl } from "./endpoint.ts";
import { findRule } from "../server/explain/rules.ts";
import type { Handlers } from "./route.ts";
import { shellQuote } from "./shell_quote.ts";
import { type Fields, parseFields, readForm } from "./http/form.ts";
import { html, HttpError, type HttpResponse } from "./http/message.ts";
import { inspectCode, type IssuedCode } from "./code.ts";
import { jwtPolicies } from "./keys/jwt_policies.ts";
import { type Params, paramsFromFields } from "./params.ts";
import { digest } from "./secrets.ts";
import type { Server } from "./server.ts";
import { verifyOwnJwt } from "./keys/verification.ts";
import { renderPage } from "./pages/render_page.ts";
import { CallbackPage, type CallbackProps } from "./pages/authorized_page.tsx";
import type { ResponseCheck } from "./pages/checks.tsx";
import type { TokenRequestExample } from "./pages/token_request_example.tsx";
import {
  assertCallbackPage,
  callbackClients,
  callbackUri,
  demoRequest,
  isDemoState,
  restoreDemoFlow,
  startLinks,
} from "./demo_flow.ts";

/** Maximum length of a shown value, in characters; a longer value is cut. A state of a demo flow is shorter. */
const maxShownValueLength = 1024;

/** Maximum number of ignored parameters to name. */
const maxIgnoredNames = 8;

/** The parameters of an authorization response (OAuth 2.1 §4.1.2; RFC 9207 §2; OpenID Connect Core §3.2.2.5). */
const responseParameters = ["code", "id_token", "error", "error_description", "error_uri", "state", "iss"];

/** The page: responses in the query come by GET, `form_post` responses by POST. */
export const authorized: Handlers = { GET: showResponse, POST: showResponse };

async function showResponse(context: Context): Promise<HttpResponse> {
  // Without such a client no response is genuine, and an attacker's link could show any text under this server's name.
  await assertCallbackPage(context);
  const { server, site, app } = context;
  const browser = await ensureBrowserCookie(context);
  const notes: string[] = [];
  const params = await readSigned(server, await readResponse(context, notes), notes);
  const code = params.get("code");
  const parameters = shownParameters(params, notes);
  const shown = new Map(parameters);
  // A code that the page cuts cannot be exchanged from it.
  const isWhole = code !== undefined && shown.has("code") && code.length <= maxShownValueLength;
  const success = params.get("error") === undefined && isWhole;
  const isIdTokenAlone = !success && shown.has("id_token") && !shown.has("error") && !shown.has("code");
  const isOpenedDirectly = notes.length === 0 && !responseParameters.some((name) => params.names.includes(name));
  const [state, iss] = [shown.get("state"), shown.get("iss")];
  const flow = await restoreDemoFlow(browser, state);
  const issued = success ? await inspectCode(server, code) : undefined;
  const response: ArrivedResponse = {
    csrfToken: await browserCsrfToken(context, browser),
    ...{ code: success ? code : undefined, state, iss, flow, issued },
    failed: !success && !isOpenedDirectly && !isIdTokenAlone,
  };
  const next = await (await app.developerPages.demoSteps?.())?.next(context, response);
  const client = issued && await server.clients.find(issued.clientId);
  const props: CallbackProps = {
    ...site,
    flowLink: app.developerPages.flowLinkFor?.(parameters) ?? site.flowLink,
    outcome: isOpenedDirectly
      ? { kind: "none" }
      : isIdTokenAlone
      ? { kind: "id_token" }
      : success
      ? { kind: "success", code: shown.get("code")!, state, isUsed: issued?.consumedAt !== undefined }
      : { kind: "failure", error: shown.get("error"), description: shown.get("error_description") },
    ...!success && { fix: fixOf(shown.get("error_description")), scopes: server.settings.scopes },
    notes,
    request: flow && client && definedPairs(await demoRequest(context, client, flow)),
    response: success ? parameters : parameters.filter(([name]) => name !== "code"),
    ignoredParameters: params.names.filter((name) => !responseParameters.includes(name)).slice(0, maxIgnoredNames)
      .map(truncate),
    checks: await checkResponse(server, response),
    examples: success ? await createExamples(context, code, response, next?.signedBy) : [],
    tokenEndpoint: endpointUrl(context, "token"),
    userinfoEndpoint: endpointUrl(context, "userinfo"),
    codeLifetimeSeconds: server.settings.lifetimes.code,
    startLinks: await startLinks(context),
    next,
  };
  return html(200, renderPage(CallbackPage, props), browser.headers);
}

/** The parameters that the page received, with their names. */
type ReceivedParams = Params & { readonly names: string[] };

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

/** The parameters inside a signed response (JARM), if this server has signed it; otherwise the received ones. */
async function readSigned(server: Server, params: ReceivedParams, notes: string[]): Promise<ReceivedParams> {
  const response = params.get("response");
  if (response === undefined) return params;
  const { issuer } = server;
  const claims = await verifyOwnJwt(server, response, jwtPolicies.authorization_response, () => ({ issuer }));
  notes.push(
    claims === undefined
      ? "The response is a JWT that this server has not signed, or that has expired: none of its parameters is shown."
      : `The response is signed (JARM): signature, issuer and expiry are valid, the audience is ${claims.aud}.`,
  );
  const { aud: _, ...members } = claims ?? {};
  const fields = Object.entries(members).filter((member): member is [string, string] => typeof member[1] === "string");
  return Object.assign(paramsFromFields(fields), { names: fields.map(([name]) => name) });
}

/** The response parameters to show: not repeated, of limited length, without control characters. */
function shownParameters(params: Params, notes: string[]): [name: string, value: string][] {
  return responseParameters.flatMap((name) => {
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

function truncate(text: string): string {
  return replaceControlCharacters(text.length <= maxShownValueLength ? text : `${text.slice(0, maxShownValueLength)}…`);
}

function replaceControlCharacters(text: string): string {
  return text.replace(/\p{Cc}/gu, "\uFFFD");
}

function definedPairs(params: Readonly<Record<string, string | undefined>>): Fields {
  return Object.entries(params).filter((entry): entry is [string, string] => entry[1] !== undefined);
}

/** The fix of the rule that this server put at the end of its description: `… [AZ-17]`. */
export function fixOf(description: string | undefined): string | undefined {
  const id = /\[([A-Z]{2}-\d\d)\]$/.exec(description ?? "")?.[1];
  return id === undefined ? undefined : findRule(id)?.fix;
}

/** The first checks of a client (OAuth 2.1 §7.12; RFC 9207 §2.4), and the check of the server that PKCE enables. */
export async function checkResponse(
  server: Server,
  { code, state, iss, flow, issued }: ArrivedResponse,
): Promise<ResponseCheck[]> {
  return [
    // Only the client that generated a state can verify it.
    flow !== undefined || isDemoState(state)
      ? {
        name: "state",
        passed: flow !== undefined,
        expected: flow?.state ?? "a state that this browser sent",
        received: state,
      }
      : { name: "state", received: state },
    iss === undefined && !sendsIss(server)
      ? { name: "response_iss" }
      : { name: "response_iss", passed: iss === server.issuer, expected: server.issuer, received: iss ?? "none" },
    ...code === undefined ? [] : [await checkVerifier(flow, issued)],
  ];
}

/** Compares the hash of the verifier with the challenge of the code, which only the server may know if they differ. */
async function checkVerifier(flow: DemoFlow | undefined, issued: IssuedCode | undefined): Promise<ResponseCheck> {
  if (flow === undefined || issued?.codeChallenge === undefined) return { name: "pkce" };
  const received = await digest(flow.verifier);
  const passed = received === issued.codeChallenge;
  return { name: "pkce", passed, expected: passed ? received : "another challenge", received };
}

/** The token request of a public client, then that of a confidential one, whichever clients exist. */
async function createExamples(
  context: Context,
  code: string,
  { flow, issued }: ArrivedResponse,
  signedBy: string | undefined,
): Promise<TokenRequestExample[]> {
  const { server } = context;
  const owner = issued && await server.clients.find(issued.clientId);
  // A shell cannot sign each request.
  const candidates = [...owner ? [owner] : [], ...await callbackClients(context)]
    .filter(({ authMethod }) => !authMethod.endsWith("_jwt"));
  const usesPkce = issued === undefined || issued.codeChallenge !== undefined;
  return (["public", "confidential"] as const).map((kind) => {
    const isPublic = kind === "public";
    const clientId = candidates.find(({ confidential }) => confidential !== isPublic)?.id;
    const id = clientId ?? "YOUR_CLIENT_ID";
    const secret = clientId === "demo-confidential" ? demoSecret : "YOUR_CLIENT_SECRET";
    // ID and secret, form-encoded and joined by a colon (OAuth 2.1 §2.4.1).
    const credentials = `${new URLSearchParams({ [id]: secret })}`.replace("=", ":");
    const form = {
      grant_type: "authorization_code",
      code,
      redirect_uri: issued?.redirectUri ?? callbackUri(server),
      ...usesPkce && { code_verifier: flow?.verifier ?? "YOUR_CODE_VERIFIER" },
      ...isPublic && { client_id: id },
    };
    const lines = [
      `curl ${shellQuote(endpointUrl(context, "token"))}`,
      ...isPublic ? [] : [`-u ${shellQuote(credentials)}`],
      ...`${new URLSearchParams(form)}`.split("&").map((pair) => `-d ${shellQuote(pair)}`),
    ];
    const isKnownSecret = secret === demoSecret;
    return {
      kind,
      clientId,
      ...!isPublic && { authorization: `Basic ${isKnownSecret ? btoa(credentials) : `BASE64(${credentials})`}` },
      redirectUri: callbackUri(server),
      signedBy: signedBy ?? (owner?.authMethod.endsWith("_jwt") ? owner.id : undefined),
      command: lines.join(" \\\n  "),
      secrets: [
        ...flow === undefined ? [] : [{ name: `code verifier in the ${kind} request`, value: flow.verifier }],
        ...isPublic ? [] : [{ name: "credentials in the header", value: btoa(credentials) }],
        ...isPublic || !isKnownSecret ? [] : [{ name: "secret in the command", value: secret }],
      ],
      codeBelongsToClient: issued === undefined ? undefined : issued.clientId === clientId,
      codeUsed: issued?.consumedAt !== undefined,
      usesPkce,
      missing: [
        ...usesPkce && flow === undefined ? ["code verifier"] : [],
        ...isPublic || isKnownSecret ? [] : ["client secret"],
      ],
    };
  });
}
