/** Redaction of text that a client sent, for logs. */

import { assert, assertEquals, assertMatch } from "@std/assert";
import { test } from "node:test";
import { redactText } from "../../../src/server/redaction/redact.ts";
import type { TraceEvent } from "../../../src/server/trace.ts";
import { forEachCase } from "../../kit.ts";
import { latchkey } from "../../secret_leak_check.ts";

const secret = "S3cret";

test("[HT-15] a secret name hides its value wherever the pair is, in plain text or percent-encoded once", async () => {
  await forEachCase([
    ...["client_secret=", "client%5Fsecret=", "x=client%5Fsecret%3D", "x=y=z=client_secret=", "%63lient%5fsecret%3D"],
    ...["text/plain; client_secret=", "a=b=c=d=e=f=g=h=client_secret=", "x=client%20secret%3D", "/x/client_secret%3D"],
    ...['{"client_secret":"', '{"a":1, "client%5Fsecret" : "', "client_secret: ", "read client%5Fsecret:\t"],
  ], (before) => {
    const redacted = redactText(before + secret);
    assert(!redacted.includes(secret), redacted);
    assertMatch(redacted, /…/);
  });
});

test("[HT-15] a text without a secret name stays as it is", async () => {
  const texts = [
    ...["authorization_code", "text/plain; charset=utf-8", "x=y=z", "x=a%2520b", "100%", "read: write", "%zz=%", "="],
    ...["urn:ietf:params:oauth:token-type:jwt", '{"a":"b"}', "client%255Fsecret", "client_secret", "a: b, c: d", ""],
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
