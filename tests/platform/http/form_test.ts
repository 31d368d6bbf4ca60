/** The small laws of reading fields: strict decoding, a bounded size, a bounded time, and no compression. */

import { assert, assertEquals, assertLess, assertRejects, assertThrows } from "@std/assert";
import { mock, test } from "node:test";
import { HttpError } from "../../../src/core/http/message.ts";
import { bodyTimeoutMs, type Fields, maxBodyBytes, parseFields, readForm } from "../../../src/core/http/form.ts";
import { forEachCase } from "../../kit.ts";
import { replaceTimers } from "../../until.ts";

const formType = "application/x-www-form-urlencoded";

/** A POST of this body, with the headers given instead of the right ones. */
function post(body: BodyInit | null, headers: Record<string, string> = {}): Request {
  const init = { method: "POST", body, headers: { "content-type": formType, ...headers }, duplex: "half" };
  return new Request("https://any.test/", init as RequestInit);
}

/** A body that arrives in these parts; `more` is asked for the rest, when there is any. */
function arriving(parts: readonly (string | Uint8Array)[], more?: UnderlyingDefaultSource<Uint8Array>["pull"]) {
  const waiting = parts.map((part) => typeof part === "string" ? new TextEncoder().encode(part) : part);
  let cancelled = false;
  const stream = new ReadableStream<Uint8Array>({
    pull(controller) {
      const part = waiting.shift();
      if (part !== undefined) return controller.enqueue(part);
      return more === undefined ? controller.close() : more(controller);
    },
    cancel() {
      cancelled = true;
    },
  }, { highWaterMark: 0 });
  return { stream, isCancelled: () => cancelled };
}

/** The fault that reading ends with, as `413 HT-07`. */
async function faultOf(reading: Promise<Fields>): Promise<string> {
  const { status, rule } = await assertRejects(() => reading, HttpError);
  return `${status} ${rule}`;
}

test("fields are decoded once, in the order sent, without normalisation", async () => {
  const cases: Record<string, Fields> = {
    "": [],
    "&&": [],
    "a=1&b=2&a=3": [["a", "1"], ["b", "2"], ["a", "3"]],
    "a=b=c": [["a", "b=c"]],
    "a": [["a", ""]],
    "=b": [["", "b"]],
    "=": [["", ""]],
    "a+b=c+d": [["a b", "c d"]],
    "a%2Bb=c%20d": [["a+b", "c d"]],
    "a=%2525": [["a", "%25"]],
    "a=%26%3D%0D%0A": [["a", "&=\r\n"]],
    "a=x%00y": [["a", "x\0y"]],
    "a=%EF%BB%BFx": [["a", "\uFEFFx"]],
    "a=%C3%A9&b=e%CC%81": [["a", "é"], ["b", "e\u0301"]],
    "a=%F0%9F%94%91": [["a", "🔑"]],
    "a;b=c": [["a;b", "c"]],
    "a[b]=1&code[]=2&__proto__=3": [["a[b]", "1"], ["code[]", "2"], ["__proto__", "3"]],
  };
  await forEachCase(Object.entries(cases), ([text, fields]) => assertEquals(parseFields(text), fields));
});

test("[HT-10] broken percent sequences and invalid UTF-8 are rejected in names and values, never repaired", async () => {
  const broken = [
    ...["%", "%f", "%zz", "%%41", "a%", "%u0041", "%-1", "% 41"],
    ...["%ff", "%80", "%C3", "%C3%28", "%E2%82", "%C0%80", "%C1%81", "%ED%A0%80", "%F4%90%80%80", "%FE"],
  ];
  await forEachCase(broken.flatMap((text) => [`${text}=1`, `a=${text}`, `b=1&a=x${text}y&c=2`]), (text) => {
    assertEquals([assertThrows(() => parseFields(text), HttpError).status], [400]);
  });
  const receivedOf = (text: string) => assertThrows(() => parseFields(text), HttpError).texts.received;
  assertEquals(receivedOf("a=1&client%5Fsecret=50%"), "the value of client_secret that is not");
  assertEquals(receivedOf("50%=1"), "a name that is not");
  // A secret with an ampersand that is not encoded.
  assertEquals(receivedOf("client_secret=Tr0ub&4dor=%3"), "a value that is not");
  assertEquals(receivedOf(`${"a".repeat(61)}=%`), "a value that is not");
});

test("[HT-10] invalid or truncated UTF-8 in a body is rejected", async () => {
  const key = new TextEncoder().encode("a=🔑");
  await forEachCase([[0x61, 0x3d, 0xff], [0x61, 0x3d, 0xc0, 0x80], [...key.subarray(0, -1)]], async (bytes) => {
    assertEquals(await faultOf(readForm(post(new Uint8Array(bytes)))), "400 HT-10");
  });
  const { stream } = arriving([key.subarray(0, 3), key.subarray(3, 5), key.subarray(5)]);
  assertEquals(await readForm(post(stream)), [["a", "🔑"]]);
});

test("[HT-09] a body that ends in an error is rejected", async () => {
  const { stream } = arriving(["a=1"], (controller) => controller.error(new Error("connection reset")));
  assertEquals(await faultOf(readForm(post(stream))), "400 HT-09");
});

test("a form is recognised by its media type, with any parameters, and no other body is a form", async () => {
  const good = [
    formType,
    `${formType};charset=UTF-8`,
    `${formType} ; charset=utf-8`,
    "Application/X-WWW-Form-Urlencoded",
  ];
  await forEachCase(good, async (type) => {
    assertEquals(await readForm(post("a=1", { "content-type": type })), [["a", "1"]]);
  });
  const bad = ["text/plain", "application/json", "multipart/form-data; boundary=x", `${formType}x`, `x${formType}`];
  await forEachCase(bad, async (type) => {
    assertEquals(await faultOf(readForm(post("a=1", { "content-type": type }))), "400 TK-02");
  });
  const nameless = new Request("https://any.test/", { method: "POST", body: new TextEncoder().encode("a=1") });
  assertEquals(await faultOf(readForm(nameless)), "400 TK-02");
});

test("a form without a body has no fields", async () => {
  assertEquals(await readForm(post(null)), []);
  assertEquals(await readForm(post("")), []);
});

test("[HT-13] every content coding except identity is rejected", async () => {
  await forEachCase(["gzip", "GZIP", "br", "deflate", "zstd", "identity, gzip", "x-unknown"], async (coding) => {
    assertEquals(await faultOf(readForm(post("a=1", { "content-encoding": coding }))), "415 HT-13");
  });
  await forEachCase(["identity", "Identity"], async (coding) => {
    assertEquals(await readForm(post("a=1", { "content-encoding": coding })), [["a", "1"]]);
  });
});

test("[HT-07] a form has a limit of 64 KiB or less, to the byte, with or without Content-Length", async () => {
  assert(maxBodyBytes <= 64 * 1024);
  const full = `a=${"x".repeat(maxBodyBytes - 2)}`;
  assertEquals((await readForm(post(full)))[0]?.[1].length, maxBodyBytes - 2);
  assertEquals(
    (await readForm(post(arriving([full.slice(0, 9), full.slice(9)]).stream)))[0]?.[1].length,
    maxBodyBytes - 2,
  );
  assertEquals(await faultOf(readForm(post(`${full}x`))), "413 HT-07");
  assertEquals(await faultOf(readForm(post(arriving([full, "x"]).stream))), "413 HT-07");
  const wide = `a=${"é".repeat(maxBodyBytes / 2 - 1)}`;
  assertEquals((await readForm(post(wide)))[0]?.[1].length, maxBodyBytes / 2 - 1);
  assertEquals(await faultOf(readForm(post(`${wide}é`))), "413 HT-07");
});

test("[HT-07] a body without Content-Length, or with Transfer-Encoding as well, is abandoned at the limit", async () => {
  const both = { "content-length": "3", "transfer-encoding": "chunked" };
  for (const headers of [undefined, both]) {
    const part = new Uint8Array(1024).fill(0x61);
    let sent = 0;
    const { stream, isCancelled } = arriving([], (controller) => {
      sent += part.length;
      if (sent > 10 * 1024 * 1024) controller.close();
      else controller.enqueue(part);
    });
    assertEquals(await faultOf(readForm(post(stream, headers))), "413 HT-07");
    assertLess(sent, maxBodyBytes + 8 * part.length);
    assert(isCancelled());
  }
});

test("[HT-07] a body with a large Content-Length is rejected unread, and one with a small Content-Length is counted", async () => {
  let asked = false;
  const { stream } = arriving([], () => {
    asked = true;
  });
  assertEquals(await faultOf(readForm(post(stream, { "content-length": "10000000" }))), "413 HT-07");
  assert(!asked);
  const liar = arriving(["a".repeat(maxBodyBytes), "a"]);
  assertEquals(await faultOf(readForm(post(liar.stream, { "content-length": "3" }))), "413 HT-07");
  const mumbler = arriving(["a".repeat(maxBodyBytes), "a"]);
  assertEquals(await faultOf(readForm(post(mumbler.stream, { "content-length": "many" }))), "413 HT-07");
});

test("[HT-09] an endless body is abandoned at the deadline, also when it trickles", async () => {
  const silent = arriving(["a=1"], () => new Promise(() => {}));
  const trickling = arriving([], (controller) => {
    controller.enqueue(new TextEncoder().encode("a"));
    return new Promise((resolve) => setTimeout(resolve, bodyTimeoutMs / 4));
  });
  mock.timers.enable({ apis: ["setTimeout"] });
  const restore = replaceTimers({ setTimeout, clearTimeout });
  try {
    for (const { stream, isCancelled } of [silent, trickling]) {
      let ended = false;
      const fault = faultOf(readForm(post(stream))).finally(() => ended = true);
      for (let quarter = 1; quarter <= 4; quarter++) {
        await new Promise((resolve) => setImmediate(resolve));
        assert(!ended, `given up after ${quarter - 1} quarters of the time`);
        mock.timers.tick(bodyTimeoutMs / 4);
      }
      assertEquals(await fault, "408 HT-09");
      assert(isCancelled());
    }
  } finally {
    restore();
    mock.timers.reset();
  }
});
