/** Redaction of text that a client sent, for logs. */

import { assert, assertEquals, assertMatch } from "@std/assert";
import { test } from "node:test";
import { redactText } from "../../../src/server/redaction/redact.ts";
import type { TraceEvent } from "../../../src/server/trace.ts";
import { forEachCase } from "../../kit.ts";
import { latchkey } from "../../secret_leak_check.ts";

const secret = "S3cret";

test("[HT-15] the value of a declared name is hidden in JSON, in a form and in a URI", async () => {
  await forEachCase([
    ...[`client_secret=${secret}`, `a=b&code=${secret}`, `https://web.example/cb?a=b#refresh_token=${secret}&c=d`],
    ...[`{"client_secret":"${secret}"}`, `[{"a":{"clientSecret":["${secret}"]}}]`, `https://u:${secret}@web.example/`],
    ...[`{"client_secret":"${secret}`, `{"password":{"of":"${secret}"}}`],
  ], (text) => {
    const redacted = redactText(text);
    assert(!redacted.includes(secret), redacted);
    assertMatch(redacted, /…/);
  });
});

test("[HT-15] a text without a secret stays as it is", async () => {
  const texts = [
    ...["authorization_code", "text/plain; charset=utf-8", "x=y=z", "x=a%2520b", "100%", "read: write", "%zz=%", "="],
    ...["urn:ietf:params:oauth:token-type:jwt", '{"a":"b"}', "client_secret", "a: b, c: d", ""],
    ...["AssertionError [ERR_ASSERTION]: the store is closed", "invalid_token: the token has expired"],
    ...["http://csrf-token:3000/calback", "https://code.example.com:8443/cb"],
    '{"id_token":{"acr":{"essential":true,"values":["urn:mace:incommon:iap:silver"]}}}',
  ];
  await forEachCase(texts, (text) => assertEquals(redactText(text), text));
});

test("[HT-15] the option trace receives an event of a plugin's setup, without the secrets of clients", async () => {
  const events: TraceEvent[] = [];
  const client_secret = "a-secret-of-this-client";
  await latchkey({
    clients: [{ client_id: "web", redirect_uris: ["http://localhost:5173/callback"], client_secret }],
    plugins: [{
      setup: ({ server }) =>
        server.trace({ type: "changed_by_hand", at: server.now(), change: `the secret is ${client_secret}` }),
    }],
    trace: (event) => events.push(event),
  });
  const changes = events.flatMap((event) => event.type === "changed_by_hand" ? event.change : []);
  assertEquals(changes.length, 1);
  assertMatch(changes[0]!, /^the secret is …/);
});
