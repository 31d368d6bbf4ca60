/** One flow, made ready for its page. */

import { findRule } from "../oauth/rules/mod.ts";
import type { Server } from "../oauth/server.ts";
import type { Exchange, Flow, RecordedAnswer } from "../recorder/exchange.ts";
import { maskFlow } from "../recorder/redact.ts";
import { membersOf, readLocation } from "../recorder/read_response.ts";
import type { FlowProps, FlowRow, FlowStep, Hop, Reason, ShortRefusal } from "../ui/flows/props.ts";
import { checksOf, warningsOf } from "./checks.ts";
import { issuedIn } from "./issued.ts";
import { answerOf, countMasked, requestOf } from "./message.ts";
import type { Both, Showing } from "./message.ts";
import { flowStanding, standingOf, titleOf, valueOf } from "./labels.ts";

/** As many steps as one page shows. */
export const stepsPerPage = 40;

/** A flow as a line of the list; masked where it is shown. */
export function rowOf(flow: Flow): FlowRow {
  const { id, startedAt, client, sub, exchanges } = flow;
  const failed = exchanges[findFailure(exchanges)] ?? exchanges.findLast(isFailed);
  const refusal = failed && shortRefusal(failed);
  return {
    id,
    at: startedAt,
    client,
    // A client that acts for itself is no user.
    user: sub === client ? undefined : sub,
    standing: flowStanding(flow),
    steps: exchanges.length,
    ...refusal && { refusal },
  };
}

/** What the page of a flow shows, from the step `from` on. */
export async function describeFlow(
  server: Server,
  flow: Flow,
  from: number,
  showing: Showing,
): Promise<Pick<FlowProps, "row" | "took" | "reason" | "wentOn" | "steps" | "next" | "issued">> {
  const masked = maskFlow(flow);
  const { exchanges, startedAt } = showing.secrets ? flow : masked;
  const failed = findFailure(exchanges);
  const last = exchanges.findLastIndex(isRefused);
  const end = exchanges.at(-1)?.answeredAt;
  const first = Math.min(Math.max(1, Math.trunc(from)), Math.max(1, exchanges.length));
  const shown = exchanges.slice(first - 1, first - 1 + stepsPerPage);
  const next = first + shown.length;
  return {
    row: rowOf(masked),
    took: end === undefined ? undefined : end - startedAt,
    reason: failed < 0 ? undefined : { ...reasonOf(exchanges[failed]!, failed + 1), more: last - failed },
    wentOn: last < exchanges.length - 1,
    steps: shown.map((_, i) => {
      const at = first + i - 1;
      const both = { whole: flow.exchanges[at]!, masked: masked.exchanges[at]! };
      return describeStep(both, at + 1, at === failed, showing);
    }),
    next: next <= exchanges.length ? next : undefined,
    issued: await issuedIn(server, flow),
  };
}

/** The step to begin with: what is refused right after a refusal is most often refused because of it. */
function findFailure(exchanges: readonly Exchange[]): number {
  let failed = exchanges.findLastIndex(isRefused);
  while (failed > 0 && isRefused(exchanges[failed - 1]!)) failed--;
  return failed;
}

function isRefused({ refusal }: Exchange): boolean {
  return refusal !== undefined;
}

function isFailed({ outcome }: Exchange): boolean {
  return outcome === "refused" || outcome === "lost";
}

/** Why an exchange ended badly, in few words: the rule that said no, or else the fault that had a hand in it. */
function shortRefusal(exchange: Exchange): ShortRefusal | undefined {
  const { refusal, faults, answer } = exchange;
  if (refusal !== undefined) {
    const { error, why: { rule, reason } } = refusal;
    return { error, rule, reason };
  }
  if (faults.length === 0 || !isFailed(exchange)) return undefined;
  const { error } = answer === undefined ? {} : membersOf(answer);
  return { ...typeof error === "string" && { error }, reason: `a fault had a hand in it: ${faults.join(", ")}` };
}

function reasonOf(exchange: Exchange, step: number): Omit<Reason, "more"> {
  const { error, why } = exchange.refusal!;
  const { rule, reason, expected, received, earlier } = why;
  const { fix: mend, cites = [] } = findRule(rule) ?? {};
  return { step, title: titleOf(exchange), error, rule, cites, reason, expected, received, earlier, mend };
}

function describeStep(both: Both<Exchange>, number: number, open: boolean, showing: Showing): FlowStep {
  const exchange = showing.secrets ? both.whole : both.masked;
  const { at, answeredAt, faults, events } = exchange;
  const request = requestOf(both, showing);
  const answer = answerOf(both, showing);
  return {
    number,
    title: titleOf(exchange),
    at,
    took: answeredAt === undefined ? undefined : answeredAt - at,
    standing: standingOf(exchange),
    refusal: shortRefusal(exchange),
    hops: hopsOf(exchange),
    checks: checksOf(exchange),
    warnings: warningsOf(exchange),
    notes: [
      ...faults.map((fault) => `A fault had a hand in this: ${fault}.`),
      ...events.flatMap((event) =>
        event.type === "family_ended" ? [`Everything that the grant bought has ended: ${event.reason}.`] : []
      ),
    ],
    request,
    answer,
    masked: countMasked(request) + (answer === undefined ? 0 : countMasked(answer)),
    open,
  };
}

const frontChannel: readonly Exchange["endpoint"][] = ["authorize", "login", "consent", "logout", "page"];

/** The arrows of a step: the request, and what came of it. */
function hopsOf(exchange: Exchange): Hop[] {
  const { endpoint, request, answer, outcome } = exchange;
  const asker = frontChannel.includes(endpoint) ? "browser" : "client";
  const hops: Hop[] = [{
    from: asker,
    to: "server",
    label: `${request.method} ${request.path}`,
    carries: carriedBy(exchange),
  }];
  if (answer === undefined) return hops;
  const bad = outcome === "refused" || outcome === "lost";
  if (answer.handover !== undefined) {
    const { uri, params } = answer.handover;
    const error = valueOf(params, "error");
    const carries = error === undefined ? params.map(([name]) => name).join(", ") : `error=${error}`;
    hops.push({ from: "server", to: "client", through: "browser", label: `${answer.status} ${uri}`, carries, bad });
  } else {
    hops.push({ from: "server", to: asker, label: `${answer.status}`, carries: answered(answer), bad });
  }
  return hops;
}

/** What an answer holds, in short. */
function answered(answer: RecordedAnswer): string | undefined {
  if (answer.headers.location !== undefined) return readLocation(answer.headers.location).uri;
  const members = membersOf(answer);
  if (typeof members.error === "string") return members.error;
  return Object.keys(members).filter((name) => telling.includes(name)).join(", ") || undefined;
}

/** The members of an answer that its arrow names. */
const telling = ["access_token", "refresh_token", "id_token", "active", "sub", "keys", "issuer"];

/** What a request is about, in short. */
function carriedBy({ endpoint, request }: Exchange): string | undefined {
  const fields = [...request.query, ...request.form];
  const names = endpoint === "authorize"
    ? ["scope", "prompt", "login_hint"]
    : endpoint === "token"
    ? ["grant_type"]
    : [];
  const told = names.flatMap((name) => {
    const value = valueOf(fields, name);
    return value === undefined ? [] : [`${name}=${value}`];
  });
  if (endpoint === "authorize" && valueOf(fields, "code_challenge") !== undefined) told.push("code_challenge");
  return told.join(", ") || undefined;
}
