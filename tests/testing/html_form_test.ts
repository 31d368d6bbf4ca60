/** The reader of pages of applications under test: it takes time in proportion to the page. */

import { assertEquals, assertLess } from "@std/assert";
import { test } from "node:test";
import { extractText, parseForms } from "../../src/client/html_form.ts";
import { cpuTimeOf } from "../until.ts";

const url = "https://shop.test/login";

test("a page that opens elements, quotes or comments without end is read once", async () => {
  const parts = [
    "<form ",
    "<form '",
    '<form method=post a="',
    "<form a='\"",
    "<script ",
    "<!--",
    "<textarea ",
    "<input ",
  ];
  const repeated = parts.map((part) => part.repeat(100_000 / part.length));
  const pages = [...repeated, ...repeated.map((text) => `<form method=post>${text}`), `<form ${"x".repeat(400_000)}`];
  const milliseconds = await cpuTimeOf(() => {
    for (const page of pages) parseForms(page, url);
  });
  // With patterns that read the rest of the page for each element, one page takes minutes.
  assertLess(milliseconds, 30_000);
});

test("what scripts and comments contain opens nothing", () => {
  const page = `<script>"<!--"</script><!-- <script> --><style >a{}</style ><form method="post" action="/go">` +
    `<input type="hidden" name="a" value="x>y"><textarea name="b">\nz</textarea><button>Log in</button></form>`;
  const [form, ...others] = parseForms(page, url);
  assertEquals(others, []);
  assertEquals(form!.action, "https://shop.test/go");
  assertEquals(form!.controls.map(({ name, value }) => [name, value]), [["a", "x>y"], ["b", "z"]]);
  assertEquals(extractText(page.replace("x>y", "")), "zLog in");
});

test("a reference to a number that no character has is the replacement character", () => {
  const numbers = ["#x110000", "#99999999", "#0", "#xd800", "#1e9", "#x41"];
  const page = `<main>${numbers.map((number) => `&${number};`).join(" ")}</main>`;
  assertEquals(extractText(page), "\uFFFD \uFFFD \uFFFD \uFFFD &#1e9; A");
});
