/** Spans, by the OpenTelemetry SDK itself: what it makes of a login, and what hangs on what. */

import type { Context, ContextManager } from "@opentelemetry/api";
import { context, ROOT_CONTEXT, SpanKind, SpanStatusCode, trace } from "@opentelemetry/api";
import { W3CTraceContextPropagator } from "@opentelemetry/core";
import { InMemorySpanExporter, SimpleSpanProcessor, TracerProvider } from "@opentelemetry/sdk-trace";
import { assert, assertEquals, assertMatch } from "@std/assert";
import { AsyncLocalStorage } from "node:async_hooks";
import { test } from "node:test";
import { memoryStore } from "../../../src/mod.ts";
import type { Store } from "../../../src/mod.ts";
import { telemetry } from "../../../src/cli/operating/mod.ts";
import { assertTokenResponse, testServer, verifier } from "../../kit.ts";

/** What `@opentelemetry/context-async-hooks` does, and no more. */
function contextManager(): ContextManager {
  const storage = new AsyncLocalStorage<Context>();
  const self: ContextManager = {
    active: () => storage.getStore() ?? ROOT_CONTEXT,
    with: (context, call, that, ...args) => storage.run(context, () => call.apply(that, args)),
    bind: (_, target) => target,
    enable: () => self,
    disable: () => self,
  };
  return self;
}

context.setGlobalContextManager(contextManager());

/** A store whose calls are spans, as the instrumentation of a driver makes them. */
function tracedStore(provider: TracerProvider): Store {
  const store = memoryStore();
  const tracer = provider.getTracer("store");
  return {
    ...store,
    consume: (kind, id, now) =>
      tracer.startActiveSpan("store consume", (span) => store.consume(kind, id, now).finally(() => span.end())),
  };
}

test("the OpenTelemetry SDK receives a span for each request, below the caller's and above the store's, without secrets", async () => {
  const exporter = new InMemorySpanExporter();
  const provider = new TracerProvider({ spanProcessors: [new SimpleSpanProcessor({ exporter })] });
  const propagator = new W3CTraceContextPropagator();
  const getter = { get: (headers: Headers, name: string) => headers.get(name) ?? undefined, keys: () => [] };
  const { code, token } = await testServer({
    store: tracedStore(provider),
    plugins: [telemetry({
      tracer: provider.getTracer("latchkey"),
      context: (headers) => propagator.extract(ROOT_CONTEXT, headers as Headers, getter),
      withActiveSpan: (span, response) => context.with(trace.setSpan(context.active(), span), response),
    })],
  });
  const given = await code();
  const caller = { traceId: "4bf92f3577b34da6a3ce929d0e0e4736", spanId: "00f067aa0ba902b7" };
  const headers = { traceparent: `00-${caller.traceId}-${caller.spanId}-01` };
  const tokens = await assertTokenResponse(await token({ code: given }, { headers }));
  await token({ code: given }, { headers });
  await provider.forceFlush();

  const spans = exporter.getFinishedSpans();
  assertEquals(spans.map(({ name }) => name), ["GET authorize", "store consume", "POST token", "POST token"]);
  const [authorize, consume, first, second] = spans;
  assertEquals([authorize!.parentSpanContext, authorize!.kind], [undefined, SpanKind.SERVER]);
  assertEquals([first!.parentSpanContext?.spanId, first!.spanContext().traceId], [caller.spanId, caller.traceId]);
  assertEquals(consume!.parentSpanContext?.spanId, first!.spanContext().spanId);
  assertEquals(first!.attributes, {
    "http.request.method": "POST",
    "latchkey.endpoint": "token",
    "http.response.status_code": 200,
  });
  assertEquals(first!.events.map(({ name }) => name), ["tokens_issued"]);
  const rejection = second!.events.find(({ name }) => name === "rejected");
  assertEquals(rejection?.attributes?.["latchkey.rule"], "CI-06");
  // A client's fault is none of the server's (semantic conventions for HTTP).
  assertEquals(spans.map(({ status }) => status.code), spans.map(() => SpanStatusCode.UNSET));
  const logged = JSON.stringify(spans.map(({ name, attributes, events }) => ({ name, attributes, events })));
  for (const secret of [given, verifier, tokens.access_token, tokens.id_token, "alice"]) {
    assert(!logged.includes(secret));
  }
});

test("the OpenTelemetry SDK receives a server failure as an error", async () => {
  const exporter = new InMemorySpanExporter();
  const provider = new TracerProvider({ spanProcessors: [new SimpleSpanProcessor({ exporter })] });
  const store = new Proxy(memoryStore(), {
    get: (store, verb: keyof Store) => verb === "get" ? () => Promise.reject(new Error("gone")) : store[verb],
  });
  const { token } = await testServer({ store, plugins: [telemetry({ tracer: provider.getTracer("latchkey") })] });
  assertEquals((await token({ code: "any" })).status, 500);
  const [span] = exporter.getFinishedSpans();
  assertEquals(span!.status.code, SpanStatusCode.ERROR);
  assertMatch(span!.events.map(({ name }) => name).join(), /internal_error/);
});
