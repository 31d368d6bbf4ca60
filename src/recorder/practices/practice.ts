/** The type of a practice: what a good client does in every request, as its recorded requests show it. */

import type { Exchange } from "../exchange.ts";
import type { Traffic } from "./traffic.ts";

/** @internal Whether a specification demands the practice, or recommends it. */
export type PracticeLevel = "required" | "recommended";

/** @internal What the traffic shows of a practice. */
export type PracticeOutcome =
  /** The client has it, or a specification allows what it does instead. */
  | "passed"
  /** The client lacks it, and a specification demands it. */
  | "failed"
  /** The client lacks it, and a specification recommends it. */
  | "warning"
  /** The traffic has no occasion for it. */
  | "skipped";

/** @internal The basis of a finding. */
export interface Evidence {
  /** The exchanges, the decisive one first; empty for a request to another origin. */
  readonly exchanges: readonly Exchange[];
  /** The parameter, header or member; absent if it is the request as a whole. */
  readonly parameter?: string;
  /** What the client did, one sentence without a full stop. It contains no secret. */
  readonly because: string;
  /** Whether a specification allows it: the practice has then passed. */
  readonly isNote?: boolean;
  /** Whether a specification demands the practice of this client. Default: the level of the practice. */
  readonly level?: PracticeLevel;
}

/** What the traffic shows of a practice. */
export interface PracticeCheck {
  /** The exchanges in which the practice can be seen; empty: it is skipped. */
  readonly seen: readonly Exchange[];
  /** Evidence of deviations from the practice; empty if the client has the practice. */
  readonly findings: readonly Evidence[];
}

/** A practice of a good client. */
export interface Practice {
  /** The name: `pkce-used`. Never changes. */
  readonly id: string;
  /** What a good client does, one sentence. */
  readonly title: string;
  /** Whether a specification demands it. */
  readonly level: PracticeLevel;
  /** The sections of the specifications, and the tests, that it rests on. */
  readonly sources: readonly string[];
  /** What the client must send so that the practice can be seen: `an authorization request`. */
  readonly occasion: string;
}

export interface PracticeDefinition extends Practice {
  /** Reads the traffic of one client. */
  check(traffic: Traffic): PracticeCheck | Promise<PracticeCheck>;
}

/** What one request shows: a finding without its exchange. */
export type RequestFinding = Omit<Evidence, "exchanges"> & {
  /** Other exchanges that it rests on, such as the request that it is compared with. Default: none. */
  readonly others?: readonly Exchange[];
};

/** Something that was sent in an exchange. */
interface Sent {
  readonly exchange: Exchange;
}

/** Examines each request on its own. `undefined`: the request is as it should be. */
export function examineEach<Item extends Sent>(
  items: readonly Item[],
  examine: (item: Item) => RequestFinding | undefined,
): PracticeCheck {
  return {
    seen: items.map(({ exchange }) => exchange),
    findings: items.flatMap((item) => {
      const found = examine(item);
      return found === undefined ? [] : [toEvidence(item, found)];
    }),
  };
}

export function toEvidence({ exchange }: Sent, { others = [], ...finding }: RequestFinding): Evidence {
  return { ...finding, exchanges: [exchange, ...others.filter(({ number }) => number !== exchange.number)] };
}

/** Finds values that a request shares with an earlier one. Not seen with fewer than two requests. */
export function examineFreshness<Item extends Sent>(
  items: readonly Item[],
  getValue: (item: Item) => string | undefined,
  finding: Omit<RequestFinding, "others">,
): PracticeCheck {
  const withValue = items.filter((item) => getValue(item) !== undefined);
  const first = new Map<string, Item>();
  const findings = withValue.flatMap((item) => {
    const earlier = first.get(getValue(item)!);
    if (earlier === undefined) first.set(getValue(item)!, item);
    return earlier === undefined ? [] : [toEvidence(item, { ...finding, others: [earlier.exchange] })];
  });
  return { seen: withValue.length < 2 ? [] : withValue.map(({ exchange }) => exchange), findings };
}

/** Combines checks of one practice. It is seen in every exchange in which one of them sees it. */
export function combineChecks(...checks: readonly PracticeCheck[]): PracticeCheck {
  return { seen: [...new Set(checks.flatMap(({ seen }) => seen))], findings: checks.flatMap((one) => one.findings) };
}
