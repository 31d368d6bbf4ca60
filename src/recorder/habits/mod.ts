/**
 * The habits of good clients, read from recorded traffic: nothing is injected, and nothing is sent.
 *
 * 1. `traffic.ts` sorts the exchanges of a client: authorization requests, token requests, tokens.
 * 2. Each category has a file of definitions; a definition reads the traffic and returns what it finds.
 * 3. {@link checkHabits} turns findings into outcomes: passed, failed, warning, noted, not seen.
 *
 * To add a habit, add a definition to the file of its category.
 */

import { redactText } from "../../server/redaction/redact.ts";
import { registeredSecretsFor } from "../exchange_draft.ts";
import { authenticationHabits } from "./authentication.ts";
import { authorizationRequestHabits } from "./authorization_request.ts";
import { dpopHabits } from "./dpop.ts";
import { extensionHabits } from "./extensions.ts";
import type { Evidence, Habit, HabitDefinition } from "./habit.ts";
import { metadataHabits } from "./metadata.ts";
import { pkceHabits } from "./pkce.ts";
import { redirectHabits } from "./redirects.ts";
import { refreshHabits } from "./refresh.ts";
import { requestHabits } from "./requests.ts";
import { tokenHabits } from "./tokens.ts";
import { readTraffic, type Recording, type TrafficFacts } from "./traffic.ts";
import type { Exchange } from "../exchange.ts";
import type { HabitOutcome } from "./outcome.ts";

export type { Recording, TrafficFacts } from "./traffic.ts";

/** The habits by category, in the order of a login. */
const habitCategories: Readonly<Record<string, readonly HabitDefinition[]>> = {
  metadata: metadataHabits,
  requests: requestHabits,
  "authorization-requests": authorizationRequestHabits,
  pkce: pkceHabits,
  redirects: redirectHabits,
  authentication: authenticationHabits,
  tokens: tokenHabits,
  refresh: refreshHabits,
  extensions: extensionHabits,
  dpop: dpopHabits,
};

/** Every habit, in the order of a login. */
export const habits: readonly HabitDefinition[] = Object.values(habitCategories).flat();

/** One habit, and what the traffic shows of it. */
export interface HabitResult {
  /** The habit. */
  readonly habit: Habit;
  /** What the traffic shows. */
  readonly outcome: HabitOutcome;
  /** Why, one sentence without a full stop. */
  readonly because: string;
  /** What the client did; for a habit that passed, the exchanges in which it was seen. */
  readonly evidence: readonly Evidence[];
}

/** Which part of the traffic counts. */
export interface HabitSelection extends TrafficFacts {
  /**
   * The flow to report; the other exchanges are compared with it. Exchanges outside of flows, such as metadata, belong
   * to every flow. Default: all exchanges.
   */
  readonly flow?: string;
  /** The list of habits. Default: {@link habits}. */
  readonly of?: readonly HabitDefinition[];
}

/** Checks the habits of one client. */
export async function readHabits(
  recordings: readonly Recording[],
  { flow, of: list = habits, ...facts }: HabitSelection = {},
): Promise<HabitResult[]> {
  const traffic = readTraffic(recordings, facts);
  const isSelected = (exchange: Evidence["exchanges"][number]) =>
    flow === undefined || exchange.flow === undefined || exchange.flow === flow;
  return await Promise.all(
    list.map(async (habit): Promise<HabitResult> => {
      const check = await habit.check(traffic);
      const seen = check.seen.filter(isSelected);
      const findings = check.findings
        .filter(({ exchanges }) => exchanges.length === 0 || exchanges.some(isSelected))
        .map((finding) => {
          const [exchange] = finding.exchanges;
          return { ...finding, because: redactText(finding.because, exchange && registeredSecretsFor(exchange)) };
        });
      return describeHabit(habit, seen, findings);
    }),
  );
}

function describeHabit(
  habit: Habit,
  seen: Evidence["exchanges"],
  findings: readonly Evidence[],
): HabitResult {
  const decisive = findings.find(({ isNote }) => !isNote) ?? findings[0];
  if (decisive !== undefined) {
    const outcome = decisive.isNote ? "noted" : habit.level === "required" ? "failed" : "warning";
    return { habit, outcome, because: decisive.because, evidence: findings };
  }
  if (seen.length === 0) {
    return {
      habit,
      outcome: "not seen",
      because: `not recorded: ${habit.occasion}`,
      evidence: [],
    };
  }
  const because = `seen in ${seen.length} ${seen.length === 1 ? "request" : "requests"}`;
  return { habit, outcome: "passed", because, evidence: [{ exchanges: seen, because }] };
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
