/** What the pages of the inspector are drawn from: plain values, in words and masked already. */

import type { Asset, Site } from "../../app/pages.ts";

/** A status: good, good with a warning, bad, or neutral. */
export type Tone = "good" | "warn" | "bad" | "open";

/** How something stands, in words. */
export interface Status {
  readonly tone: Tone;
  readonly label: string;
}

/** What flows can be filtered by. */
export type FlowKind = "done" | "rejected" | "open";

/** A refusal, in short. */
export interface RejectionSummary {
  /** The error on the wire; absent where the answer named none. */
  readonly error?: string;
  /** The ID of the rule; absent where no rule said no, but a fault had a hand in it. */
  readonly rule?: string;
  readonly reason: string;
}

/** One flow as a line. Times in milliseconds since the epoch. */
export interface FlowRow {
  readonly id: string;
  readonly at: number;
  readonly client?: string;
  readonly user?: string;
  readonly status: Status;
  readonly steps: number;
  /** Why it failed, or why a step of it did. */
  readonly rejection?: RejectionSummary;
}

/** The list of flows, newest first. */
export interface FlowListProps extends Site {
  readonly rows: readonly FlowRow[];
  /** How many flows are remembered, whether they fit the filter or not. */
  readonly flowCount: number;
  /** Every client that a flow is known of. */
  readonly clients: readonly string[];
  readonly filter: { readonly client?: string; readonly outcome?: FlowKind };
  /** The flow before which the next page goes on. */
  readonly older?: string;
  readonly recording: boolean;
  /** Proves that a form came from here. */
  readonly csrfToken: string;
  /** Where the demo flow starts; absent where there is none. */
  readonly start?: string;
}

/** A parameter, a header or a member, as it was on the wire. */
export interface MessageField {
  readonly name: string;
  readonly value: string;
  /** Whether the value is masked here. */
  readonly masked?: boolean;
  /** What the value says, where it is a JWT. */
  readonly jwt?: JwtContent;
}

/** A JWT, taken apart without being verified. */
export interface JwtContent {
  readonly header: readonly JwtMember[];
  readonly claims: readonly JwtMember[];
}

/** A member of a JWT. */
export interface JwtMember {
  readonly name: string;
  /** As JSON, strings without their quotes. */
  readonly value: string;
  /** What a time means. */
  readonly note?: string;
}

/** One side of an exchange as it was on the wire. */
export interface MessageDetails {
  /** The request line or the status line. */
  readonly line: string;
  readonly headers: readonly MessageField[];
  /** Each group with what it is: query, body, … */
  readonly parts: readonly { readonly title: string; readonly sent: readonly MessageField[] }[];
  /** A body that is neither a form nor JSON. */
  readonly text?: string;
}

/** Who speaks. */
export type Participant = "client" | "browser" | "server";

/** One arrow of the sequence diagram. */
export interface Hop {
  readonly from: Participant;
  readonly to: Participant;
  /** Who hands it on without being asked. */
  readonly through?: Participant;
  /** What travels, in the words of the wire. */
  readonly label: string;
  /** What it carries, in short. */
  readonly carries?: string;
  readonly isFailure?: boolean;
}

/** A rule that was looked at, or would have been. */
export interface RuleCheckResult {
  /** Undefined: it was not looked at. */
  readonly passed: boolean | undefined;
  readonly rule: string;
  /** The specifications that the rule cites. */
  readonly cites: readonly string[];
  readonly statement: string;
  readonly value?: string;
  readonly expected?: string;
  readonly received?: string;
  readonly earlier?: string;
}

/** One exchange of a flow. */
export interface FlowStep {
  /** Counts from 1 within the flow. */
  readonly number: number;
  readonly title: string;
  readonly at: number;
  /** Milliseconds until the answer. */
  readonly durationMs?: number;
  readonly status: Status;
  /** Why it was refused, or not answered. */
  readonly rejection?: RejectionSummary;
  readonly hops: readonly Hop[];
  readonly checks: readonly RuleCheckResult[];
  readonly warnings: readonly RuleCheckResult[];
  /** What the server noticed meanwhile, a sentence each. */
  readonly notes: readonly string[];
  readonly request: MessageDetails;
  readonly response?: MessageDetails;
  /** How many values are masked in it. */
  readonly masked: number;
  /** Whether it is unfolded at first. */
  readonly open: boolean;
}

/** The reason of a refusal, in full. */
export interface FailureReason extends RejectionSummary {
  readonly error: string;
  readonly rule: string;
  /** The specifications that the rule cites. */
  readonly cites: readonly string[];
  /** The step that was refused. */
  readonly step: number;
  /** How many were refused right after it, and most likely because of it. */
  readonly more: number;
  readonly title: string;
  readonly expected?: string;
  readonly received?: string;
  readonly earlier?: string;
  readonly fix?: string;
}

/** Something that was issued, and what was issued for it. */
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
  /** Milliseconds from the first request to the last answer. */
  readonly durationMs?: number;
  /** Whether what was refused in the end was the flow, and not only a step of it. */
  readonly continued: boolean;
  readonly reason?: FailureReason;
  readonly steps: readonly FlowStep[];
  /** How many steps there are in all, and where the next ones begin that are not on this page. */
  readonly next?: number;
  readonly issued: readonly Issued[];
  /** Whether values may be unmasked here, and whether they are. */
  readonly secrets: "masked" | "shown" | "never";
  readonly csrfToken: string;
}

/** The pages of the inspector: props in, a whole HTML document out. */
export interface FlowPages {
  /** The list. */
  list(props: FlowListProps): string;
  /** One flow. */
  flow(props: FlowProps): string;
  /** The style sheets and scripts of these pages, by the last part of `{base}/flows/{name}`. */
  readonly assets: Readonly<Record<string, Asset>>;
}
