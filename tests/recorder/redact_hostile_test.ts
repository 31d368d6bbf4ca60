/** Redaction of requests that are made to hide a secret from it, or to keep it busy. */

import { assert, assertStringIncludes } from "@std/assert";
import { test } from "node:test";
import { redactText } from "../../src/oauth/redact.ts";
import type { Exchange } from "../../src/recorder/exchange.ts";
import { redactExchanges } from "../../src/recorder/redact.ts";
import { parseRequest } from "../../src/recorder/record_request.ts";
import { form } from "./recorded_server.ts";

function exchange(body: string, type: string, headers: Readonly<Record<string, string>> = {}): Exchange {
  const head = { method: "POST", path: "/oauth2/token", query: "", headers: { ...headers, "content-type": type } };
  return {
    ...{ number: 1, at: 0, endpoint: "token", title: "Token request", caller: "client", outcome: "rejected" },
    request: parseRequest(head, { text: body, complete: true }),
    ...{ passed: [], warnings: [], events: [], faults: [] },
  };
}

function redacted(body: string, type: string, headers?: Readonly<Record<string, string>>): string {
  return JSON.stringify(redactExchanges([exchange(body, type, headers)]));
}

function encoded(text: string, times: number): string {
  return times === 0 ? text : encoded(encodeURIComponent(text), times - 1);
}

test("[FL-03] JSON sent as a form, cut JSON and JSON with other quotes are redacted by their members", () => {
  const secret = "hunter2";
  const bodies = [
    JSON.stringify({ redirect_uri: "https://web.example/cb?a=b&c=d", client_secret: secret }),
    JSON.stringify({ redirect_uri: "https://web.example/cb?a=b&c=d", client_secret: [secret] }),
    `{"client_secret":["${secret}"`,
    `{"client_secret":"${secret}\\`,
    `{'client_secret': '${secret}'}`,
    `{client_secret: "${secret}"}`,
    JSON.stringify({ client_secret: { value: secret } }),
    JSON.stringify({ note: JSON.stringify({ client_secret: secret }) }),
    `state=${encodeURIComponent(JSON.stringify({ client_secret: secret }))}`,
    `x=${encodeURIComponent(JSON.stringify([{ client_secret: secret }]))}`,
  ];
  for (const body of bodies) {
    for (const type of [form, "application/json"]) assert(!redacted(body, type).includes(secret), `${type} ${body}`);
  }
});

test("[FL-03] strings and names of JSON members are searched for pairs; long public names stay", () => {
  const secret = "hunter2";
  const uri = `https://web.example/cb?client_secret=${secret}`;
  const bodies = [{ redirect_uris: [uri] }, { a: `u=${encodeURIComponent(uri)}` }, { [`client_secret=${secret}`]: 1 }];
  for (const body of bodies) assert(!redacted(JSON.stringify(body), "application/json").includes(secret));
  const name = "authorization_response_iss_parameter_supported";
  assertStringIncludes(redacted(JSON.stringify({ [name]: true }), "application/json"), name);
});

test("[FL-03] a pair that is encoded more often than it is decoded is masked as a whole, also in logs", () => {
  for (const times of [1, 2, 3, 4, 5, 6, 9]) {
    const text = encoded("https://web.example/cb?client_secret=hunter2", times);
    assert(!redacted(`x=${text}`, form).includes("hunter2"), `${times} times`);
    assert(!redactText(`/oauth2/${text}`).includes("hunter2"), `${times} times in a log`);
  }
});

test("[FL-03] a cookie without a name is redacted; an empty one stays empty", () => {
  const shown = redacted("a=b", form, { cookie: "hunter2; b=" });
  assertStringIncludes(shown, '"cookie":"…(7); b="');
});
