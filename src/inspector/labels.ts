/** Formats titles, statuses and times of flows and steps. */

import type { Exchange, Flow } from "../recorder/exchange.ts";
import { isStreamNotOffered } from "../recorder/record_response.ts";
import type { FlowKind, Status } from "../ui/flows/props.ts";

const grantTitles: Readonly<Record<string, string>> = {
  authorization_code: "Code exchange",
  refresh_token: "Refresh",
  client_credentials: "Client credentials",
  "urn:ietf:params:oauth:grant-type:jwt-bearer": "Assertion",
  "urn:ietf:params:oauth:grant-type:token-exchange": "Token exchange",
};

export function exchangeTitle({ title, caller, request }: Exchange): string {
  const grantType = caller === "client" ? fieldValue(request.form, "grant_type") : undefined;
  return grantType !== undefined && Object.hasOwn(grantTitles, grantType) ? grantTitles[grantType]! : title;
}

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
      return warnings.length === 0 ? { tone: "good", label } : { tone: "warn", label: `${label}, with a warning` };
    }
  }
}

/** Whether it is a GET for a stream of messages, which MCP clients try and do without. */
function lacksStream(exchange: Exchange): boolean {
  return exchange.response !== undefined && isStreamNotOffered(exchange, exchange.response);
}

/** The status of a flow: that of its last step, unless the next step is up to the client. */
export function flowStatus(flow: Flow): Status {
  const { outcome, exchanges } = flow;
  const last = exchanges.findLast((exchange) => !lacksStream(exchange)) ?? exchanges.at(-1);
  if (last === undefined) return { tone: "open", label: "empty" };
  if (outcome === "pending" && last.outcome === "done") return { tone: "open", label: "code not redeemed yet" };
  return endsWithStepUp(flow) ? { tone: "open", label: "step-up required" } : exchangeStatus(last);
}

/** Whether the last token lacked scope: the client obtains another one in a login of its own. */
function endsWithStepUp({ exchanges }: Flow): boolean {
  return exchanges.at(-1)?.rejection?.error === "insufficient_scope";
}

/** The category by which flows are filtered. */
export function flowKind(flow: Flow): FlowKind {
  const { outcome } = flow;
  if (outcome === "done") return "done";
  if (endsWithStepUp(flow)) return "open";
  return outcome === "rejected" || outcome === "dropped" ? "rejected" : "open";
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

/** A time of day in UTC, to the second; with its date if that is not today. */
export function formatTime(at: number, now: number): string {
  const [date, time] = new Date(at).toISOString().split("T") as [string, string];
  const today = new Date(now).toISOString().startsWith(date);
  return today ? time.slice(0, 8) : `${date} ${time.slice(0, 5)}`;
}

/** The value of the first field with a name. */
export function fieldValue(fields: Exchange["request"]["form"], name: string): string | undefined {
  return fields.find(([candidate]) => candidate === name)?.[1];
}
