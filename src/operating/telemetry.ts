/** OpenTelemetry by its interface alone: each request becomes a span, each thing that happened an event on it. */

import type { App } from "../app/context.ts";
import type { Plugin } from "../app/plugin.ts";
import type { RequestLike } from "../http/message.ts";
import type { TraceEvent } from "../oauth/trace.ts";
import { endpointNameAt } from "./endpoint_name.ts";

/** As much of a span of `@opentelemetry/api` as is used here. */
export interface Span {
  /** Says something about the whole span. */
  setAttribute(name: string, value: string | number | boolean): unknown;
  /** Says what happened at one moment of it. */
  addEvent(name: string, attributes?: Readonly<Record<string, string>>): unknown;
  /** 2 is an error. */
  setStatus(status: { code: number }): unknown;
  /** Ends the span. */
  end(): void;
}

/** As much of a tracer of `@opentelemetry/api` as is used here. */
export interface Tracer<S extends Span = Span> {
  /** Begins a span; kind 1 is a server's. */
  startSpan(
    name: string,
    options?: { kind?: number; attributes?: Record<string, string | number | boolean> },
    // deno-lint-ignore no-explicit-any
    context?: any,
  ): S;
}

/** Where spans go, and what they hang on. */
export interface TelemetryOptions<S extends Span = Span> {
  /** `trace.getTracer("latchkey")` of `@opentelemetry/api`. */
  readonly tracer: Tracer<S>;
  /**
   * The context that a request brings along, read from its headers by whichever propagator the program uses:
   * `(headers) => propagation.extract(context.active(), headers, getter)`. Default: none, every span is a root.
   */
  readonly context?: (headers: RequestLike["headers"]) => unknown;
  /**
   * Answers the request while its span is the active one, so that spans of database drivers and of `fetch` hang on it:
   * `(span, answer) => context.with(trace.setSpan(context.active(), span), answer)`. Default: it is not made active.
   */
  readonly withActiveSpan?: <Answered>(span: S, answer: () => Answered) => Answered;
}

/**
 * Lays spans around a server. Names follow the semantic conventions for HTTP servers; no secret, no query and no user is
 * in them.
 *
 * @example
 * ```ts ignore
 * import { context, propagation, trace } from "@opentelemetry/api";
 *
 * const getter = { get: (headers, name) => headers.get(name) ?? undefined, keys: () => [] };
 * const spans = telemetry({
 *   tracer: trace.getTracer("latchkey"),
 *   context: (headers) => propagation.extract(context.active(), headers, getter),
 *   withActiveSpan: (span, answer) => context.with(trace.setSpan(context.active(), span), answer),
 * });
 * const as = await latchkey({ plugins: [spans] });
 * ```
 */
export function telemetry<S extends Span = Span>({ tracer, context, withActiveSpan }: TelemetryOptions<S>): Plugin {
  const spans = new WeakMap<RequestLike, S>();
  let findEndpoint: App["findEndpoint"] = () => undefined;
  return {
    setup(app) {
      findEndpoint = app.findEndpoint;
    },
    handle: (next) => async (request, peer) => {
      const path = /^(?:[a-z]+:\/\/[^/?#]*)?([^?#]*)/i.exec(request.url)?.[1] ?? "";
      const endpoint = endpointNameAt(findEndpoint, path);
      const attributes = { "http.request.method": request.method, "latchkey.endpoint": endpoint };
      const span = tracer.startSpan(
        `${request.method} ${endpoint}`,
        { kind: 1, attributes },
        context?.(request.headers),
      );
      spans.set(request, span);
      try {
        const response = await (withActiveSpan === undefined ? next(request, peer) : withActiveSpan(span, () =>
          next(request, peer)));
        span.setAttribute("http.response.status_code", response.status);
        if (response.status >= 500) span.setStatus({ code: 2 });
        return response;
      } catch (error) {
        span.setStatus({ code: 2 });
        throw error;
      } finally {
        span.end();
      }
    },
    onEvent(event, context) {
      if (context !== undefined) spans.get(context.request)?.addEvent(event.type, getEventAttributes(event));
    },
  };
}

/** What of an event may leave the house: names of ours, and of clients, but no person and no value that came in. */
function getEventAttributes(event: TraceEvent): Record<string, string> {
  switch (event.type) {
    case "rejected":
      return {
        "latchkey.error": event.error,
        "latchkey.rule": event.explanation.rule,
        ...event.client !== undefined && { "latchkey.client": event.client },
      };
    case "warning":
      return { "latchkey.rule": event.explanation.rule };
    case "tokens_issued":
      return { "latchkey.client": event.client, "latchkey.grant": event.grantType };
    case "code_issued":
    case "token_revoked":
      return { "latchkey.client": event.client };
    case "key_created":
      return { "latchkey.kid": event.kid };
    default:
      return {};
  }
}
