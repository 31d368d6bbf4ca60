/** The log: each request has an ID, and each line of the request contains it. */

import type { App, Context } from "../app/context.ts";
import type { Plugin } from "../app/plugin.ts";
import { findForRequest, type RequestLike, withHeaders } from "../http/message.ts";
import type { RegisteredSecrets } from "../oauth/clients/registered_secrets.ts";
import { redactEvent, redactText, type TraceEvent } from "../oauth/trace.ts";
import { endpointNameAt } from "./endpoint_name.ts";
import { type FindFix, formatEvent } from "./format_event.ts";

/** Options of the log. */
export interface LoggingOptions {
  /** Writes a line, which has no final newline. */
  readonly write: (line: string) => void;
  /** `text` for a terminal; `json`: one object per line, with a line for each request. */
  readonly format: "text" | "json";
  /** Whether the text format includes successful events. Default: failures only. */
  readonly verbose?: boolean;
}

/** A log. */
export interface Logging extends Plugin {
  /** Logs an event. The application may call it before the server exists. */
  onEvent(event: TraceEvent, context?: Context): void;
  /** Logs an event of the application. The text format omits it. */
  logEvent(event: string, facts?: Readonly<Record<string, unknown>>): void;
}

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
export function logging({ write, format, verbose = false }: LoggingOptions): Logging {
  const ids = new WeakMap<RequestLike, string>();
  let findEndpoint: App["findEndpoint"] = () => undefined;
  let registeredSecrets: RegisteredSecrets | undefined;
  let randomRequestId = () => "";
  let now = () => 0;
  let findFix: FindFix | undefined;
  let loadingRules: Promise<void> | undefined;
  let waitingLines: (() => void)[] = [];

  /** Writes an event as text. The first rejection loads the fixes; until they are loaded, events wait in their order. */
  function writeText(event: TraceEvent, id: string | undefined): void {
    const writeLine = () => {
      const line = formatEvent(event, verbose, findFix);
      if (line !== undefined) write(id === undefined ? line : `${line} (request ${id})`);
    };
    if ("explanation" in event) loadingRules ??= loadRules();
    if (loadingRules === undefined || findFix !== undefined) writeLine();
    else waitingLines.push(writeLine);
  }

  async function loadRules(): Promise<void> {
    ({ findFix } = await import("../oauth/rules/mod.ts"));
    const lines = waitingLines;
    waitingLines = [];
    for (const writeLine of lines) writeLine();
  }

  return {
    onEvent(event, context) {
      const id = context && findForRequest(ids, context.request);
      const redacted = redactEvent(event, registeredSecrets);
      if (format === "json") return write(JSON.stringify({ ...toLogRecord(redacted), request: id }));
      writeText(redacted, id);
    },
    logEvent(event, fields) {
      if (format === "json") {
        write(JSON.stringify({ time: new Date(now()).toISOString(), level: "info", event, ...fields }));
      }
    },
    setup(app) {
      const { server } = app;
      findEndpoint = app.findEndpoint;
      now = server.now;
      registeredSecrets = server.registeredSecrets;
      randomRequestId = () => Array.from(server.randomBytes(8), (byte) => byte.toString(16).padStart(2, "0")).join("");
    },
    handle: (next) => async (request, peer) => {
      const proxyRequestId = request.headers.get("x-request-id");
      const id = proxyRequestId !== null && peer?.proxy !== undefined && requestIdPattern.test(proxyRequestId)
        ? proxyRequestId
        : randomRequestId();
      ids.set(request, id);
      const startedAt = performance.now();
      // Read before the response: the connection may be closed afterwards.
      const sender = format === "json" ? { address: peer?.address, proxy: peer?.proxy, named: peer?.conflicting } : {};
      const response = await next(request, peer);
      // The log has the line of a rejection before the client has the response.
      if (findFix === undefined) await loadingRules;
      if (format === "json") {
        const path = /^(?:[a-z]+:\/\/[^/?#]*)?([^?#]*)/i.exec(request.url)?.[1] ?? "";
        write(JSON.stringify({
          time: new Date(now()).toISOString(),
          level: response.status >= 500 ? "error" : "info",
          event: "request",
          method: request.method.slice(0, 16),
          path: redactText(path.slice(0, 200), response.status < 400 ? undefined : registeredSecrets),
          endpoint: endpointNameAt(findEndpoint, path),
          status: response.status,
          milliseconds: Math.round((performance.now() - startedAt) * 100) / 100,
          ...sender,
          request: id,
        }));
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
  const level = levels[type] ?? "info";
  const base = { time: new Date(at).toISOString(), level, event: type };
  if ("explanation" in rest) {
    const { explanation, ...further } = rest;
    return { ...base, ...further, ...explanation };
  }
  if ("cause" in rest) {
    const { cause, ...further } = rest;
    return { ...base, ...further, cause: cause instanceof Error ? cause.stack ?? cause.message : String(cause) };
  }
  return { ...base, ...rest };
}
