/** The log: each request has an ID, and each line of the request contains it. */

import type { Context } from "../../core/http/context.ts";
import { type App, flowUrl } from "../../server/app.ts";
import type { Plugin } from "../../server/hosting/options.ts";
import { findForRequest, type HttpRequest, type HttpResponse, withHeaders } from "../../core/http/message.ts";
import { redactEvent, redactText } from "../../server/redaction/redact.ts";
import type { RegisteredSecrets } from "../../server/redaction/registered_secrets.ts";
import type { TraceEvent } from "../../server/trace.ts";
import { describeEvent } from "./describe_event.ts";
import { formatEvent, isPendingPoll, isRoutine, type LoggedRequest, type TerminalFormat } from "./format_event.ts";
import { printable } from "../../core/http/quote_value.ts";
import { timers } from "../../core/http/timers.ts";

/** @internal Options of the log. */
export interface LoggingOptions {
  /** Writes a line, or the several lines of one event; the last one has no final newline. */
  readonly write: (line: string) => void;
  /** `text` for a terminal; `json`: one object per line, with a line for each request. */
  readonly format: "text" | "json";
  /** Whether the text format includes successful events. Default: failures only. */
  readonly verbose?: boolean;
  /** The terminal that shows the text format, at the time of each line. Default: the log is a file. */
  readonly terminal?: () => TerminalFormat;
}

/** @internal A log. */
export interface Logging extends Plugin {
  /** Logs an event. The application may call it before the server exists. */
  onEvent(event: TraceEvent, context?: Context): void;
  /** Logs an event of the application. The text format omits it. */
  logEvent(event: string, facts?: Readonly<Record<string, unknown>>): void;
}

/** A request, until its response is logged. */
interface ActiveRequest {
  readonly id: string;
  readonly method: string;
  readonly url: string;
  /** Events of the text log that wait for the status of the response; absent before the first, and after the end. */
  events?: LoggedEvent[];
  status?: number;
  hasEnded: boolean;
}

/** An event, with the context of its request. */
type LoggedEvent = readonly [event: TraceEvent, context: Context];

/** The two hexadecimal digits of each byte. */
const hexDigits = Array.from({ length: 256 }, (_, byte) => byte.toString(16).padStart(2, "0"));

function hexOf(bytes: Uint8Array): string {
  let text = "";
  for (const byte of bytes) text += hexDigits[byte];
  return text;
}

/** Maximum number of notes that the log knows to be repeated. */
const maxWrittenNotes = 1000;

/** Request IDs that are accepted from a trusted proxy. */
const requestIdPattern = /^[\w.:-]{1,64}$/;

/**
 * Writes a log. Each response has the request ID in `X-Request-Id`: that of a trusted proxy, or a new one. The log
 * contains no secrets, and paths without their query.
 *
 * @example
 * ```ts ignore
 * const log = logging({ write: console.error, format: "json" });
 * const as = await latchkey({ plugins: [log] });
 * ```
 */
export function logging(options: LoggingOptions): Logging {
  return logApp(options);
}

/** @param hostRequestId Creates request IDs. Default: the random source of the app. */
function logApp(options: LoggingOptions, hostRequestId?: () => string): Logging {
  const { format, verbose = false, terminal } = options;
  const requests = new WeakMap<HttpRequest, ActiveRequest>();
  let findEndpoint: App["findEndpoint"] = () => undefined;
  let registeredSecrets: RegisteredSecrets | undefined;
  let randomRequestId = () => "";
  let now = () => 0;
  const writtenNotes = new Set<string>();

  /** A log that cannot be written affects no request. */
  function writeText(text: string): void {
    try {
      options.write(text);
    } catch {
      // There is no other place to report it.
    }
  }

  /** Whether the log has no such note about the client yet: it would repeat with each of its logins. */
  function isNewNote({ client, explanation: { fix } }: Extract<TraceEvent, { type: "note" }>): boolean {
    const key = JSON.stringify([client, fix]);
    if (writtenNotes.has(key)) return false;
    if (writtenNotes.size === maxWrittenNotes) writtenNotes.clear();
    writtenNotes.add(key);
    return true;
  }

  /** The request of an event. Its link is found only where it is shown: that takes longer than to record the event. */
  function describeRequest(event: TraceEvent, active: ActiveRequest, context: Context): LoggedRequest {
    const hasLink = "explanation" in event || event.type === "fault_applied" || verbose && format === "text";
    return {
      id: active.id,
      method: active.method.slice(0, 16),
      path: pathOf(active),
      status: active.status,
      ...hasLink && { link: flowUrl(context) },
    };
  }

  function formatLogged(received: TraceEvent, active?: ActiveRequest, context?: Context): string | undefined {
    const event = redactEvent(received, registeredSecrets);
    const request = active && describeRequest(event, active, context!);
    const details = describeEvent(event, active && context);
    if (format === "text") return formatEvent(event, { terminal: terminal?.(), details, request });
    return jsonLine({
      ...toLogRecord(event),
      change: details.change?.url,
      request: request?.id,
      flow: request?.link,
    });
  }

  function writeEvent(event: TraceEvent, active?: ActiveRequest, context?: Context): void {
    const text = formatLogged(event, active, context);
    if (text !== undefined) writeText(text);
  }

  return {
    onEvent(event, context) {
      if (format === "text" && !verbose && isRoutine(event)) return;
      if (event.type === "note" && !isNewNote(event)) return;
      const active = context && findForRequest(requests, context.request);
      if (active === undefined || active.hasEnded || format === "json") writeEvent(event, active, context);
      else (active.events ??= []).push([event, context!]);
    },
    logEvent(event, fields) {
      if (format === "json") {
        writeText(jsonLine({ time: new Date(now()).toISOString(), level: "info", event, ...fields }));
      }
    },
    setup(app) {
      const { server } = app;
      findEndpoint = app.findEndpoint;
      now = server.now;
      registeredSecrets = server.registeredSecrets;
      randomRequestId = hostRequestId ?? (() => hexOf(server.randomBytes(8)));
    },
    name: "log",
    // The random source of a tenant with a seed yields the same tokens, whether or not there is a log.
    forAddedApp: () => logApp(options, () => randomRequestId()),
    handle: (next) => async (request, peer) => {
      const proxyRequestId = peer?.proxy === undefined ? null : request.headers.get("x-request-id");
      const id = proxyRequestId !== null && requestIdPattern.test(proxyRequestId) ? proxyRequestId : randomRequestId();
      // Not the request itself: V8 keeps what a weak map refers to until it collects all garbage.
      const active: ActiveRequest = { id, method: request.method, url: request.url, hasEnded: false };
      requests.set(request, active);
      const startedAt = timers.elapsed();
      // Read before the response: the connection may be closed afterwards.
      const sender = format === "json" ? { address: peer?.address, proxy: peer?.proxy, named: peer?.conflicting } : {};
      let response: HttpResponse | Response;
      try {
        response = await next(request, peer);
        active.status = response.status;
      } finally {
        // The log has the text of a rejection before the client has the response.
        active.hasEnded = true;
        for (const [event, context] of active.events ?? []) writeEvent(event, active, context);
        active.events = undefined;
      }
      if (format === "json") {
        const path = pathOf(request);
        const text = jsonLine({
          time: new Date(now()).toISOString(),
          level: response.status >= 500 ? "error" : "info",
          event: "request",
          method: request.method.slice(0, 16),
          path: redactText(path, response.status < 400 ? undefined : registeredSecrets).slice(0, 200),
          endpoint: findEndpoint(path)?.name ?? "unknown",
          status: response.status,
          milliseconds: Math.round((timers.elapsed() - startedAt) * 100) / 100,
          ...sender,
          request: id,
        });
        writeText(text);
      }
      return withHeaders(response, { "x-request-id": id });
    },
  };
}

/** Level of each event that is above `info`. */
const levels: Readonly<Partial<Record<TraceEvent["type"], string>>> = {
  internal_error: "error",
  rejected: "warn",
  warning: "warn",
  configuration_warning: "warn",
};

/** Converts an event to a JSON log record. */
function toLogRecord(event: TraceEvent): Record<string, unknown> {
  const { type, at, ...rest } = event;
  const level = isPendingPoll(event) ? "info" : levels[type] ?? "info";
  const base = { time: new Date(at).toISOString(), level, event: type };
  if ("explanation" in rest) {
    const { explanation: { change: _, ...texts }, ...further } = rest;
    return { ...base, ...further, ...texts };
  }
  if ("cause" in rest) {
    const { cause, ...further } = rest;
    return { ...base, ...further, cause: cause instanceof Error ? cause.stack ?? cause.message : String(cause) };
  }
  return { ...base, ...rest };
}

/** A record as one line of JSON, with escapes for all characters that act on the terminal that shows the log. */
function jsonLine(record: Readonly<Record<string, unknown>>): string {
  return printable(JSON.stringify(record));
}

/** The path of a request, without its query. */
function pathOf({ url }: Pick<HttpRequest, "url">): string {
  return /^(?:[a-z]+:\/\/[^/?#]*)?([^?#]*)/i.exec(url)?.[1] ?? "";
}
