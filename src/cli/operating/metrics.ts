/** Metrics in the text format of Prometheus. */

import type { App } from "../../server/app.ts";
import type { Plugin } from "../../server/hosting/options.ts";
import type { HttpRequest, HttpResponse } from "../../core/http/message.ts";
import type { HostedServer } from "../../server/hosted_server.ts";
import type { TraceEvent } from "../../server/trace.ts";
import { endpointNameAt, pathOf } from "./endpoint_name.ts";
import type { Store } from "../../core/store/store.ts";
import { serve } from "../../platform/runtime/serve.ts";
import { timers } from "../../core/http/timers.ts";

/** The plugin that counts, with its results. */
export interface Metrics extends Plugin {
  /** All metrics, in the text format of Prometheus, version 0.0.4. */
  text(): string;
  /** The response to `GET /metrics`, for a separate listener; 404 for other requests. */
  respond(request: HttpRequest): Promise<HttpResponse>;
}

/** Upper bounds of the buckets of durations, in seconds. */
const durationBucketsSeconds = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];

const definitions = {
  latchkey_requests_total: ["counter", "Handled requests, by endpoint, method and status."],
  latchkey_request_seconds: ["histogram", "Response time, by endpoint."],
  latchkey_requests_in_flight: ["gauge", "Requests in progress."],
  latchkey_rejections_total: ["counter", "Rejected requests, by OAuth error and broken rule."],
  latchkey_warnings_total: ["counter", "Warnings, by rule."],
  latchkey_issued_total: ["counter", "Issued codes, and token responses by grant type."],
  latchkey_revocations_total: ["counter", "Revoked grants, ended sessions, revoked tokens."],
  latchkey_recorder_limited_seconds_total: [
    "counter",
    "Seconds in which the recorder left out requests because too many flows began.",
  ],
  latchkey_internal_errors_total: ["counter", "Internal errors, including failures of the store."],
  latchkey_store_seconds: ["histogram", "Duration of store calls, by verb."],
  latchkey_store_failures_total: ["counter", "Failed store calls, by verb."],
} as const satisfies Readonly<Record<string, readonly ["counter" | "gauge" | "histogram", string]>>;

type MetricName = keyof typeof definitions;

interface Histogram {
  readonly counts: number[];
  sum: number;
  count: number;
}

/** Methods with their own label; all others, which clients choose freely, are `other`. */
const countedMethods = new Set(["GET", "HEAD", "POST", "OPTIONS"]);

/**
 * Counts requests, rejections, issued tokens and store calls. No request can add a label value (bounded cardinality).
 *
 * @example
 * ```ts ignore
 * const counted = metrics();
 * const as = await latchkey({ plugins: [counted] });
 * ```
 */
export function metrics(): Metrics {
  const counters = new Map<MetricName, Map<string, number>>();
  const histograms = new Map<MetricName, Map<string, Histogram>>();
  let inFlight = 0;

  function count(name: MetricName, labels: string): void {
    let series = counters.get(name);
    if (series === undefined) counters.set(name, series = new Map());
    series.set(labels, (series.get(labels) ?? 0) + 1);
  }

  function observe(name: MetricName, labels: string, seconds: number): void {
    let series = histograms.get(name);
    if (series === undefined) histograms.set(name, series = new Map());
    let histogram = series.get(labels);
    if (histogram === undefined) {
      series.set(labels, histogram = { counts: durationBucketsSeconds.map(() => 0), sum: 0, count: 0 });
    }
    histogram.sum += seconds;
    histogram.count++;
    for (let i = 0; i < durationBucketsSeconds.length; i++) {
      if (seconds <= durationBucketsSeconds[i]!) histogram.counts[i]!++;
    }
  }

  function countEvent(event: TraceEvent): void {
    switch (event.type) {
      case "rejected":
        return count(
          "latchkey_rejections_total",
          formatLabels({ error: event.error, rule: event.explanation.rule ?? "" }),
        );
      case "warning":
        return count("latchkey_warnings_total", formatLabels({ rule: event.explanation.rule ?? "" }));
      case "code_issued":
        return count("latchkey_issued_total", formatLabels({ what: "code" }));
      case "tokens_issued":
        return count("latchkey_issued_total", formatLabels({ what: event.grantType }));
      case "grant_revoked":
        return count("latchkey_revocations_total", formatLabels({ what: "grant" }));
      case "session_ended":
        return count("latchkey_revocations_total", formatLabels({ what: "session" }));
      case "token_revoked":
        return count("latchkey_revocations_total", formatLabels({ what: "token" }));
      case "flow_limit_reached":
        return count("latchkey_recorder_limited_seconds_total", "");
      case "internal_error":
        return count("latchkey_internal_errors_total", "");
    }
  }

  /** Wraps a store to measure its calls. */
  function instrumentStore(store: Store): Store {
    const time = <Args extends unknown[], Result>(verb: keyof Store, call: (...args: Args) => Promise<Result>) => {
      const labels = formatLabels({ verb });
      return async (...args: Args): Promise<Result> => {
        const startedAt = timers.elapsed();
        try {
          return await call(...args);
        } catch (error) {
          count("latchkey_store_failures_total", labels);
          throw error;
        } finally {
          observe("latchkey_store_seconds", labels, (timers.elapsed() - startedAt) / 1000);
        }
      };
    };
    return {
      get: time("get", store.get.bind(store)) as Store["get"],
      put: time("put", store.put.bind(store)) as Store["put"],
      add: time("add", store.add.bind(store)) as Store["add"],
      replace: time("replace", store.replace.bind(store)) as Store["replace"],
      consume: time("consume", store.consume.bind(store)),
      extend: time("extend", store.extend.bind(store)),
      revoke: time("revoke", store.revoke.bind(store)),
      delete: time("delete", store.delete.bind(store)) as Store["delete"],
      list: time("list", store.list.bind(store)) as Store["list"],
      count: time("count", store.count.bind(store)),
      deleteExpired: time("deleteExpired", store.deleteExpired.bind(store)),
      deleteAll: time("deleteAll", store.deleteAll.bind(store)),
      close: () => store.close(),
    };
  }

  const instrumentedStores = new WeakMap<Store, Store>();
  function getInstrumentedStore(store: Store): Store {
    let instrumented = instrumentedStores.get(store);
    if (instrumented === undefined) instrumentedStores.set(store, instrumented = instrumentStore(store));
    return instrumented;
  }

  function text(): string {
    const lines: string[] = [];
    for (
      const [name, [kind, description]] of Object.entries(definitions) as [MetricName, readonly [string, string]][]
    ) {
      lines.push(`# HELP ${name} ${description}`, `# TYPE ${name} ${kind}`);
      if (name === "latchkey_requests_in_flight") lines.push(`${name} ${inFlight}`);
      for (const [labels, value] of counters.get(name) ?? []) lines.push(`${name}${wrapLabels(labels)} ${value}`);
      for (const [labels, { counts, sum, count }] of histograms.get(name) ?? []) {
        durationBucketsSeconds.forEach((bound, i) =>
          lines.push(`${name}_bucket${wrapLabels(labels, `le="${bound}"`)} ${counts[i]}`)
        );
        lines.push(`${name}_bucket${wrapLabels(labels, `le="+Inf"`)} ${count}`);
        lines.push(`${name}_sum${wrapLabels(labels)} ${sum}`, `${name}_count${wrapLabels(labels)} ${count}`);
      }
    }
    return lines.join("\n") + "\n";
  }

  /** The plugin of one app. The counts are those of all apps. */
  function countApp(): Plugin {
    let findEndpoint: App["findEndpoint"] = () => undefined;
    return {
      forAddedApp: countApp,
      onEvent: countEvent,
      setup(app) {
        findEndpoint = app.findEndpoint;
      },
      handle: (next) => async (request, peer) => {
        const startedAt = timers.elapsed();
        const path = pathOf(request);
        const endpoint = endpointNameAt(findEndpoint, path);
        inFlight++;
        let status = "none";
        try {
          const response = await next(request, peer);
          status = String(response.status);
          return response;
        } finally {
          inFlight--;
          const method = countedMethods.has(request.method) ? request.method : "other";
          count("latchkey_requests_total", formatLabels({ endpoint, method, status }));
          observe("latchkey_request_seconds", formatLabels({ endpoint }), (timers.elapsed() - startedAt) / 1000);
        }
      },
      extend: (server): HostedServer => ({ ...server, store: getInstrumentedStore(server.store) }),
    };
  }

  return {
    ...countApp(),
    text,
    respond(request) {
      const isMetricsRequest = request.method === "GET" &&
        new URL(request.url, "http://metrics").pathname === "/metrics";
      return Promise.resolve({
        status: isMetricsRequest ? 200 : 404,
        headers: { "content-type": "text/plain; version=0.0.4; charset=utf-8", "cache-control": "no-store" },
        body: isMetricsRequest ? text() : "only GET /metrics exists here\n",
      });
    },
  };
}

/** Formats labels. The server defines their values, so they need no escaping. */
function formatLabels(labels: Readonly<Record<string, string>>): string {
  return Object.entries(labels).map(([name, value]) => `${name}="${value}"`).join(",");
}

function wrapLabels(labels: string, extra = ""): string {
  const all = [labels, extra].filter((part) => part !== "").join(",");
  return all === "" ? "" : `{${all}}`;
}

/** Serves the metrics on their own port, which clients of the server cannot reach. */
export async function serveMetrics(
  metrics: Metrics,
  { host, port }: { readonly host: string; readonly port: number },
): Promise<{ readonly url: string; close(): Promise<void> }> {
  const listener = await serve((request) => metrics.respond(request), { host, port });
  return {
    url: `http://${host.includes(":") ? `[${host}]` : host}:${listener.port}/metrics`,
    close: () => listener.close(),
  };
}
