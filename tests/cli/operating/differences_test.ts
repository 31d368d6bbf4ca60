/** How expected and received value differ, on a page and in a terminal: one table for both. */

import { assertEquals, assertStringIncludes } from "@std/assert";
import { test } from "node:test";
import { describeEvent } from "../../../src/cli/operating/describe_event.ts";
import { formatEvent } from "../../../src/cli/operating/format_event.ts";
import { pages } from "../../drawn_pages.ts";
import { rejected } from "../../browser/samples.ts";
import { forEachCase } from "../../kit.ts";

const url = "http://localhost:9000/callback";

/**
 * The marked parts of the expected and of the received value, in brackets, and the words. A part is marked in both, an
 * empty one where characters are missing.
 */
const pairs: readonly (readonly [marked: string, markedReceived: string, words: string | undefined])[] = [
  // Omissions
  [
    "http://localhost:9000/cal[l]back",
    "http://localhost:9000/cal[]back",
    'One letter "l" is missing after "…9000/cal".',
  ],
  [`${url}[/]`, `${url}[]`, "One slash is missing at the end."],
  ["http://localhost:9000/call[back]", "http://localhost:9000/call[]", '4 characters are missing at the end: "back".'],
  [
    "[h]ttp://localhost:9000/callback",
    "[]ttp://localhost:9000/callback",
    'One letter "h" is missing at the beginning.',
  ],
  [
    "http://localhost:[9000]/callback",
    "http://localhost:[]/callback",
    '4 characters are missing after "…calhost:": "9000".',
  ],
  // Insertions
  [`${url}[]`, `${url}[/]`, "There is one extra slash at the end."],
  [`${url}[]`, `${url}[ ]`, "There is one extra space at the end."],
  [`${url}[]`, `${url}[\\u200b]`, 'There is one extra character "\\u200b" at the end.'],
  [`${url}[]`, `${url}[?a=1]`, 'There are 4 extra characters at the end: "?a=1".'],
  [`${url}[]`, `${url}[${"?a=1234567".repeat(3)}]`, "There are 30 extra characters at the end."],
  [
    "http[]://localhost:9000/callback",
    "http[s]://localhost:9000/callback",
    'There is one extra letter "s" after "http".',
  ],
  [
    "http://localhost:900[]0/callback",
    "http://localhost:900[1]0/callback",
    'There is one extra digit "1" after "…host:900".',
  ],
  ["[]demo-public", '["]demo-public', "There is one extra quotation mark at the beginning."],
  // Replacements
  [
    "http://localhost:9000/authori[z]ed",
    "http://localhost:9000/authori[s]ed",
    'Expected "z", received "s" after "…/authori".',
  ],
  ["http://localhost:900[0]", "http://localhost:900[1]", 'Expected "0", received "1" after "…host:900".'],
  ["[d]emo-public", "[t]emo-public", 'Expected "d", received "t" at the beginning.'],
  [
    "http://[localhost]:9000/callback",
    "http://[127.0.0.1]:9000/callback",
    'Expected "localhost", received "127.0.0.1" after "http://".',
  ],
  [
    "https://shop.example/😀[x]/callback",
    "https://shop.example/😀[y]/callback",
    'Expected "x", received "y" after "…xample/😀".',
  ],
  [
    "https://shop.example/[😀]/callback",
    "https://shop.example/[😁]/callback",
    'Expected "😀", received "😁" after "…example/".',
  ],
  // Several differences, each marked by itself
  [
    "http://[localhost]:9000/[c]allback[]",
    "http://[127.0.0.1]:9000/[C]allback[/]",
    'Expected "localhost", received "127.0.0.1" after "http://". Expected "c", received "C" after "…st:9000/". ' +
    "There is one extra slash at the end.",
  ],
  [
    "http[s]://[app].example.com/callback",
    "http[]://[www].example.com/callback",
    'One letter "s" is missing after "http". Expected "app", received "www" after "https://".',
  ],
  ["openid [profile ]email read[ write]", "openid []email read[]", undefined],
  // Upper and lower case
  ["[S]256", "[s]256", 'Only upper and lower case differ: expected "S", received "s" at the beginning.'],
  ["[ABC]", "[abc]", 'Only upper and lower case differ: expected "ABC", received "abc".'],
  // Several words: marked, without words
  ["openid [profile ]email", "openid []email", undefined],
  ["at most [3]00 seconds", "at most [4]00 seconds", undefined],
  // An empty value, and whole other ones
  ["[S256]", "[]", "The received value is empty."],
  ["S256", "plain", undefined],
  [url, "https://evil.example/", undefined],
  ["query or fragment", "fragment", undefined],
  [url, url, undefined],
];

const plain = (marked: string) => marked.replaceAll(/[[\]]/g, "");

const decoded = (html: string) =>
  html.replaceAll("<wbr/>", "").replaceAll("&lt;", "<").replaceAll("&quot;", '"').replaceAll("&amp;", "&");

test("[UI-13] a page marks the part that differs in both values, also a missing one, and says it in words", async () => {
  await forEachCase(pairs, ([expected, received, words]) => {
    const { suggestion: _, ...props } = rejected;
    const html = pages.error({ ...props, expected: plain(expected), received: plain(received) });
    const [, list] = /<dl class="comparison">(.*?)<\/dl>/s.exec(html)!;
    const values = [...list!.matchAll(/<dt>(\w+)<\/dt><dd>(?:<code class="wire">)?(.*?)(?:<\/code>)?<\/dd>/gs)];
    const shown = (text: string) => decoded(text.replaceAll("<mark>", "[").replaceAll("</mark>", "]"));
    assertEquals(
      values.map(([, label, text]) => [label, shown(text!)]),
      [["Expected", expected], ["Received", received], ...words === undefined ? [] : [["Difference", words]]],
    );
  });
});

/** The block of a rejection in a terminal. */
function rejectionText(explanation: { rule?: "RU-01"; expected: string; received: string }, colors: boolean): string {
  const event = {
    type: "rejected",
    at: 0,
    endpoint: "/oauth2/authorize",
    error: "invalid_request",
    explanation: { reason: "it differs", fix: "Send another.", ...explanation },
  } as const;
  return formatEvent(event, { details: describeEvent(event), terminal: { colors } })!;
}

test("[UI-13] a terminal marks it too, and without colours says it in words only", async () => {
  await forEachCase(pairs, ([expected, received, words]) => {
    const lines = (colors: boolean) => {
      const text = rejectionText({ expected: plain(expected), received: plain(received) }, colors);
      const [, ...values] = /expected {2}(.*)\n.*received {2}(.*)\n(?:.*note {6}(.*)\n)?/.exec(text)!;
      return values;
    };
    assertEquals(lines(false), [plain(expected), plain(received), words] as string[]);
    const [markedExpected, markedReceived] = lines(true).map((text) =>
      text?.replaceAll("\x1b[31;4m", "[").replaceAll("\x1b[0m", "]")
    );
    // A caret in the expected value would be copied with it.
    assertEquals(
      [markedExpected, markedReceived],
      [expected.replaceAll("[]", ""), received.replaceAll("[]", "[‸]")],
    );
  });
});

test("[RU-01] the terminal marks the difference from the redirect URI that is most similar", async () => {
  const cases = [[`${url}s`, url, `${url}\x1b[31;4ms\x1b[0m`], [
    url.replace("back", "bck"),
    "http://localhost:9000/callb\x1b[31;4ma\x1b[0mck",
    "http://localhost:9000/callb\x1b[31;4m‸\x1b[0mck",
  ]] as const;
  await forEachCase(cases, ([received, markedExpected, markedReceived]) => {
    const text = rejectionText({ rule: "RU-01", expected: `https://a.example/ or ${url}`, received }, true);
    assertStringIncludes(text, `expected  https://a.example/ or ${markedExpected}\n`);
    assertStringIncludes(text, `received  ${markedReceived}\n`);
  });
});
