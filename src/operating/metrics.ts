/** Metrics in the text format of Prometheus: counted as requests are answered, written out when somebody asks. */

import type { Layer } from "../app/plugin.ts";
import type { Incoming, Reply } from "../http/message.ts";
import type { Server } from "../oauth/server.ts";
import type { Trace, TraceEvent } from "../oauth/trace.ts";
import { endpointName } from "../recorder/endpoint_name.ts";
import type { Store } from "../store/store.ts";

/** Counts, and how to read them. */
export interface Metrics extends Layer {
  /** Give it as the server's `trace` too: it counts what happens outside of any request, and the rest not twice. */
  readonly trace: Trace;
  /** Everything that was counted, in the text format of Prometheus, version 0.0.4. */
  text(): string;
  /** The same as an answer: what a listener of its own gives to whoever scrapes it. */
  answer(request: Incoming): Promise<Reply>;
}

/** Upper bounds of the buckets of durations, in seconds. */
const buckets = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];

const help = {
  latchkey_requests_total: ["counter", "Requests that were answered, by endpoint, method and status."],
  latchkey_request_seconds: ["histogram", "How long answers took, by endpoint."],
  latchkey_requests_in_flight: ["gauge", "Requests under way."],
  latchkey_refusals_total: ["counter", "Refusals, by OAuth error and by the rule that was broken."],
  latchkey_warnings_total: ["counter", "Warnings, by the rule they are about."],
  latchkey_issued_total: ["counter", "What was issued: codes, and token responses by grant."],
  latchkey_ended_total: ["counter", "What was ended before its time: families, sessions, tokens."],
  latchkey_bugs_total: ["counter", "Failures that no rule foresaw, a store that does not answer among them."],
  latchkey_store_seconds: ["histogram", "How long the store took, by verb."],
  latchkey_store_failures_total: ["counter", "Calls that the store failed, by verb."],
} as const satisfies Readonly<Record<string, readonly ["counter" | "gauge" | "histogram", string]>>;

type Name = keyof typeof help;

interface Histogram {
  readonly counts: number[];
  sum: number;
  count: number;
}

/** Methods that are counted by name; anything else, which anybody may make up, is `other`. */
const methods = new Set(["GET", "HEAD", "POST", "OPTIONS"]);

/**
 * Counts requests, refusals, what is issued, and the calls of the store. Every label has few values, whatever is sent.
 *
 * @example
 * ```ts ignore
 * const counted = metrics();
 * const as = await latchkey({ layers: [counted], trace: counted.trace });
 * ```
 */
export function metrics(): Metrics {
  const counters = new Map<Name, Map<string, number>>();
  const histograms = new Map<Name, Map<string, Histogram>>();
  let underWay = 0;
  let base = "";
  /** Whether what the server hears has been counted already. */
  let heard = false;

  function count(name: Name, labels: string): void {
    let series = counters.get(name);
    if (series === undefined) counters.set(name, series = new Map());
    series.set(labels, (series.get(labels) ?? 0) + 1);
  }

  function observe(name: Name, labels: string, seconds: number): void {
    let series = histograms.get(name);
    if (series === undefined) histograms.set(name, series = new Map());
    let histogram = series.get(labels);
    if (histogram === undefined) {
      series.set(labels, histogram = { counts: buckets.map(() => 0), sum: 0, count: 0 });
    }
    histogram.sum += seconds;
    histogram.count++;
    for (let i = 0; i < buckets.length; i++) if (seconds <= buckets[i]!) histogram.counts[i]!++;
  }

  function hear(event: TraceEvent): void {
    switch (event.type) {
      case "refused":
        return count("latchkey_refusals_total", labelled({ error: event.error, rule: event.why.rule }));
      case "warning":
        return count("latchkey_warnings_total", labelled({ rule: event.why.rule }));
      case "code_issued":
        return count("latchkey_issued_total", labelled({ what: "code" }));
      case "tokens_issued":
        return count("latchkey_issued_total", labelled({ what: event.grant }));
      case "family_ended":
        return count("latchkey_ended_total", labelled({ what: "family" }));
      case "session_ended":
        return count("latchkey_ended_total", labelled({ what: "session" }));
      case "token_revoked":
        return count("latchkey_ended_total", labelled({ what: "token" }));
      case "bug":
        return count("latchkey_bugs_total", "");
    }
  }

  /** The store, with a watch in hand. */
  function timed(store: Store): Store {
    const time = <Args extends unknown[], Result>(verb: keyof Store, call: (...args: Args) => Promise<Result>) => {
      const labels = labelled({ verb });
      return async (...args: Args): Promise<Result> => {
        const began = performance.now();
        try {
          return await call(...args);
        } catch (error) {
          count("latchkey_store_failures_total", labels);
          throw error;
        } finally {
          observe("latchkey_store_seconds", labels, (performance.now() - began) / 1000);
        }
      };
    };
    return {
      get: time("get", store.get.bind(store)) as Store["get"],
      put: time("put", store.put.bind(store)) as Store["put"],
      add: time("add", store.add.bind(store)) as Store["add"],
      spend: time("spend", store.spend.bind(store)),
      revoke: time("revoke", store.revoke.bind(store)),
      sweep: time("sweep", store.sweep.bind(store)),
      close: () => store.close(),
    };
  }

  const watched = new WeakMap<Store, Store>();
  function watch(store: Store): Store {
    let known = watched.get(store);
    if (known === undefined) watched.set(store, known = timed(store));
    return known;
  }

  function text(): string {
    const lines: string[] = [];
    for (const [name, [kind, words]] of Object.entries(help) as [Name, readonly [string, string]][]) {
      lines.push(`# HELP ${name} ${words}`, `# TYPE ${name} ${kind}`);
      if (name === "latchkey_requests_in_flight") lines.push(`${name} ${underWay}`);
      for (const [labels, value] of counters.get(name) ?? []) lines.push(`${name}${braced(labels)} ${value}`);
      for (const [labels, { counts, sum, count }] of histograms.get(name) ?? []) {
        buckets.forEach((bound, i) => lines.push(`${name}_bucket${braced(labels, `le="${bound}"`)} ${counts[i]}`));
        lines.push(`${name}_bucket${braced(labels, `le="+Inf"`)} ${count}`);
        lines.push(`${name}_sum${braced(labels)} ${sum}`, `${name}_count${braced(labels)} ${count}`);
      }
    }
    return lines.join("\n") + "\n";
  }

  return {
    trace(event) {
      if (!heard) hear(event);
    },
    text,
    answer(request) {
      const found = request.method === "GET" && new URL(request.url, "http://metrics").pathname === "/metrics";
      return Promise.resolve({
        status: found ? 200 : 404,
        headers: { "content-type": "text/plain; version=0.0.4; charset=utf-8", "cache-control": "no-store" },
        body: found ? text() : "GET /metrics is all there is here\n",
      });
    },
    open(desk) {
      base = desk.site.base;
    },
    around: (next) => async (request, peer) => {
      const began = performance.now();
      const path = /^(?:[a-z]+:\/\/[^/?#]*)?([^?#]*)/i.exec(request.url)?.[1] ?? "";
      const endpoint = endpointName(base, path);
      underWay++;
      let status = "none";
      try {
        const answer = await next(request, peer);
        status = String(answer.status);
        return answer;
      } finally {
        underWay--;
        const method = methods.has(request.method) ? request.method : "other";
        count("latchkey_requests_total", labelled({ endpoint, method, status }));
        observe("latchkey_request_seconds", labelled({ endpoint }), (performance.now() - began) / 1000);
      }
    },
    during: (server): Server => ({
      ...server,
      store: watch(server.store),
      trace(event) {
        hear(event);
        heard = true;
        try {
          server.trace(event);
        } finally {
          heard = false;
        }
      },
    }),
  };
}

/** Labels as they stand between the braces. Their values are names of ours, so nothing needs to be escaped. */
function labelled(labels: Readonly<Record<string, string>>): string {
  return Object.entries(labels).map(([name, value]) => `${name}="${value}"`).join(",");
}

function braced(labels: string, further = ""): string {
  const all = [labels, further].filter((part) => part !== "").join(",");
  return all === "" ? "" : `{${all}}`;
}
