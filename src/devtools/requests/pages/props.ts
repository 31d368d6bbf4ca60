/** The props of the inspector's pages: plain values, already redacted. */

import type { FoundMessage } from "../../messages/find_messages.ts";
import type { ServerFact } from "../../messages/what_server_saw.ts";
import type { RuleResult, SuggestedMatch } from "../../../server/pages/rule_result.ts";
import type { JwtContent } from "../../../server/pages/decoded_token.tsx";
import type { FixLink } from "../../../server/pages/rejection.tsx";
import type { NavigationLink } from "../../../server/endpoint.ts";
import type { Site } from "../../../server/pages/layout.tsx";
import type { Status } from "../../../server/pages/status_badge.tsx";

/** The categories by which rows are filtered; `documents`: metadata, keys and missing pages, outside of flows. */
export type FlowKind = "done" | "rejected" | "pending" | "documents";

/** What the list shows. */
export interface FlowFilter {
  readonly client?: string;
  readonly outcome?: FlowKind;
  /** Words that each row contains. */
  readonly q?: string;
}

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
  /** The number of the flow; of requests for a document, `d` and a number. */
  readonly id: string;
  readonly at: number;
  readonly client?: string;
  readonly user?: string;
  /** The title of the step that decided the outcome. */
  readonly endpoint: string;
  /** `success`, `error`, `pending` or `revoked`. */
  readonly outcome: Status;
  /** The outcome in more words. */
  readonly status: Status;
  /** Milliseconds from the first request to the last response. */
  readonly durationMs?: number;
  readonly steps: number;
  /** Why it or a step of it failed. */
  readonly rejection?: RejectionSummary;
  /** What should be fixed although the request was accepted, one sentence. */
  readonly warning?: string;
  /** The path, if the row is for repeated requests for one document; `steps` is their number. */
  readonly document?: string;
}

/** Differences from the last success of a client. */
export interface SinceSuccess {
  /** The ID of the flow that succeeded. */
  readonly flow: string;
  /** Such as `scope was openid`. */
  readonly differences: readonly string[];
}

/** A flow beside the list. */
export interface FlowSummary extends Pick<FlowProps, "row" | "reason" | "continued"> {
  readonly steps: readonly (Pick<FlowStep, "title" | "status"> & {
    /** The path of the step, below the base. */
    readonly href: string;
  })[];
}

/** A message of a client library, with what the server saw of its problem. */
export interface KnownMessage extends FoundMessage {
  readonly seen: readonly ServerFact[];
}

/** The list of flows, newest first. */
export interface FlowListProps extends Site {
  /** In groups of equal neighbours. */
  readonly rows: readonly (readonly FlowRow[])[];
  /** The messages of client libraries that the search text has. */
  readonly known: readonly KnownMessage[];
  /** The ID of the selected flow; absent: none is. */
  readonly selected?: string;
  /** The selected flow, or else the first row, in more words; absent without rows. */
  readonly pane?: FlowSummary;
  /** The number of rows without the filter. */
  readonly flowCount: number;
  /** Every client with a recorded flow. */
  readonly clients: readonly string[];
  readonly filter: FlowFilter;
  /** The place where the next page starts. */
  readonly older?: string;
  readonly recording: boolean;
  /** The number of requests that were left out under load. */
  readonly leftOut: number;
  /** The search text of a link on a page of another site, which was not searched. */
  readonly leftOutSearch?: string;
  readonly csrfToken: string;
  /** Whether the server has the page for tokens. */
  readonly hasTokens: boolean;
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
  /** Groups of parameters: query, body, … The only one needs no title, unless it names where it was sent. */
  readonly parts: readonly { readonly title?: string; readonly sent: readonly MessageField[] }[];
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

/** A check of an exchange. Its rule is absent for a rejection of the embedding program; only a failed one has a fix. */
export interface RuleCheckResult extends RuleResult {
  /** The sections that the rule cites. */
  readonly cites: readonly string[];
  readonly statement: string;
  readonly value?: string;
  readonly earlier?: string;
}

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
  /** Whether its request was recorded whole, so that it can be copied as a command. */
  readonly hasCommand: boolean;
  /** Whether it is initially unfolded. */
  readonly open: boolean;
  /** Whether only its parameters are shown, with a link to the rest. */
  readonly brief: boolean;
}

/** The reason of a rejection, in full. */
export interface FailureReason
  extends RejectionSummary, Pick<RuleCheckResult, "cites" | "expected" | "received" | "earlier" | "fix"> {
  readonly error: string;
  readonly step: number;
  /** The number of its request, as in `/flows/of/{number}`. */
  readonly request: number;
  /** The number of rejections right after it, most likely caused by it. */
  readonly more: number;
  readonly title: string;
  /** The form that changes the clients so that the server accepts the request. */
  readonly change?: FixLink;
  /** The value that was probably meant. */
  readonly suggestion?: SuggestedMatch;
  /** What is wrong with the secret that was sent, one sentence. */
  readonly sentSecret?: string;
}

/** A status that may name a time: label, time, rest. */
export interface IssuedStatus extends Status {
  /** Milliseconds since the epoch. Absent: the label names no time. */
  readonly at?: number;
  /** Whether the time is of another day than today, so that it needs its date. */
  readonly isOtherDay?: boolean;
  /** Follows the time. */
  readonly rest?: string;
}

export interface Issued {
  readonly name: string;
  readonly step: number;
  readonly status: IssuedStatus;
  /** Names it in the form of `/tokens`; no secret. Absent: this visitor cannot check it. */
  readonly reference?: string;
  readonly children: readonly Issued[];
}

export interface FlowProps extends Site {
  readonly row: FlowRow;
  /** Whether the flow continued after the rejection. */
  readonly continued: boolean;
  readonly reason?: FailureReason;
  readonly steps: readonly FlowStep[];
  /** Whether it has so many steps that most of them are brief. */
  readonly long: boolean;
  /** The server's clock, in milliseconds since the epoch. */
  readonly now: number;
  /** The first step of the next page; absent on the last page. */
  readonly next?: number;
  readonly issued: readonly Issued[];
  /** Whether the client has sent nothing since it received its first ID token. */
  readonly isSilent?: boolean;
  /** The scope values whose claims the client has received neither in the ID token nor from userinfo. */
  readonly unreadScope?: { readonly values: string; readonly fix: string };
  /** What is wrong with the issuer that a client has. Default: nothing. */
  readonly hostWarning?: string;
  /** Absent without a difference. */
  readonly sinceSuccess?: SinceSuccess;
  /** What the flow belongs to if no recorder has it, such as an attack of a check, and the page that lists it. */
  readonly about?: { readonly label: string; readonly list: NavigationLink };
  /** Whether secrets are shown; `never`: they cannot be shown. */
  readonly secrets: "masked" | "shown" | "never";
  readonly csrfToken: string;
}

/** A recorded flow in one line; its texts are redacted. */
export interface RecentFlow {
  /** The path of its page, below the base. */
  readonly path: string;
  /** Why it was rejected, or else what happened. */
  readonly title: string;
  /** `success`, `error`, `pending` or `revoked`. */
  readonly outcome: Status;
  /** The client that the flow names; absent on the page of a client. */
  readonly client?: string;
}

/** Finds the last flows, newest first; with an ID, those of this client alone. */
export type FindRecentFlows = (clientId?: string) => Promise<readonly RecentFlow[]>;
