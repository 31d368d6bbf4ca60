/** The practices of a flow's client, for the page of the flow. */

import type { Server } from "../../core/server.ts";
import type { Exchange, Flow } from "../../recorder/exchange.ts";
import { exchangesOfClient, readPractices } from "../../recorder/practices/mod.ts";
import type { Recorder } from "../../recorder/recorder.ts";
import { redactTextAbout } from "../../recorder/redact.ts";
import type { FlowPractices, PracticeEvidence, PracticeRow } from "./pages/props.ts";
import type { Tone } from "../../server/pages/status_badge.tsx";

/** Maximum number of findings of one practice on the page. */
const maxFindings = 3;

/** Maximum number of linked exchanges of one finding. */
const maxLinks = 3;

/** The outcomes in the order of the page. */
const outcomes = ["failed", "warning", "passed", "skipped"] as const;

/** The outcomes that say what the client should change. */
const lackingOutcomes: readonly (typeof outcomes[number])[] = ["failed", "warning"];

const tones: Readonly<Record<typeof outcomes[number], Tone>> = {
  failed: "bad",
  warning: "warn",
  passed: "good",
  skipped: "open",
};

/**
 * The practices that one flow shows. The other flows of its client are compared with it.
 *
 * @param all Whether to list the practices that passed or were skipped, too.
 */
export async function describePractices(
  server: Server,
  recorder: Recorder,
  flow: Flow,
  base: string,
  all: boolean,
): Promise<FlowPractices> {
  const { client } = flow;
  const exchanges = client === undefined ? flow.exchanges : exchangesOfClient(recorder.exchanges(), client);
  const registered = client === undefined ? undefined : server.clients.known().get(client);
  const recording = { issuer: server.issuer, exchanges, client: registered?.metadata };
  const results = await readPractices([recording], { flow: flow.id });
  const rows = results.map(({ practice: { id, title, sources }, outcome, because, evidence }): PracticeRow & {
    readonly outcome: typeof outcome;
  } => ({
    ...{ id, title, sources, outcome },
    status: { tone: tones[outcome], label: outcome },
    ...outcome === "skipped" && { because },
    evidence: evidence.slice(0, maxFindings).map((item): PracticeEvidence => ({
      ...item.parameter !== undefined && { parameter: redactTextAbout(item.parameter, item.exchanges) },
      because: redactTextAbout(item.because, item.exchanges),
      steps: item.exchanges.slice(0, maxLinks).map((exchange) => describeStep(exchange, flow, base)),
    })),
  }));
  const lacking = rows.filter(({ outcome }) => lackingOutcomes.includes(outcome)).length;
  return {
    summary: lacking === 0
      ? "Nothing to improve."
      : `${lacking} ${lacking === 1 ? "improvement" : "improvements"} suggested.`,
    rows: (all ? outcomes : lackingOutcomes).flatMap((outcome) => rows.filter((row) => row.outcome === outcome)),
    lacking,
    total: rows.length,
    all,
  };
}

/** The name of an exchange, and where the pages show it. Exchanges outside of flows have no page. */
function describeStep(exchange: Exchange, flow: Flow, base: string): PracticeEvidence["steps"][number] {
  if (exchange.flow === undefined) return { title: exchange.title };
  const step = flow.exchanges.findIndex(({ number }) => number === exchange.number) + 1;
  return {
    title: step > 0 ? `step ${step}` : `flow ${exchange.flow}`,
    href: `${base}/flows/of/${exchange.number}`,
  };
}
