/** An endpoint of a plugin: one description makes every part of the server treat it and its parameters correctly. */

import { assert, assertEquals, assertMatch, assertNotMatch, assertThrows } from "@std/assert";
import { test } from "node:test";
import { clientEndpoint } from "../../src/core/token/client_endpoint.ts";
import { json } from "../../src/core/http/message.ts";
import { inspector } from "../../src/devtools/mod.ts";
import { OAuthError, type Plugin } from "../../src/mod.ts";
import { type Context, type Endpoint, parameters } from "../../src/server/extension.ts";
import type { TraceEvent } from "../../src/server/trace.ts";
import { logging } from "../../src/cli/operating/logging.ts";
import { formatFlowMarkdown } from "../../src/recorder/export/markdown.ts";
import { recorder } from "../../src/recorder/recorder.ts";
import { redactExchanges } from "../../src/recorder/redact.ts";
import { faultInjector } from "../../src/testing/faults/fault_injector.ts";
import { testLog } from "../../src/testing/log/log.ts";
import { LogError } from "../../src/testing/log/log_error.ts";
import * as faults from "../../src/testing/faults/mod.ts";
import { basic, type Fields, forEachCase, type TestServer, testServer } from "../kit.ts";

const pin = "pin-8d2f6c41e07b4a";
const ticketOf = (number: number) => `ticket-number-${number}`;

/** Tickets for a PIN, and their use: nothing but this description mentions the endpoint and its parameters. */
function ticketEndpoint(): Endpoint {
  const ticket = { name: "ticket", secret: "ticket", linksFlow: true } as const;
  let count = 0;
  return {
    name: "tickets",
    metadataName: "ticket_endpoint",
    path: "/oauth2/tickets",
    methods: ["POST"],
    caller: "client",
    cors: true,
    title: "Ticket request",
    doneLabel: "ticket handled",
    errors: "json",
    role: "step",
    parameters: parameters({ name: "pin", secret: "pin" }, ticket, "note", { name: "seat", repeatable: true }),
    responseParameters: [ticket],
    load: () =>
      clientEndpoint((_, { params }) => {
        const given = params.get("ticket");
        if (given !== undefined) return Promise.resolve(json(200, { used: true }));
        if (params.get("pin") === pin) return Promise.resolve(json(200, { ticket: ticketOf(++count) }));
        throw new OAuthError("invalid_request", "the PIN is wrong", {
          rule: "TK-05",
          expected: "the PIN",
          received: `pin=${params.get("pin")}`,
        });
      }),
  };
}

const plugin = (): Plugin => ({ routes: () => [ticketEndpoint()] });

const sendTo = (server: TestServer, path: string, fields: Fields, headers: HeadersInit = basic("web", "web-secret")) =>
  server.post(path, fields, headers);

const path = "/oauth2/tickets";

test("metadata and the home page list it by its metadata name", async () => {
  const b = await testServer({ plugins: [plugin()] });
  const document = await (await b.get("/.well-known/openid-configuration")).json();
  assertEquals(document.ticket_endpoint, "https://as.test/oauth2/tickets");
  assertMatch((await (await b.get("/")).text()).replaceAll("<wbr/>", ""), /ticket_endpoint/);
});

test("CORS, methods and errors follow the description", async () => {
  const b = await testServer({ plugins: [plugin()] });
  const preflight = await b.get(path, { method: "OPTIONS" });
  assertEquals([preflight.status, preflight.headers.get("access-control-allow-methods")], [204, "POST, OPTIONS"]);
  const rejected = await sendTo(b, path, { pin: "wrong" });
  assertEquals([rejected.status, rejected.headers.get("access-control-allow-origin")], [400, "*"]);
  assertEquals((await rejected.json()).error, "invalid_request");
  const wrongMethod = await b.get(path);
  assertEquals([wrongMethod.status, wrongMethod.headers.get("allow")], [405, "POST, OPTIONS"]);
  assertEquals((await wrongMethod.json()).error, "invalid_request");
});

test("its parameters must not repeat there and at the other protocol endpoints, except a repeatable one", async () => {
  const b = await testServer({ plugins: [plugin()] });
  const statuses = async (fields: Fields) => (await sendTo(b, path, { pin, ...fields })).status;
  assertEquals(await statuses({ note: ["a", "a"] }), 400);
  assertEquals(await statuses({ seat: ["1", "2"] }), 200);
  assertEquals(await statuses({ unheard_of: ["1", "2"] }), 200);
  const token = await sendTo(b, "/oauth2/token", { grant_type: "authorization_code", note: ["a", "a"] });
  assertMatch((await token.json()).error_description, /\[TK-04\]/);
});

test("[TK-03] its secret parameters must not be in the URL of any endpoint for clients", async () => {
  const b = await testServer({ plugins: [plugin()] });
  await forEachCase([path, "/oauth2/token", "/oauth2/revoke"], async (target) => {
    const description = async (query: string) =>
      (await (await sendTo(b, `${target}?${query}`, { pin, token: "x" })).json()).error_description ?? "";
    assertMatch(await description(`pin=${pin}`), /\[TK-03\]/);
    assertNotMatch(await description("note=a"), /\[TK-03\]/);
  });
});

test("the recorder names it, links its exchanges by the ticket, and redacts PIN and ticket", async () => {
  const record = recorder();
  const b = await testServer({
    plugins: [record, inspector({ recorder: record }), plugin()],
    issuer: "http://localhost:9000",
  });
  const { ticket } = await (await sendTo(b, path, { pin })).json();
  await sendTo(b, path, { pin: "pin-of-another-flow" });
  await sendTo(b, path, { ticket });
  const flow = record.flows()[0]!;
  assertEquals(record.flows().length, 2);
  assertEquals(
    flow.exchanges.map(({ endpoint, title, client, auth, outcome }) => [endpoint, title, client, auth, outcome]),
    Array(2).fill(["tickets", "Ticket request", "web", "client_secret_basic", "done"]),
  );
  const shown = formatFlowMarkdown(flow, -1) + JSON.stringify(redactExchanges(record.exchanges()));
  assertEquals([pin, ticket, "pin-of-another-flow"].filter((secret) => shown.includes(secret)), []);
  const page = await (await b.get("/flows/1")).text();
  assert(page.includes("Ticket request") && page.includes("ticket handled"), page);
  assertEquals([pin, ticket].filter((secret) => page.includes(secret)), []);
});

test("trace and log name it, redact its secrets, and receive each event once with its context", async () => {
  const events: TraceEvent[] = [];
  const lines: string[] = [];
  const observed: [string, string | undefined][] = [];
  const observer: Plugin = {
    onEvent: (event, context) => void observed.push([event.type, context?.endpoint?.name]),
  };
  const b = await testServer({
    plugins: [logging({ write: (line) => lines.push(line), format: "json" }), observer, plugin()],
    trace: (event) => events.push(event),
  });
  await sendTo(b, path, { pin: "wrong-but-secret" });
  await b.as.rotateKeys();
  assertEquals(observed, [["rejected", "tickets"], ["key_created", undefined], ["key_created", undefined]]);
  assertEquals(events.map(({ type }) => type), ["rejected", "key_created", "key_created"]);
  assertEquals(JSON.stringify([events, lines]).includes("wrong-but-secret"), false);
  assertEquals(lines.map((line) => JSON.parse(line)).find(({ event }) => event === "request").endpoint, "tickets");
});

test("the log of the mock redacts its parameters in the messages of expectations", async () => {
  const record = recorder();
  const b = await testServer({ plugins: [record, plugin()] });
  await sendTo(b, path, { pin });
  const expected = testLog(record).expect("tickets");
  const { message } = assertThrows(() => expected.withParams({ pin: "pin-that-was-expected" }), LogError);
  assertEquals([pin, "pin-that-was-expected"].filter((secret) => message.includes(secret)), []);
});

test("a fault applies to it by its name, with the CORS headers of its description", async () => {
  const injector = faultInjector();
  const b = await testServer({ plugins: [injector.plugin, plugin()] });
  injector.on("tickets").once(faults.status(503));
  const response = await sendTo(b, path, { pin });
  assertEquals([response.status, response.headers.get("access-control-allow-origin")], [503, "*"]);
});

test("an error leaves by the channel that the endpoint declares", async () => {
  const endpoint = (errors: Endpoint["errors"]): Endpoint => ({
    name: errors,
    path: `/${errors}`,
    methods: ["GET"],
    caller: "any",
    title: errors,
    errors,
    load: () => ({
      GET() {
        throw new OAuthError("invalid_token", "the token is bad", { rule: "BR-02" });
      },
    }),
  });
  const channels = ["json", "bearer", "page", "redirect", "text"] as const;
  const { get } = await testServer({ plugins: [{ routes: () => channels.map(endpoint) }] });
  const types = await Promise.all(channels.map(async (channel) => {
    const { status, headers } = await get(`/${channel}`);
    return [status, headers.get("content-type"), headers.get("www-authenticate")?.split(" ")[0]];
  }));
  assertEquals(types, [
    [401, "application/json", "Basic"],
    [401, "application/json", "Bearer"],
    [401, "text/html; charset=utf-8", undefined],
    [401, "text/html; charset=utf-8", undefined],
    [401, "text/plain; charset=utf-8", undefined],
  ]);
});

test("what stands around a request is listed as it is nested, and no member of a server is computed when read", async () => {
  const called: string[] = [];
  let around: readonly string[] = [];
  let server = {};
  const plugin = (name: string): Plugin => ({
    name,
    setup: (app) => void ({ around, server } = app),
    handle: (next) => (request, peer) => {
      called.push(`plugin: ${name}`);
      return next(request, peer);
    },
  });
  const { get } = await testServer({ plugins: ["outer", "inner"].map(plugin) });
  await get("/oauth2/jwks");
  assertEquals(called, ["plugin: outer", "plugin: inner"]);
  assertEquals(around.filter((name) => called.includes(name)), called);
  const computed = Object.entries(Object.getOwnPropertyDescriptors(server)).filter(([, { get }]) => get !== undefined);
  assertEquals(computed, []);
});

test("a context is made once for a request, and every plugin extends its server", async () => {
  const contexts = new Set<Context>();
  const seen: (string | undefined)[] = [];
  const { get } = await testServer({
    issuer: "http://localhost:9000",
    clients: undefined,
    plugins: [{
      forRequest(_server, context) {
        contexts.add(context);
        seen.push(context.endpoint?.name);
        return undefined;
      },
    }],
  });
  for (const page of ["/", "/start", "/static/style.css", "/oauth2/jwks", "/nowhere"]) await get(page);
  assertEquals(seen, ["home", "start", "static", "jwks", undefined]);
  assertEquals(contexts.size, seen.length);
});

test("[HT-15] the option trace receives the cause of an internal error without secrets, as an error of its class", async () => {
  const failing = (): Endpoint => ({
    ...ticketEndpoint(),
    load: () =>
      clientEndpoint(() => {
        throw new RangeError("cannot read client_secret=hunter2&x=1");
      }),
  });
  const b = await testServer({ plugins: [{ routes: () => [failing()] }] });
  await (await sendTo(b, "/oauth2/tickets", { pin })).text();
  const causes = b.events.flatMap((event) => event.type === "internal_error" ? [event.cause] : []);
  assertEquals(causes.length, 1);
  const [cause] = causes;
  assert(cause instanceof RangeError);
  assertEquals(cause.message, "cannot read client_secret=…(7)&x=1");
  assertNotMatch(cause.stack ?? "", /hunter2/);
});
