/** What is said of options that are wrong together, and what stands in for those that nobody gave. */

import { assertEquals, assertRejects } from "@std/assert";
import { test } from "node:test";
import { ConfigurationError } from "../../src/mod.ts";
import type { LatchkeyOptions } from "../../src/mod.ts";
import { latchkey } from "../watched.ts";

test("problems of the issuer and of the clients are told at once; those of clients that nobody wrote follow the issuer", async () => {
  const places = async (options: LatchkeyOptions) =>
    (await assertRejects(() => latchkey(options), ConfigurationError)).faults.map(({ place }) => place);
  const issuer = "https://real.example.org/?x";
  const clients = [{ client_id: "spa", redirect_uris: ["https://spa.example/#x"] }];
  assertEquals(await places({ issuer, login: "interactive", users: [], clients }), [
    "issuer",
    "clients[0].redirect_uris[0]",
  ]);
  assertEquals(await places({ issuer, login: "interactive", users: [], insecureAllowDemoClients: true }), ["issuer"]);
});

test("a grant type that OAuth 2.1 does not have is told apart from one that is not served", async () => {
  const fix = async (type: string) => {
    const clients = [{ client_id: "spa", redirect_uris: ["https://spa.example/"], grant_types: [type] }];
    const { faults } = await assertRejects(() => latchkey({ clients } as LatchkeyOptions), ConfigurationError);
    return faults.find(({ place }) => place === "clients[0].grant_types[0]")?.mend;
  };
  const none = "OAuth 2.1 has no such grant: use authorization_code.";
  assertEquals([await fix("password"), await fix("implicit")], [none, none]);
  assertEquals(await fix("device_code"), "Remove it: this server does not support it.");
});

test("of the demo users one has a verified e-mail address and the other has not", async () => {
  await using as = await latchkey();
  assertEquals(as.users.all().map(({ sub, email_verified }) => [sub, email_verified]), [["alice", true], [
    "bob",
    false,
  ]]);
});
