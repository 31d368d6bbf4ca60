/** OpenTelemetry: a span for each request, with its events. Needs the interface only, no package. */

import type { App } from "../../server/app.ts";
import type { Plugin } from "../../server/hosting/options.ts";
import { findForRequest, type HttpRequest } from "../../core/http/message.ts";
import type { TraceEvent } from "../../server/trace.ts";
import type { Explanation } from "../../core/rules/errors.ts";
import { endpointNameAt, pathOf } from "./endpoint_name.ts";

/** @internal The used part of `Span` of `@opentelemetry/api`. */
export interface Span {
  /** Sets an attribute of the span. */
  setAttribute(name: string, value: string | number | boolean): unknown;
  /** Adds an event to the span. */
  addEvent(name: string, attributes?: Readonly<Record<string, string>>): unknown;
  /** Sets the status; code 2 is an error. */
  setStatus(status: { code: number }): unknown;
  /** Ends the span. */
  end(): void;
}

/** @internal The used part of `Tracer` of `@opentelemetry/api`. */
export interface Tracer<S extends Span = Span> {
  /** Starts a span; kind 1 is a server span. */
  startSpan(
    name: string,
    options?: { kind?: number; attributes?: Record<string, string | number | boolean> },
    // deno-lint-ignore no-explicit-any
    context?: any,
  ): S;
}

/** @internal Options of the spans. */
export interface TelemetryOptions<S extends Span = Span> {
  /** `trace.getTracer("latchkey")` of `@opentelemetry/api`. */
  readonly tracer: Tracer<S>;
  /**
   * Extracts the parent context from the headers of a request:
   * `(headers) => propagation.extract(context.active(), headers, getter)`. Default: every span is a root span.
   */
  readonly context?: (headers: HttpRequest["headers"]) => unknown;
  /**
   * Handles the request while its span is active, so that spans of database drivers and of `fetch` become its children:
   * `(span, handle) => context.with(trace.setSpan(context.active(), span), handle)`. Default: the span is not active.
   */
  readonly withActiveSpan?: <Result>(span: S, handle: () => Result) => Result;
}

/**
 * Creates a span for each request. Names follow the semantic conventions for HTTP servers. Spans contain no secrets, no
 * queries and no personal data.
 *
 * @example
 * ```ts ignore
 * import { context, propagation, trace } from "@opentelemetry/api";
 *
 * const getter = { get: (headers, name) => headers.get(name) ?? undefined, keys: () => [] };
 * const spans = telemetry({
 *   tracer: trace.getTracer("latchkey"),
 *   context: (headers) => propagation.extract(context.active(), headers, getter),
 *   withActiveSpan: (span, handle) => context.with(trace.setSpan(context.active(), span), handle),
 * });
 * const as = await latchkey({ plugins: [spans] });
 * ```
 */
export function telemetry<S extends Span = Span>(options: TelemetryOptions<S>): Plugin {
  const { tracer, context, withActiveSpan } = options;
  const spans = new WeakMap<HttpRequest, S>();
  let findEndpoint: App["findEndpoint"] = () => undefined;
  return {
    forAddedApp: () => telemetry(options),
    setup(app) {
      findEndpoint = app.findEndpoint;
    },
    handle: (next) => async (request, peer) => {
      const path = pathOf(request);
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
      const span = context && findForRequest(spans, context.request);
      span?.addEvent(event.type, getEventAttributes(event));
    },
  };
}

function getRuleAttribute({ rule }: Explanation): Record<string, string> {
  return rule === undefined ? {} : { "latchkey.rule": rule };
}

/** Span attributes. No personal data, no request values. */
function getEventAttributes(event: TraceEvent): Record<string, string> {
  switch (event.type) {
    case "rejected":
      return {
        "latchkey.error": event.error,
        ...getRuleAttribute(event.explanation),
        ...event.client !== undefined && { "latchkey.client": event.client },
      };
    case "warning":
      return getRuleAttribute(event.explanation);
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
