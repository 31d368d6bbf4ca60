/** Formats titles, statuses and times of flows and steps. */

import type { Exchange, Flow } from "../../recorder/exchange.ts";
import { isStreamNotOffered } from "../../recorder/record_response.ts";
import type { FlowKind } from "./pages/props.ts";
import type { Status } from "../../server/pages/status_badge.tsx";

/** The label of a request for a missing page. */
const noPage = "no page";

/** How a step ended. */
export function exchangeStatus(exchange: Exchange): Status {
  const { doneLabel, outcome, rejection, events, warnings, response } = exchange;
  switch (outcome) {
    case "pending":
      return { tone: "open", label: "pending" };
    case "interaction":
      return { tone: "open", label: "waiting for the user" };
    case "challenged":
      return { tone: "open", label: "challenged" };
    case "missing":
      return { tone: "open", label: noPage };
    case "dropped":
      return { tone: "bad", label: "no response" };
    case "rejected":
      return {
        tone: "bad",
        label: rejection === undefined ? `rejected, ${response?.status ?? "no status"}` : "rejected",
      };
    case "done": {
      if (lacksStream(exchange)) return { tone: "open", label: "no stream" };
      const issued = ["tokens_issued", "code_issued"].find((issued) => events.some(({ type }) => type === issued));
      const label = issued?.replace("_", " ") ?? doneLabel ?? "completed";
      return warnings.length === 0 ? { tone: "good", label } : withWarning(label);
    }
  }
}

function withWarning(label: string): Status {
  return { tone: "warn", label: `${label}, with a warning` };
}

/** Whether it is a GET for a stream of messages, which MCP clients try and do without. */
function lacksStream(exchange: Exchange): boolean {
  return exchange.response !== undefined && isStreamNotOffered(exchange, exchange.response);
}

/**
 * The status of a flow: that of its last step, unless the next step is up to the client or another step has a warning.
 */
export function flowStatus(flow: Flow): Status {
  const { outcome } = flow;
  const exchanges = flow.exchanges;
  const last = exchanges.findLast((exchange) => !lacksStream(exchange)) ?? exchanges.at(-1);
  if (last === undefined) return { tone: "open", label: "empty" };
  if (outcome === "pending" && last.outcome === "done") return { tone: "open", label: "code not exchanged yet" };
  if (endsWithStepUp(flow)) return { tone: "open", label: "step-up required" };
  const status = exchangeStatus(last);
  const hasWarning = status.tone === "good" && exchanges.some(({ warnings }) => warnings.length > 0);
  return hasWarning ? withWarning(status.label) : status;
}

const outcomeLabels = { good: "success", warn: "warning", bad: "error", open: "pending", over: "revoked" } as const;

/** A status in one word. A missing page has no outcome. */
export function outcomeOf({ tone, label }: Status): Status {
  if (label === noPage) return { tone, label };
  const outcome = label === "revoked" ? "over" : tone;
  return { tone: outcome, label: outcomeLabels[outcome] };
}

/** Whether the last token lacked scope or a stronger login: the client obtains another one in a login of its own. */
function endsWithStepUp({ exchanges }: Flow): boolean {
  const error = exchanges.at(-1)?.rejection?.error;
  return error === "insufficient_scope" || error === "insufficient_user_authentication";
}

/** The category by which flows are filtered. */
export function flowKind(flow: Flow): FlowKind {
  const { outcome } = flow;
  if (outcome === "done") return "done";
  if (endsWithStepUp(flow)) return "pending";
  return outcome === "rejected" || outcome === "dropped" ? "rejected" : "pending";
}

/** A relative time: `in 5 minutes`, `2 hours ago`. Both parameters are milliseconds. */
export function relativeTime(at: number, now: number): string {
  const seconds = Math.round(Math.abs(at - now) / 1000);
  if (seconds === 0) return "now";
  const [unit, size] = units.find(([, size]) => seconds >= size)!;
  const amount = Math.floor(seconds / size);
  const words = `${amount} ${unit}${amount === 1 ? "" : "s"}`;
  return at > now ? `in ${words}` : `${words} ago`;
}

const units = [["day", 86_400], ["hour", 3600], ["minute", 60], ["second", 1]] as const;

/** The latest time that a `Date` can represent, in milliseconds. A token may have any number. */
const maxDate = 8.64e15;

/** A time of day in UTC, to the second; with its date if that is not today. Seconds since 1970 if it is no date. */
export function timeOfDay(at: number, now: number): string {
  // 15 digits: without the rounding errors of a multiplication by 1000.
  if (Math.abs(at) > maxDate) return `${Number((at / 1000).toPrecision(15))} seconds since 1970`;
  const [date, time] = new Date(at).toISOString().split("T") as [string, string];
  const today = new Date(now).toISOString().startsWith(date);
  return today ? time.slice(0, 8) : `${date} ${time.slice(0, 5)}`;
}

/** The value of the first field with a name. */
export function fieldValue(fields: Exchange["request"]["form"], name: string): string | undefined {
  return fields.find(([candidate]) => candidate === name)?.[1];
}
