/** No format of the log contains a character that acts on a terminal (`journalctl`, `docker logs`). */

import { assert, assertEquals } from "@std/assert";
import { test } from "node:test";
import { logging } from "../../../src/cli/operating/mod.ts";
import { testServer } from "../../kit.ts";

/** CSI, DEL, NEL, marks of bidirectional text, separators of lines, and characters without a width. */
const marks = [
  "\u009b31m",
  "\u007f",
  "\u0085",
  "\u202e",
  "\u2066",
  "\u061c",
  "\u2028",
  "\u2029",
  "\u200b",
  "\ufeff",
  "\u00ad",
];

const acting = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u;

for (const format of ["json", "text"] as const) {
  test(`in the format ${format} every text that a client sent has escapes`, async () => {
    const lines: string[] = [];
    const log = logging({ write: (text) => void lines.push(...text.split("\n")), format, verbose: true });
    const { authorize, token, get } = await testServer({ plugins: [log] });
    for (const mark of marks) {
      const text = `a${mark}b`;
      await authorize({ client_id: text });
      await authorize({ redirect_uri: `https://spa.example/${text}` });
      await authorize({ scope: text });
      await token({ code: text, grant_type: text });
      await token({ client_id: text });
      await get(`/${text}`);
      await get("/", { headers: { "user-agent": "x" }, method: encodeURIComponent(mark).replaceAll("%", "") });
      log.logEvent(text, { text });
    }
    assert(lines.length > marks.length);
    assertEquals(lines.filter((line) => acting.test(line)), []);
    if (format === "text") return;
    const texts = lines.map((line) => JSON.stringify(JSON.parse(line))).join("\n");
    assertEquals(marks.filter((mark) => !texts.includes(`a${JSON.stringify(mark).slice(1, -1)}b`)), []);
  });
}
