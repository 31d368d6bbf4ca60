/** What a process issued is found in any text; nothing else is. */

import { assert, assertEquals } from "@std/assert";
import { test } from "node:test";
import { randomBytes } from "../../src/core/keys/crypto.ts";
import { randomToken } from "../../src/core/keys/secrets.ts";
import { containsIssued, rememberingRandom } from "../../src/server/redaction/issued_secrets.ts";

test("[HT-15] an issued secret is found at every place of a word, and no other secret is", () => {
  const issued = Array.from({ length: 200 }, () => randomToken(rememberingRandom(randomBytes)));
  for (const [i, secret] of issued.entries()) {
    assert(containsIssued(`${"x".repeat(i)}${secret}${"-".repeat(i % 7)}`), `${i} characters before it`);
    assert(!containsIssued(secret.slice(1)), "a part of it");
    assert(!containsIssued(randomToken(randomBytes)), "another secret");
  }
});

test("[HT-15] of more secrets than are remembered, the newest are found, and the oldest are forgotten", () => {
  const random = rememberingRandom(randomBytes);
  const oldest = randomToken(random);
  for (let i = 0; i < 100_000; i++) random(32);
  const newest = randomToken(random);
  assertEquals([containsIssued(oldest), containsIssued(newest)], [false, true]);
});
