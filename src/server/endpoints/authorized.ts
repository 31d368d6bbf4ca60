/** GET and POST /authorized: the redirect URI of the demo clients. Explains the response; never exchanges the code. */

import { basicCredentials } from "../../client/authentication.ts";
import { encodeParameters } from "../../client/parameters.ts";
import { codeExchange } from "../../client/token_request.ts";
import { html, HttpError, type HttpResponse } from "../../platform/http/message.ts";
import { type Fields, parseFields, readForm } from "../../platform/http/form.ts";
import { inspectCode, type IssuedCode } from "../oauth/authorize/code.ts";
import { demoSecret } from "../config/demo_entries.ts";
import type { Server } from "../oauth/server.ts";
import { jwtPolicies } from "../oauth/keys/jwt_policies.ts";
import { verifyOwnJwt } from "../oauth/tokens/verification.ts";
import { type Params, paramsFromFields } from "../oauth/params.ts";
import { ensureBrowserCookie } from "./shared/browser_cookie.ts";
import {
  assertCallbackPage,
  callbackClients,
  callbackUri,
  type DemoFlow,
  restoreDemoFlow,
  startLinks,
  usesDpop,
} from "../../devtools/authorized/demo_client.ts";
import type { Context } from "../assembly/context.ts";
import type { Handlers } from "../assembly/route.ts";
import { endpointUrl } from "../assembly/endpoint.ts";
import type { CallbackProps } from "./authorized_page.tsx";
import type { TokenRequestExample } from "../../devtools/authorized/pages/example.tsx";
import { describeRoundTrip } from "../../devtools/authorized/round_trip.ts";
import { shellQuote } from "./shared/shell_quote.ts";
import { initialProposal } from "../../devtools/authorized/steps.ts";

/** Maximum length of a shown value, in characters; a longer value is cut. A state of a demo flow is shorter. */
const maxShownValueLength = 1024;

/** Maximum number of ignored parameters to name. */
const maxIgnoredNames = 8;

/** The parameters of an authorization response (OAuth 2.1 §4.1.2; RFC 9207 §2). */
const responseParameters = ["code", "error", "error_description", "error_uri", "state", "iss"];

/** The callback page: responses in the query come by GET, `form_post` responses by POST. */
export const callbackPage: Handlers = { GET: showCallback, POST: showCallback };

async function showCallback(context: Context): Promise<HttpResponse> {
  // Without such a client no response is genuine, and an attacker's link could show any text under this server's name.
  await assertCallbackPage(context);
  const { server, site } = context;
  const browser = await ensureBrowserCookie(context);
  const notes: string[] = [];
  const params = await readSigned(server, await readCallback(context, notes), notes);
  const code = params.get("code");
  const redirect = shownResponseParameters(params, notes);
  const withoutCode = redirect.filter(([name]) => name !== "code");
  const shownParameters = new Map(redirect);
  const [state, iss] = [shownParameters.get("state"), shownParameters.get("iss")];
  // A code that the page cuts cannot be exchanged from it.
  const isWhole = code !== undefined && shownParameters.has("code") && code.length <= maxShownValueLength;
  const success = params.get("error") === undefined && isWhole;
  const flow = await restoreDemoFlow(browser, state);
  const issued = success ? await inspectCode(server, code) : undefined;
  if (success && flow?.tour !== undefined) {
    const { showTourResponse } = await import("../../devtools/authorized/tour/tour.ts");
    return await showTourResponse(context, browser, new Map(redirect));
  }
  const isOpenedDirectly = notes.length === 0 && !responseParameters.some((name) => params.names.includes(name));
  const props: CallbackProps = {
    ...site,
    flowLink: context.app.flowLinkFor(redirect) ?? site.flowLink,
    outcome: isOpenedDirectly
      ? { kind: "none" }
      : success
      ? { kind: "success", code: shownParameters.get("code")!, state }
      : { kind: "failure", error: shownParameters.get("error"), description: shownParameters.get("error_description") },
    ...!success && {
      fix: await fixOf(shownParameters.get("error_description")),
      scopes: server.settings.scopes,
    },
    notes,
    roundTrip: {
      ...await describeRoundTrip(context, success ? redirect : withoutCode, flow, issued),
      ignoredParameters: ignoredParameterNames(params.names),
    },
    proposal: success ? await initialProposal(context, browser, { code, state, iss }, flow, issued) : undefined,
    examples: success ? await examples(context, code, flow, issued) : [],
    tokenEndpoint: endpointUrl(context, "token"),
    codeLifetimeSeconds: server.settings.lifetimes.code,
    startLinks: await startLinks(context, browser),
  };
  const pages = await context.pages();
  return html(200, pages.callback(props), browser.headers);
}

/** The parameters that the page received, with their names. */
type CallbackParams = Params & { readonly names: string[] };

async function readCallback({ request, target }: Context, notes: string[]): Promise<CallbackParams> {
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
async function readSigned(server: Server, params: CallbackParams, notes: string[]): Promise<CallbackParams> {
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
function shownResponseParameters(params: Params, notes: string[]): [name: string, value: string][] {
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

/** The names of unknown parameters. Their values are not shown. */
function ignoredParameterNames(names: readonly string[]): string[] {
  return names.filter((name) => !responseParameters.includes(name)).slice(0, maxIgnoredNames).map(truncate);
}

/** The fix of the rule that this server put at the end of its description: `… [AZ-17]`. */
async function fixOf(description: string | undefined): Promise<string | undefined> {
  const id = /\[([A-Z]{2}-\d\d)\]$/.exec(description ?? "")?.[1];
  return id === undefined ? undefined : (await import("../oauth/rules/mod.ts")).findRule(id)?.fix;
}

function truncate(text: string): string {
  return replaceControlCharacters(text.length <= maxShownValueLength ? text : `${text.slice(0, maxShownValueLength)}…`);
}

function replaceControlCharacters(text: string): string {
  return text.replace(/\p{Cc}/gu, "\uFFFD");
}

async function examples(
  context: Context,
  code: string,
  flow: DemoFlow | undefined,
  issued: IssuedCode | undefined,
): Promise<TokenRequestExample[]> {
  const { server } = context;
  const verifier = flow?.verifier;
  const issuedClient = issued === undefined ? undefined : await server.clients.find(issued.clientId);
  // A shell cannot sign each request.
  const signsRequests = issuedClient !== undefined &&
    (issuedClient.authMethod.endsWith("_jwt") || flow !== undefined && usesDpop(context, issuedClient, flow));
  const candidates = await callbackClients(context);
  const usesPkce = issued === undefined || issued.codeChallenge !== undefined;
  return (["public", "confidential"] as const).map((kind) => {
    const isKind = (client: { readonly confidential: boolean }) => client.confidential === (kind === "confidential");
    const clientId = [...issuedClient ? [issuedClient] : [], ...candidates]
      .find((client) => isKind(client) && !client.authMethod.endsWith("_jwt"))?.id;
    const id = clientId ?? "YOUR_CLIENT_ID";
    const form = {
      ...codeExchange(
        code,
        issued?.redirectUri ?? callbackUri(server),
        usesPkce ? verifier ?? "YOUR_CODE_VERIFIER" : undefined,
      ),
      client_id: kind === "public" ? id : undefined,
    };
    const secret = clientId === "demo-confidential" ? demoSecret : "YOUR_CLIENT_SECRET";
    const credentials = basicCredentials(id, secret);
    const lines = [
      `curl ${shellQuote(endpointUrl(context, "token"))}`,
      ...kind === "confidential" ? [`-u ${shellQuote(credentials)}`] : [],
      ...encodeParameters(form).split("&").map((pair) => `-d ${shellQuote(pair)}`),
    ];
    return {
      kind,
      clientId,
      authorization: kind === "public"
        ? undefined
        : secret === demoSecret
        ? `Authorization: Basic ${btoa(credentials)}`
        : `Authorization: Basic BASE64(${credentials})`,
      redirectUri: callbackUri(server),
      signedBy: signsRequests ? issuedClient.id : undefined,
      command: lines.join(" \\\n  "),
      secrets: [
        ...verifier === undefined ? [] : [{ name: `code verifier in the ${kind} request`, value: verifier }],
        ...kind === "public" ? [] : [{ name: "credentials in the header", value: btoa(credentials) }],
        ...kind === "public" || secret !== demoSecret ? [] : [{ name: "secret in the command", value: secret }],
      ],
      codeBelongsToClient: issued === undefined ? undefined : issued.clientId === clientId,
      codeUsed: issued?.consumedAt !== undefined,
      verifier: !usesPkce ? "none" : verifier === undefined ? "placeholder" : "known",
      needsSecret: kind === "confidential" && secret !== demoSecret,
    };
  });
}
