/**
 * The practices of good clients, read from recorded traffic: nothing is injected, and nothing is sent.
 *
 * 1. `traffic.ts` sorts the exchanges of a client: authorization requests, token requests.
 * 2. Each file of definitions is about one kind of request; a definition reads the traffic and returns what it finds.
 * 3. {@link checkPractices} turns findings into outcomes: passed, failed, warning, skipped.
 *
 * To add a practice, add a definition to the file of its kind.
 */

import { redactText } from "../../server/redaction/redact.ts";
import { registeredSecretsFor } from "../exchange_draft.ts";
import { authorizationRequestPractices } from "./authorization_request.ts";
import type { Evidence, Practice, PracticeDefinition, PracticeOutcome } from "./practice.ts";
import { pkcePractices } from "./pkce.ts";
import { redirectPractices } from "./redirects.ts";
import { requestPractices } from "./requests.ts";
import { tokenPractices } from "./tokens.ts";
import { readTraffic, type Recording, type TrafficFacts } from "./traffic.ts";
import type { Exchange } from "../exchange.ts";

export type { Recording, TrafficFacts } from "./traffic.ts";

/** Every practice, in the order of a login: what a client does wrong although each of its requests is accepted. */
export const practices: readonly PracticeDefinition[] = [
  ...authorizationRequestPractices,
  ...pkcePractices,
  ...redirectPractices,
  ...tokenPractices,
  ...requestPractices,
];

/** One practice, and what the traffic shows of it. */
export interface PracticeResult {
  /** The practice. */
  readonly practice: Practice;
  /** What the traffic shows. */
  readonly outcome: PracticeOutcome;
  /** Why, one sentence without a full stop. */
  readonly because: string;
  /** What the client did; for a practice that passed, the exchanges in which it was seen. */
  readonly evidence: readonly Evidence[];
}

/** Which part of the traffic counts. */
export interface PracticeSelection extends TrafficFacts {
  /**
   * The flow to report; the other exchanges are compared with it. Exchanges outside of flows, such as metadata, belong
   * to every flow. Default: all exchanges.
   */
  readonly flow?: string;
}

/** Checks the practices of one client. */
export async function readPractices(
  recordings: readonly Recording[],
  { flow, ...facts }: PracticeSelection = {},
): Promise<PracticeResult[]> {
  const traffic = readTraffic(recordings, facts);
  const isSelected = (exchange: Evidence["exchanges"][number]) =>
    flow === undefined || exchange.flow === undefined || exchange.flow === flow;
  return await Promise.all(
    practices.map(async (practice): Promise<PracticeResult> => {
      const check = await practice.check(traffic);
      const seen = check.seen.filter(isSelected);
      const findings = check.findings
        .filter(({ exchanges }) => exchanges.length === 0 || exchanges.some(isSelected))
        .map((finding) => {
          const [exchange] = finding.exchanges;
          return { ...finding, because: redactText(finding.because, exchange && registeredSecretsFor(exchange)) };
        });
      return describePractice(practice, seen, findings);
    }),
  );
}

function describePractice(
  practice: Practice,
  seen: Evidence["exchanges"],
  findings: readonly Evidence[],
): PracticeResult {
  const decisive = findings.find(({ isNote }) => !isNote) ?? findings[0];
  if (decisive !== undefined) {
    const { isNote, level = practice.level } = decisive;
    const outcome = isNote ? "passed" : level === "required" ? "failed" : "warning";
    return { practice: { ...practice, level }, outcome, because: decisive.because, evidence: findings };
  }
  if (seen.length === 0) {
    return {
      practice,
      outcome: "skipped",
      because: `not recorded: ${practice.occasion}`,
      evidence: [],
    };
  }
  const because = `seen in ${seen.length} ${seen.length === 1 ? "request" : "requests"}`;
  return { practice, outcome: "passed", because, evidence: [{ exchanges: seen, because }] };
}

/** The clients that exchanges name. */
export function clientsOf(exchanges: readonly Exchange[]): readonly string[] {
  return [...new Set(exchanges.flatMap(({ client }) => client ?? []))];
}

/**
 * The exchanges of a client and of its flows. A request that names no client, such as one for metadata or keys, belongs
 * to the client if its user agent is one of this client and of no other client.
 */
export function exchangesOfClient(exchanges: readonly Exchange[], client: string): Exchange[] {
  const flows = new Set(exchanges.flatMap((exchange) => exchange.client === client ? exchange.flow ?? [] : []));
  const isOwn = (exchange: Exchange) =>
    exchange.client === client || exchange.flow !== undefined && flows.has(exchange.flow);
  const agentOf = ({ request: { headers } }: Exchange) => headers["user-agent"] ?? "";
  const direct = exchanges.filter(({ caller }) => caller === "client" || caller === "resource client");
  const ownAgents = new Set(direct.filter(isOwn).map(agentOf));
  for (const exchange of direct) if (!isOwn(exchange)) ownAgents.delete(agentOf(exchange));
  return exchanges.filter((exchange) =>
    isOwn(exchange) || exchange.client === undefined && exchange.flow === undefined && ownAgents.has(agentOf(exchange))
  );
}
