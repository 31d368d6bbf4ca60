/** Properties of the redaction for logs and of that for recorded exchanges, for generated texts. */

import { assert, assertEquals } from "@std/assert";
import fc from "fast-check";
import { test } from "node:test";
import type { Latchkey } from "../../src/mod.ts";
import type { TraceEvent } from "../../src/server/trace.ts";
import { redactEvent, redactText } from "../../src/server/redaction/redact.ts";
import { registeredSecrets } from "../../src/server/redaction/registered_secrets.ts";
import type { Exchange } from "../../src/recorder/exchange.ts";
import { redactExchanges } from "../../src/recorder/redact.ts";
import { parseRequest } from "../../src/recorder/record_request.ts";
import { latchkey } from "../secret_leak_check.ts";

const secret = "hunter2";

const secretNames = [
  ...["client_secret", "code", "password", "refresh_token", "token", "clientSecret", "client[secret]"],
  ...["client%5Fsecret", "Client-Secret", "api_key"],
];
const publicNames = ["x", "redirect_uri", "scope", "token_type", "user_code", "grant_type", "a.b", "z[]"];
const publicValues = [
  ...["abc", "read write", "https://web.example/cb", "12", "é€", "a:b", "100%", "%zz", "a, b; c", "{}", '"q"', ""],
  ...["urn:ietf:params:oauth:token-type:jwt"],
];

/** The forms of a name with its value. */
const forms: readonly ((name: string, value: string) => string)[] = [
  (name, value) => `${name}=${encodeURIComponent(value)}`,
  (name, value) => `text/plain; ${name}=${encodeURIComponent(value)}`,
  (name, value) => JSON.stringify({ [name]: value }),
  (name, value) => JSON.stringify([{ a: 1, [name]: [value] }]),
  (name, value) => JSON.stringify({ b: true, [name]: { value } }, null, 1),
  (name, value) => JSON.stringify({ [name]: value }).slice(0, -2),
  (name, value) => JSON.stringify({ note: JSON.stringify({ [name]: value }) }),
  (name, value) => JSON.stringify({ note: JSON.stringify({ [name]: value }) }).slice(0, -3),
  (name, value) => `x=1&a=${JSON.stringify({ note: JSON.stringify({ [name]: value }) })}&b=2`,
];

/** Texts that contain another text, encoded once at most. */
const outerTexts: readonly ((text: string) => string)[] = [
  (text) => text,
  (text) => JSON.stringify({ note: text }),
  (text) => `x=${encodeURIComponent(text)}`,
  (text) => `/oauth2/token?u=${encodeURIComponent(text)}`,
  (text) => `x=y&a=${encodeURIComponent(text)}&z=1`,
];

function texts(names: readonly string[], values: readonly string[], maxLength: number): fc.Arbitrary<string> {
  const parts = fc.tuple(fc.constantFrom(...names), fc.constantFrom(...values), fc.constantFrom(...forms));
  return fc.tuple(parts, fc.array(fc.constantFrom(...outerTexts), { maxLength })).map(([part, around]) => {
    const [name, value, form] = part;
    return around.reduce((text, outer) => outer(text), form(name, value));
  });
}

function eventOf(received: string): TraceEvent {
  const explanation = { rule: "TK-02", reason: "The content type is wrong.", received } as const;
  return { type: "rejected", at: 0, endpoint: `/${received}`, error: "invalid_request", explanation };
}

/** An exchange that has the text in each place. */
function exchangeOf(text: string, contentType: string): Exchange {
  const headers = { "content-type": contentType, referer: text };
  const head = { method: "POST", path: `/${text}`, query: text, headers };
  const failure = { type: "internal_error", at: 0, endpoint: `/${text}`, cause: text } as const;
  return {
    ...{ number: 1, at: 0, endpoint: "token", title: "Token request", caller: "client", outcome: "rejected" },
    request: parseRequest(head, { text, complete: true }),
    ...{ passed: [], warnings: [], events: [eventOf(text), failure], faults: [] },
  };
}

const json = "application/json";

/** The same texts in each run: a failure is about what has changed. */
const generated = { seed: 20260101, numRuns: 200 };

test("[HT-15, FL-03] the value of a secret name is in no log and no redacted exchange, in whatever text it is", () => {
  fc.assert(
    fc.property(texts(secretNames, [secret], 1), (text) => {
      const redacted = redactExchanges([exchangeOf(text, json), exchangeOf(text, "text/plain")]);
      for (const shown of [redactEvent(eventOf(text)), redacted].map((value) => JSON.stringify(value))) {
        assert(!shown.includes(secret), shown);
      }
    }),
    generated,
  );
});

test("[HT-15] a registered client secret is in no log, in whatever text it is", () => {
  const clients = {
    known: () => new Map([["a", { secretDigest: new Promise(() => {}), pendingSecret: secret }]]),
  };
  const registered = registeredSecrets();
  registered.addClients(clients as unknown as Latchkey["clients"]);
  fc.assert(
    fc.property(texts(publicNames, [secret], 2), (text) => {
      assert(!JSON.stringify(redactEvent(eventOf(text), registered)).includes(secret), text);
    }),
    generated,
  );
});

test("[HT-15, FL-03] a text without secret names stays as it is, or as its first 80 characters", () => {
  fc.assert(
    fc.property(texts(publicNames, publicValues, 1), (text) => {
      assertEquals(redactText(text), text);
      if (text.length > 80) return;
      for (const type of [json, "text/plain"]) {
        const exchange = exchangeOf(text, type);
        assertEquals(redactExchanges([exchange]), [exchange]);
      }
    }),
    generated,
  );
});

test("[HT-15, FL-03] JSON with other quotes or none, numbers, and names as in headers are redacted, too", () => {
  const hostile = [
    ...[`{'client_secret': '${secret}'}`, `{client_secret: "${secret}"}`, `{client[secret]: "${secret}"`],
    ...[`a {"note":"x=y&code=${secret}"} b`, `client_secret: ${secret}`, `x=y&code: ${secret}&z=1`],
    `state=${encodeURIComponent(`x=client_secret=${secret}`)}`,
  ];
  for (const text of [...hostile, '{"password":8264017}', '{"password":{"of":[8264017]}}']) {
    const shown = JSON.stringify([redactEvent(eventOf(text)), redactExchanges([exchangeOf(text, json)])]);
    assert(!shown.includes(secret) && !shown.includes("8264017"), shown);
  }
});

test("[HT-15, FL-03] a number in code, as in a JSON-RPC error, is no authorization code and is shown; a string is not", () => {
  const shown = (text: string) =>
    [redactEvent(eventOf(text)), redactExchanges([exchangeOf(text, json)])].map((value) => JSON.stringify(value));
  for (const text of ['{"error":{"code":-32042,"message":"no"}}', '[{"error":{"code":-32042}}]']) {
    for (const record of shown(text)) assert(record.includes("-32042"), record);
  }
  for (
    const text of [
      ...['{"code":"8264017"}', '{"error":{"code":"8264017"}}', '{"code":[8264017]}', '{"code":{"value":8264017}}'],
      ...['{"password":{"code":8264017}}', '{"token":8264017}', "code=8264017", '{"code":"8264017'],
    ]
  ) {
    for (const record of shown(text)) assert(!record.includes("8264017"), record);
  }
});

test("[HT-15, FL-03] credentials of a header are redacted in any text; words that only follow a scheme are not", () => {
  const basic = btoa(`web:${secret}`);
  for (
    const text of [
      ...[`Authorization: Basic ${basic}`, `Basic ${basic}`, `authorization: bearer ${secret}`, `x=Basic+${basic}`],
      ...[`Authorization%3A%20DPoP%20${secret}`, JSON.stringify({ headers: { Authorization: `Bearer ${secret}` } })],
      ...[
        `failed: client_secret: ${secret}`,
        `a: b, password: ${secret}; c: d`,
        `https://web:${secret}@web.example/cb`,
      ],
    ]
  ) {
    const shown = JSON.stringify([redactEvent(eventOf(text)), redactExchanges([exchangeOf(text, "text/plain")])]);
    assert(!shown.includes(secret) && !shown.includes(basic), shown);
  }
  for (const text of ["Basic credentials", "a Bearer realm: none", "http://web.example:80 and a@b.example"]) {
    assertEquals(redactText(text), text);
  }
});

test("[HT-15] the option trace receives each event with texts of a client redacted, also of a missing page", async () => {
  const events: TraceEvent[] = [];
  const as = await latchkey({ trace: (event) => events.push(event) });
  const headers = { accept: "text/html", "sec-fetch-dest": "document", "sec-fetch-mode": "navigate" };
  await as.fetch(new Request(`${as.issuer}/x/client_secret=${secret}`, { headers }));
  const [missing] = events.filter(({ type }) => type === "page_missing");
  assert(missing !== undefined && !JSON.stringify(missing).includes(secret), JSON.stringify(events));
  await as.close();
});
