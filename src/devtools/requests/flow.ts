/** The props of a flow's page. */

import { hostWarning } from "../../server/hosting/other_host.ts";
import { findRule } from "../../server/rules.ts";
import { readClaimsFix } from "../../server/explain/notes.ts";
import { upperFirst } from "../../server/pages/first_letter.ts";
import type { RuleId } from "../../core/rules/mod.ts";
import type { Server } from "../../core/server.ts";
import type { Explanation } from "../../core/rules/errors.ts";
import type { TraceEvent } from "../../server/trace.ts";
import type { Exchange, Flow, RecordedResponse } from "../../recorder/exchange.ts";
import { redactFlow } from "../../recorder/redact.ts";
import { decodeJwtPart } from "../../platform/http/jwt_part.ts";
import { parseLocation } from "../../platform/http/location.ts";
import { parseJsonMembers } from "../../recorder/record_response.ts";
import type { FailureReason, FlowProps, FlowRow, FlowStep, FlowSummary, Hop, RejectionSummary } from "./pages/props.ts";
import { isRecordedWhole } from "./curl.ts";
import type { DocumentRequests } from "./documents.ts";
import { issuedItems } from "./issued.ts";
import { issuedTokens } from "../../recorder/issued_tokens.ts";
import { countMasked, type DisplayOptions, type Masked, requestMessage, responseMessage } from "./message.ts";
import { exchangeChecks, exchangeWarnings } from "./step_checks.ts";
import { describeSentSecret } from "./sent_secret.ts";
import { exchangeStatus, fieldValue, flowStatus, outcomeOf } from "./labels.ts";
import type { App } from "../../server/app.ts";
import { asServerPolicy } from "../../server/config/server_policy.ts";

/** Finds the form for a change of clients, and the value that was probably meant; the visitor may see neither. */
export type FindHelp = (explanation: Explanation) => Pick<FailureReason, "change" | "suggestion">;

/** Maximum number of steps on one page. */
const stepsPerPage = 40;

/** Maximum number of steps of a flow that shows each of them in full, for the size of the page. */
const maxFullSteps = 3;

/** The query of the page that shows a step in full. */
function stepQuery(flow: Flow, step: number): string {
  const { exchanges } = flow;
  const isOtherRejection = rejectsClient(exchanges[step - 1]!) && step - 1 !== findFailure(exchanges);
  return exchanges.length > maxFullSteps || isOtherRejection ? `?step=${step}` : "";
}

/** The path of a step, on the page of its flow. */
export function stepPath(flow: Flow, step: number): string {
  return `/flows/${flow.id}${stepQuery(flow, step)}#step-${step}`;
}

/** The part of a flow that its page shows. */
export interface ShownSteps {
  /** The first step. Default: that of the page with `step`. */
  readonly from?: number;
  /** The step that a long flow shows in full, and that the heading is about if it was rejected. */
  readonly step?: number;
  /** How many steps to show. Default: those of a page. */
  readonly count?: number;
}

/** A flow as a row of the list. Pass a redacted flow to show it. */
export function flowRow(flow: Flow): FlowRow {
  const { id, startedAt, client, sub, exchanges } = flow;
  const failed = exchanges[findFailure(exchanges)] ??
    exchanges.findLast((exchange) => isFailed(exchange));
  const status = flowStatus(flow);
  const last = exchanges.at(-1);
  const deciding = failed !== undefined && status.tone === "bad" ? failed : last;
  const rejection = failed && rejectionSummary(failed);
  const warning = exchanges.findLast(({ warnings }) => warnings.length > 0)?.warnings[0]?.reason;
  const endedAt = last?.respondedAt;
  return {
    id,
    at: startedAt,
    client,
    // With client credentials, the subject is the client.
    user: sub === client ? undefined : sub,
    endpoint: deciding === undefined ? "" : deciding.title,
    outcome: outcomeOf(status),
    status,
    durationMs: endedAt === undefined ? undefined : endedAt - startedAt,
    steps: exchanges.length,
    ...rejection === undefined ? { warning } : { rejection },
  };
}

/** Requests for a document as a row of the list. Pass the redacted newest one to show it. */
export function documentRow(newest: Flow, count: number, { issuer, names }: Server): FlowRow {
  const { request: { path, headers: { host } }, at, respondedAt, outcome } = newest.exchanges.at(-1)!;
  const row = flowRow(newest);
  const warning = outcome === "missing" || host === undefined || host === new URL(issuer).host ||
      names.isIssuer !== undefined
    ? undefined
    : hostWarning(host, issuer);
  return {
    ...row,
    steps: count,
    document: path,
    durationMs: respondedAt === undefined ? undefined : respondedAt - at,
    ...warning !== undefined && { warning, outcome: { tone: "warn", label: "warning" } },
  };
}

/** How the page of a flow shows its steps. */
interface FlowOptions extends DisplayOptions {
  readonly findHelp: FindHelp;
  readonly canCheck: boolean;
  /** The rules of the checks of an exchange, in order. */
  readonly checkOrder: (exchange: Exchange) => readonly RuleId[];
}

export async function describeFlow(
  server: Server,
  flow: Flow | DocumentRequests,
  { step = 0, from = step > stepsPerPage ? step : 1, count = stepsPerPage }: ShownSteps,
  options: FlowOptions,
): Promise<
  Pick<
    FlowProps,
    "row" | "reason" | "continued" | "steps" | "long" | "next" | "issued" | "isSilent" | "unreadScope" | "now"
  >
> {
  const masked = redactFlow(flow);
  const { exchanges } = options.secrets ? flow : masked;
  const isAboutStep = exchanges[step - 1] !== undefined && rejectsClient(exchanges[step - 1]!);
  const failedIndex = isAboutStep ? step - 1 : findFailure(exchanges);
  const first = Math.min(Math.max(1, Math.trunc(from)), Math.max(1, exchanges.length));
  const shown = exchanges.slice(first - 1, first - 1 + count);
  const next = first + shown.length;
  const long = exchanges.length > maxFullSteps;
  return {
    row: "count" in flow ? documentRow(masked, flow.count, server) : flowRow(masked),
    ...await withSentSecret(
      server,
      flow.exchanges[failedIndex],
      describeFailure(exchanges, failedIndex, options.findHelp),
    ),
    steps: shown.map((_, i) => {
      const at = first + i - 1;
      const exchange = { original: flow.exchanges[at]!, masked: masked.exchanges[at]! };
      const open = at === failedIndex || at + 1 === step;
      return { ...describeStep(exchange, at + 1, options), open, brief: long && !open };
    }),
    long,
    next: next <= exchanges.length ? next : undefined,
    issued: await issuedItems(server, flow, options.canCheck),
    isSilent: isSilentAfterIdToken(flow),
    unreadScope: findUnreadScope(server, flow),
    now: options.now,
  };
}

/** Whether the last request of the client was the exchange of its code for an ID token. */
function isSilentAfterIdToken(flow: Flow): boolean {
  const last = flow.exchanges.length - 1;
  const isExchange = flow.exchanges[last]?.request.form.some(([name, value]) =>
    name === "grant_type" && value === "authorization_code"
  );
  return isExchange === true && issuedTokens(flow).some(({ kind, step }) => kind === "id_token" && step === last + 1);
}

/** The granted values of `profile` and `email` whose claims the ID token lacks, if the client never called userinfo. */
function findUnreadScope({ claims: { claimsByScope } }: Server, flow: Flow): FlowProps["unreadScope"] {
  const idToken = issuedTokens(flow).findLast(({ kind }) => kind === "id_token");
  if (idToken === undefined || flow.exchanges.some(({ endpoint }) => endpoint === "userinfo")) return undefined;
  const claims = decodeJwtPart(idToken.value, 1);
  const issued = flow.exchanges[idToken.step - 1]!.events.find((event) => event.type === "tokens_issued");
  const values = ["profile", "email"].filter((value) =>
    issued?.scope.includes(value) && !claimsByScope.get(value)!.some((name) => claims[name] !== undefined)
  );
  return values.length === 0 ? undefined : { values: values.join(" "), fix: readClaimsFix };
}

/** A flow, or the requests for a document, beside the list. */
export function summarizeFlow(
  flow: Flow | DocumentRequests,
  server: Server,
  findHelp: FindHelp,
): FlowSummary {
  const masked = redactFlow(flow);
  const { exchanges } = masked;
  return {
    row: "count" in flow ? documentRow(masked, flow.count, server) : flowRow(masked),
    ...describeFailure(exchanges, findFailure(exchanges), findHelp),
    steps: exchanges.map((exchange, i) => ({
      href: stepPath(flow, i + 1),
      title: exchange.title,
      status: exchangeStatus(exchange),
    })),
  };
}

/** Index of the first of the consecutive rejections at the end: it usually causes the others. */
export function findFailure(exchanges: readonly Exchange[]): number {
  let index = exchanges.findLastIndex(rejectsClient);
  while (index > 0 && rejectsClient(exchanges[index - 1]!)) index--;
  return index;
}

/** Whether a rule rejected a request of the client. */
export function rejectsClient(exchange: Exchange): boolean {
  return exchange.rejection !== undefined;
}

function isFailed({ outcome }: Exchange): boolean {
  return outcome === "rejected" || outcome === "dropped";
}

/** The rejection of an exchange, in short: by a rule, or by an injected fault. */
function rejectionSummary(exchange: Exchange): RejectionSummary | undefined {
  const { rejection, faults, response } = exchange;
  if (rejection !== undefined) {
    const { error, explanation: { rule, reason } } = rejection;
    return { error, rule, reason };
  }
  if (faults.length === 0 || !isFailed(exchange)) return undefined;
  const { error } = response === undefined ? {} : parseJsonMembers(response);
  return { ...typeof error === "string" && { error }, reason: `injected fault: ${faults.join(", ")}` };
}

/** Why the exchange at an index was rejected, and whether the flow continued after it. */
function describeFailure(
  exchanges: readonly Exchange[],
  index: number,
  findHelp: FindHelp,
): Pick<FlowProps, "reason" | "continued"> {
  const failed = exchanges[index];
  if (failed?.rejection === undefined) return { continued: false };
  const { error, explanation } = failed.rejection;
  const { rule, reason, expected, received, earlier, fix } = explanation;
  const { cites = [] } = findRule(rule) ?? {};
  const later = exchanges.slice(index + 1);
  return {
    reason: {
      ...{
        step: index + 1,
        request: failed.number,
        title: failed.title,
        more: later.filter(rejectsClient).length,
      },
      ...{ error, rule, cites, reason, expected, received, earlier, fix },
      ...findHelp(explanation),
    },
    continued: later.some((exchange) => !rejectsClient(exchange)),
  };
}

/** A failure, with what is wrong with the secret that was sent. */
async function withSentSecret(
  server: Server,
  failed: Exchange | undefined,
  { reason, continued }: Pick<FlowProps, "reason" | "continued">,
): Promise<Pick<FlowProps, "reason" | "continued">> {
  const sentSecret = reason && failed && await describeSentSecret(server, failed);
  return { reason: reason && { ...reason, sentSecret }, continued };
}

function describeStep(
  masked: Masked<Exchange>,
  number: number,
  options: FlowOptions,
): Omit<FlowStep, "open" | "brief"> {
  const exchange = options.secrets ? masked.original : masked.masked;
  const { at, respondedAt, faults, events } = exchange;
  const request = requestMessage(masked, options);
  const response = responseMessage(masked, options);
  return {
    number,
    title: exchange.title,
    at,
    durationMs: respondedAt === undefined ? undefined : respondedAt - at,
    status: exchangeStatus(exchange),
    rejection: rejectionSummary(exchange),
    hops: exchangeHops(exchange),
    checks: exchangeChecks(exchange, options.checkOrder(exchange)),
    warnings: exchangeWarnings(exchange),
    notes: [
      ...faults.map((error) => `Injected fault: ${error}.`),
      ...events.flatMap(eventNote),
    ],
    request,
    response,
    hasCommand: isRecordedWhole(masked.original.request),
    masked: countMasked(request) + (response === undefined ? 0 : countMasked(response)),
  };
}

/** The sentence about an event that no check describes. */
function eventNote(event: TraceEvent): string[] {
  switch (event.type) {
    case "note": {
      const { reason, fix } = event.explanation;
      return [`${upperFirst(reason)}. ${fix}`];
    }
    case "grant_revoked":
      return [`Every token of the grant was revoked: ${event.reason}.`];
    case "back_channel_logout": {
      const result = event.status === undefined ? "no response" : `status ${event.status}`;
      return [`Back-channel logout of ${event.client}, call ${event.attempt}: ${result}.`];
    }
    default:
      return [];
  }
}

/** The arrows of a step: the request and its response. */
function exchangeHops(exchange: Exchange): Hop[] {
  const { caller, request: { method, path }, response } = exchange;
  const sender = caller === "browser" ? "browser" : "client";
  const request: Hop = { from: sender, to: "server", label: `${method} ${path}`, carries: requestSummary(exchange) };
  if (response === undefined) return [request];
  const isFailure = isFailed(exchange);
  const { status, authorizationResponse } = response;
  if (authorizationResponse === undefined) {
    return [request, { from: "server", to: sender, label: `${status}`, carries: responseSummary(response), isFailure }];
  }
  const { uri, params } = authorizationResponse;
  const error = fieldValue(params, "error");
  const carries = error === undefined ? params.map(([name]) => name).join(", ") : `error=${error}`;
  return [request, { from: "server", to: "client", through: "browser", label: `${status} ${uri}`, carries, isFailure }];
}

/** The content of a response, in short. */
function responseSummary(response: RecordedResponse): string | undefined {
  if (response.headers.location !== undefined) return parseLocation(response.headers.location).uri;
  const members = parseJsonMembers(response);
  if (typeof members.error === "string") return members.error;
  const names = Object.keys(members).filter((name) => summaryMembers.includes(name));
  return names.map((name) => name === "active" ? `active: ${members.active}` : name).join(", ") || undefined;
}

/** The JSON members that the arrow of a response names. */
const summaryMembers = ["access_token", "refresh_token", "id_token", "active", "sub", "keys", "issuer"];

/** The content of a request, in short. */
function requestSummary({ request }: Exchange): string | undefined {
  const fields = [...request.query, ...request.form];
  const summary = summaryParameters.flatMap((name) => {
    const value = fieldValue(fields, name);
    return value === undefined ? [] : [`${name}=${value}`];
  });
  if (fieldValue(fields, "code_challenge") !== undefined) summary.push("code_challenge");
  return summary.join(", ") || undefined;
}

/** The parameters of a request that its arrow shows. */
const summaryParameters = ["grant_type", "scope", "prompt", "login_hint"];

/** The order of the checks of an exchange: that of its grant type, or of its endpoint. */
export function findCheckOrder(
  { server, endpoints }: Pick<App, "server" | "endpoints">,
  { caller, endpoint, request }: Exchange,
): readonly RuleId[] {
  const grantType = caller === "client" ? fieldValue(request.form, "grant_type") : undefined;
  if (grantType === undefined) return endpoints.find(({ name }) => name === endpoint)?.checks ?? [];
  // A recorder of the program may have requests of a grant type that the settings switch off.
  const optional = asServerPolicy(server.policy).extensions.flatMap(({ grantTypes = [] }) => grantTypes);
  return [...server.grantTypes, ...optional].find(({ type }) => type === grantType)?.checks ?? [];
}
