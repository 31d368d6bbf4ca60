/** The props of the inspector's pages: plain values, already redacted. */

import type { JwtContent } from "../decoded_token.tsx";
import type { Site } from "../layout.tsx";
import type { Asset } from "../pages.ts";

/** A status: good, good with a warning, bad, or neutral. */
export type Tone = "good" | "warn" | "bad" | "open";

/** A status in words. */
export interface Status {
  readonly tone: Tone;
  readonly label: string;
}

/** A category by which flows are filtered. */
export type FlowKind = "done" | "rejected" | "open";

/** A rejection, in short. */
export interface RejectionSummary {
  /** The error code; absent if the response has none. */
  readonly error?: string;
  /** The ID of the rule; absent if an injected fault or the embedding program is the reason. */
  readonly rule?: string;
  readonly reason: string;
}

/** One flow as a row. Times in milliseconds since the epoch. */
export interface FlowRow {
  readonly id: string;
  readonly at: number;
  readonly client?: string;
  readonly user?: string;
  readonly status: Status;
  readonly steps: number;
  /** Why it or a step of it failed. */
  readonly rejection?: RejectionSummary;
}

/** The list of flows, newest first. */
export interface FlowListProps extends Site {
  readonly rows: readonly FlowRow[];
  /** The number of recorded flows, without the filter. */
  readonly flowCount: number;
  /** Every client with a recorded flow. */
  readonly clients: readonly string[];
  readonly filter: { readonly client?: string; readonly outcome?: FlowKind };
  /** The flow before which the next page starts. */
  readonly older?: string;
  readonly recording: boolean;
  readonly csrfToken: string;
  /** The path that starts the demo flow; absent without a demo client. */
  readonly start?: string;
}

/** A parameter, a header or a JSON member. */
export interface MessageField {
  readonly name: string;
  readonly value: string;
  /** Whether the value is redacted. */
  readonly masked?: boolean;
  /** The decoded JWT, if the value is one. */
  readonly jwt?: JwtContent;
}

/** A request or a response. */
export interface MessageDetails {
  /** The request line or status line. */
  readonly line: string;
  readonly headers: readonly MessageField[];
  /** Groups of parameters with a title: query, body, … */
  readonly parts: readonly { readonly title: string; readonly sent: readonly MessageField[] }[];
  /** A body that is neither a form nor JSON. */
  readonly text?: string;
}

/** A lane of the sequence diagram. */
export type Participant = "client" | "browser" | "server";

/** One arrow of the sequence diagram. */
export interface Hop {
  readonly from: Participant;
  readonly to: Participant;
  /** The participant that forwards it. */
  readonly through?: Participant;
  /** The request line or status. */
  readonly label: string;
  /** The content, in short. */
  readonly carries?: string;
  readonly isFailure?: boolean;
}

export interface RuleCheckResult {
  /** Undefined: not checked. */
  readonly passed: boolean | undefined;
  /** The ID of the rule; absent for a rejection of the embedding program. */
  readonly rule?: string;
  /** The sections that the rule cites. */
  readonly cites: readonly string[];
  readonly statement: string;
  readonly value?: string;
  readonly expected?: string;
  readonly received?: string;
  readonly earlier?: string;
  /** How to fix the request: shown with a warning. */
  readonly fix?: string;
}

/** One exchange of a flow. */
export interface FlowStep {
  /** Counts from 1 within the flow. */
  readonly number: number;
  readonly title: string;
  readonly at: number;
  /** Milliseconds until the response. */
  readonly durationMs?: number;
  readonly status: Status;
  /** Why it was rejected or dropped. */
  readonly rejection?: RejectionSummary;
  readonly hops: readonly Hop[];
  readonly checks: readonly RuleCheckResult[];
  readonly warnings: readonly RuleCheckResult[];
  /** Events during the step, one sentence each. */
  readonly notes: readonly string[];
  readonly request: MessageDetails;
  readonly response?: MessageDetails;
  /** The number of redacted values. */
  readonly masked: number;
  /** Whether it is initially unfolded. */
  readonly open: boolean;
}

/** The reason of a rejection, in full. */
export interface FailureReason
  extends RejectionSummary, Pick<RuleCheckResult, "cites" | "expected" | "received" | "earlier"> {
  readonly error: string;
  /** The rejected step. */
  readonly step: number;
  /** The number of rejections right after it, most likely caused by it. */
  readonly more: number;
  readonly title: string;
  readonly fix?: string;
}

/** An issued code or token, with the tokens issued for it. */
export interface Issued {
  readonly name: string;
  /** The step that issued it. */
  readonly step: number;
  readonly status: Status;
  readonly children: readonly Issued[];
}

/** A flow in full. */
export interface FlowProps extends Site {
  readonly row: FlowRow;
  /** Milliseconds from the first request to the last response. */
  readonly durationMs?: number;
  /** Whether the flow continued after the rejection. */
  readonly continued: boolean;
  readonly reason?: FailureReason;
  readonly steps: readonly FlowStep[];
  /** The server's clock, in milliseconds since the epoch. */
  readonly now: number;
  /** The first step of the next page; absent on the last page. */
  readonly next?: number;
  readonly issued: readonly Issued[];
  /** Whether secrets are shown; `never`: they cannot be shown. */
  readonly secrets: "masked" | "shown" | "never";
  readonly csrfToken: string;
}

/** The pages of the inspector: props in, an HTML document out. */
export interface FlowPages {
  list(props: FlowListProps): string;
  flow(props: FlowProps): string;
  /** Style sheets and scripts of these pages, by the last segment of `{base}/flows/{name}`. */
  readonly assets: Readonly<Record<string, Asset>>;
}
