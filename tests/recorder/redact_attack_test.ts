/** Texts with the values of declared names, in every place of a request: no output shows a value. */

import { assert, assertEquals } from "@std/assert";
import { test } from "node:test";
import { latchkey } from "../../src/mod.ts";
import { inspector } from "../../src/devtools/inspector.ts";
import { logging } from "../../src/cli/operating/logging.ts";
import { metrics } from "../../src/cli/operating/metrics.ts";
import { telemetry } from "../../src/cli/operating/telemetry.ts";
import { toFixture } from "../../src/recorder/export/fixture.ts";
import { toHar } from "../../src/recorder/export/har.ts";
import { formatMarkdown } from "../../src/recorder/export/markdown.ts";
import { recorder } from "../../src/recorder/recorder.ts";
import { testLog } from "../../src/testing/log/log.ts";
import { sample } from "../sample.ts";
import { testClients } from "../server/client_endpoints.ts";
import { basic } from "../kit.ts";

const secret = "hunter2";
/** The numbers of the texts. Each text has another combination of name, form and place. */
const numbers = sample(Array.from({ length: 4000 }, (_, i) => i), 7, 0);

const spellings: readonly ((name: string) => string)[] = [
  (name) => name,
  (name) => name.toUpperCase(),
  (name) => name.replace(/_(.)/g, (_, letter) => letter.toUpperCase()),
  (name) => name.replaceAll("_", "-"),
  (name) => name.replaceAll("_", "%5F"),
  (name) => `user[${name}]`,
  (name) => `${name}[0]`,
  (name) => `x.${name}`,
  (name) => `organization[users_attributes][0][credentials_attributes][0][${name}]`,
];

const forms: readonly ((name: string) => string)[] = [
  (name) => `${name}=${secret}`,
  (name) => `a=b&${name}=${secret}&z=1`,
  (name) => `text/plain; ${name}=${secret}`,
  (name) => `https://web.example/cb?a=b#${name}=${secret}`,
  (name) => JSON.stringify({ [name]: secret }),
  (name) => JSON.stringify([{ a: 1, [name]: [secret] }]),
  (name) => JSON.stringify({ [name]: { value: secret } }),
  (name) => JSON.stringify({ [name]: secret }).slice(0, -2),
  (name) => JSON.stringify({ note: JSON.stringify({ [name]: secret }) }),
  (name) => JSON.stringify({ note: JSON.stringify({ [name]: secret }) }).slice(0, -3),
  (name) => `{'${name}': '${secret}'}`,
  // Dumps of Ruby and PHP.
  (name) => `{:${name}=>"${secret}"}`,
  (name) => `[${name}] => ${secret}`,
  (name) => `${name}=<${secret}>`,
  (name) => `${name}=a'${secret}&z=1`,
];

/** Forms of declared names: words of a sentence end like the other ones. */
const formsOfDeclared: typeof forms = [(name) => `${name}: ${secret}`, (name) => `map[${name}:${secret}]`];

const outerTexts: readonly ((text: string) => string)[] = [
  (text) => text,
  encodeURIComponent,
  (text) => encodeURIComponent(encodeURIComponent(text)),
  (text) => `x=${encodeURIComponent(text)}`,
  (text) => JSON.stringify({ note: text }),
  (text) => encodeURIComponent(`https://web.example/cb?u=${encodeURIComponent(text)}`),
  (text) => `${"long ".repeat(40)}${text}`,
];

type Send = (path: string, init: RequestInit) => Promise<Response>;

const ascii = (text: string) => text.replace(/[^\x20-\x7e]/g, " ");
const post = (body: string, type: string) => ({ method: "POST", body, headers: { "content-type": type } });
const formType = "application/x-www-form-urlencoded";

const places: Readonly<Record<string, (send: Send, text: string, name: string) => Promise<Response>>> = {
  query: (send, text) => send(`/oauth2/authorize?client_id=spa&state=${encodeURIComponent(text)}`, {}),
  "unknown parameter": (send, text) => send(`/oauth2/authorize?client_id=spa&x=${encodeURIComponent(text)}`, {}),
  "redirect URI": (send, text) => send(`/oauth2/authorize?client_id=spa&redirect_uri=${encodeURIComponent(text)}`, {}),
  "raw query": (send, text) => send(`/oauth2/authorize?${text.replaceAll("#", "%23").replaceAll(" ", "%20")}`, {}),
  path: (send, text) => send(`/oauth2/${encodeURIComponent(text)}`, {}),
  form: (send, text) => send("/oauth2/token", post(`grant_type=${encodeURIComponent(text)}&client_id=spa`, formType)),
  "raw form": (send, text) => send("/oauth2/token", post(text, formType)),
  body: (send, text) => send("/oauth2/token", post(text, "text/plain")),
  JSON: (send, text) => send("/oauth2/register", post(text, "application/json")),
  parameter: (send, _, name) => send("/oauth2/token", post(`${encodeURIComponent(name)}=${secret}`, formType)),
  "user agent": (send, text) => send("/oauth2/jwks", { headers: { "user-agent": ascii(text) } }),
  referer: (send, text) => send("/oauth2/token", { method: "POST", headers: { referer: ascii(text) } }),
  "content type": (send, text) => send("/oauth2/token", post("x", ascii(text))),
  cookie: (send, text) => send("/oauth2/login", { headers: { cookie: `a=${ascii(text)}` } }),
  authorization: (send, text) => send("/oauth2/userinfo", { headers: { authorization: `Bearer ${ascii(text)}` } }),
  basic: (send, text) => send("/oauth2/token", { method: "POST", headers: basic("web", encodeURIComponent(text)) }),
};

test(`[HT-15, FL-03] of ${numbers.length} texts, no value of a declared name is in flows, logs, exports, metrics, traces, pages`, async () => {
  const record = recorder({ limit: 2 * numbers.length, maxBytes: Infinity });
  const leaks: string[] = [];
  const outputs = new Set<string>();
  // The server ignores exceptions of listeners.
  const written = (name: string) => (text: string) => {
    outputs.add(name);
    if (text.includes(secret)) leaks.push(`${name}: ${text}`);
  };
  const counted = metrics();
  const span = {
    setAttributes: (values: object) => written("traces")(JSON.stringify(values)),
    addEvent: (name: string, values?: object) => written("traces")(`${name} ${JSON.stringify(values)}`),
    setStatus: (status: object) => written("traces")(JSON.stringify(status)),
    setAttribute: (name: string, value: unknown) => written("traces")(`${name} ${value}`),
    end() {},
  };
  const tracer = {
    startSpan(name: string, options?: object) {
      written("traces")(`${name} ${JSON.stringify(options)}`);
      return span;
    },
  };
  const verbose = logging({ write: written("terminal"), format: "text", verbose: true });
  // Without the leak check of other tests, which takes whole texts for secrets.
  await using as = await latchkey({
    ...testClients,
    issuer: "http://localhost:9666",
    alg: "EdDSA",
    registration: { mode: "open" },
    insecureAllowOpenRegistration: true,
    deviceAuthorization: true,
    tokenExchange: { targets: { web: ["https://api.example"] } },
    trace: (event) => written("trace")(JSON.stringify(event)),
    plugins: [
      record,
      inspector({ recorder: record }),
      counted,
      telemetry({ tracer }),
      verbose,
      logging({ write: written("log"), format: "json" }),
    ],
  });
  const declaredNames = record.endpoints.flatMap(({ parameters = [], responseParameters = [] }) =>
    [...parameters, ...responseParameters].flatMap(({ name, secret }) => secret === undefined ? [] : [name])
  );
  const undeclaredNames = ["logout_token", "saml_assertion", "smtp_password"];
  const names = [...new Set([...declaredNames, ...undeclaredNames])];
  assert(names.length >= 18, names.join());
  const send: Send = (path, init) => as.fetch(new Request(as.issuer + path, init));
  const placeNames = Object.keys(places);
  for (const list of [names, placeNames]) {
    assertEquals(new Set(numbers.map((i) => i % list.length)).size, list.length, "each is used");
  }
  for (const i of numbers) {
    const pick = <T>(list: readonly T[], step: number) => list[Math.floor(i / step + i * step) % list.length]!;
    const plainName = names[i % names.length]!;
    const name = pick(spellings, 7)(plainName);
    const usual = undeclaredNames.includes(plainName) ? forms : [...forms, ...formsOfDeclared];
    // The claims parameter has an object in id_token.
    const possible = plainName === "id_token" ? usual.filter((form) => !form(name).includes('{"value"')) : usual;
    const text = pick(outerTexts, 3)(pick(possible, 5)(name));
    await (await places[placeNames[i % placeNames.length]!]!(send, text, name)).text();
  }
  verbose.flush();
  const flows = record.flows();
  assert(JSON.stringify(record.exchanges()).split(secret).length > numbers.length / 2, "the values were recorded");
  for (const flow of flows) {
    written("Markdown")(formatMarkdown(flow, flow.exchanges.findIndex(({ rejection }) => rejection !== undefined)));
    written("HAR")(JSON.stringify(toHar(flow.exchanges, { issuer: as.issuer })));
    written("fixture")(JSON.stringify(toFixture(flow)));
  }
  written("flows")(
    JSON.stringify(
      testLog(record).exchanges.map(({ request, response, rejection, client }) => ({
        request,
        response,
        rejection,
        client,
      })),
    ),
  );
  written("transcript")(String(testLog(record)));
  written("metrics")(counted.text());
  for (const path of ["/flows", "/faults", "/flows.json", ...flows.slice(-20).map(({ id }) => `/flows/${id}`)]) {
    written(path)(await (await send(path, {})).text());
  }
  assertEquals(leaks.slice(0, 3), []);
  assert(["terminal", "log", "trace", "traces", "HAR"].every((name) => outputs.has(name)), [...outputs].join());
});
