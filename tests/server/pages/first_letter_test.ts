/** Texts as they begin a sentence. */

import { assertEquals } from "@std/assert";
import { test } from "node:test";
import { upperFirst } from "../../../src/server/pages/first_letter.ts";

test("a sentence begins with a capital letter, except for a URL and a name on the wire", () => {
  const texts = {
    "the code has expired": "The code has expired",
    "redirect_uri does not match": "redirect_uri does not match",
    "http://localhost:9530/me is neither": "http://localhost:9530/me is neither",
    "com.example.app:/cb is not registered": "com.example.app:/cb is not registered",
    "urn:example:api is unknown": "urn:example:api is unknown",
    "ID token expired": "ID token expired",
  };
  for (const [text, expected] of Object.entries(texts)) assertEquals(upperFirst(text), expected);
});
