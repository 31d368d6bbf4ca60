/** The settings for PHP, whose literals are in single quotes. */

import { assertEquals, assertStringIncludes } from "@std/assert";
import { test } from "node:test";
import { latchkey } from "../../secret_leak_check.ts";
import { clients, hostileTexts, secret, settingsOf } from "./client_snippets.ts";
import { forEachCase } from "../../kit.ts";

/** One literal in single quotes, as PHP reads it. */
const literals = /'(?:[^'\\]|\\[^])*'/g;
const values = (text: string) => text.match(literals)!.map((one) => one.slice(1, -1).replaceAll(/\\([\\'])/g, "$1"));

test("[DI-05] the settings for PHP contain the values of this server, and exist for the methods of the library", async () => {
  await using as = await latchkey({ issuer: "http://localhost:9000/tenant", clients });
  for (const id of ["none", "client_secret_basic", "client_secret_post"]) {
    const { text = "" } = settingsOf(as, id).get("PHP")!;
    const found = values(text);
    for (const value of [as.issuer, id, "https://app.example/auth/callback/latchkey", "openid", "profile", "email"]) {
      assertEquals(found.includes(value), true, value);
    }
    assertEquals(found.includes(secret), id !== "none");
    assertEquals(text.includes("setTokenEndpointAuthMethodsSupported"), id === "client_secret_post");
  }
  const { text, notes } = settingsOf(as, "client_secret_jwt").get("PHP")!;
  assertEquals(text, undefined);
  assertStringIncludes(notes[0]!, "client_secret_basic");
});

test("[DI-05, UI-03] a hostile id or secret is one literal of PHP and does not change the code around it", async () => {
  await using as = await latchkey({ issuer: "https://as.test", clients: [] });
  const settings = (text: string) => {
    as.clients.set({ client_id: text, client_secret: text, redirect_uris: ["https://app.example/cb'?a=$(id)"] });
    return settingsOf(as, text, [], text).get("PHP")!.text!;
  };
  const tame = settings("TAME");
  await forEachCase(hostileTexts, (text) => {
    const wild = settings(text);
    assertEquals(wild.replace(literals, "L"), tame.replace(literals, "L"));
    assertEquals(values(wild), values(tame).map((value) => value === "TAME" ? text : value));
  });
});
