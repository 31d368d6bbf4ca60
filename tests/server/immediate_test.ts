/** Functions of plugins, and of settings of extensions, that must return immediately, written `async` by mistake. */

import { assert, assertEquals, assertRejects } from "@std/assert";
import { test } from "node:test";
import { extensions, type LatchkeyOptions } from "../../src/mod.ts";
import type { Extension } from "../../src/server/hosting/extension.ts";
import type { Plugin } from "../../src/server/hosting/options.ts";
import { latchkey } from "../secret_leak_check.ts";

const mistakes = {
  resolves: () => Promise.resolve(false),
  rejects: () => Promise.reject(new Error("by mistake")),
} as const;

const issuer = "https://as.test";
const clients = [{ client_id: "job", client_secret: "job secret", grant_types: ["client_credentials"] }];
const form = new URLSearchParams({ grant_type: "client_credentials", client_id: "job", client_secret: "job secret" });

/** A function with a mistake, whatever its type says. */
const plugin = (members: Readonly<Record<string, unknown>>): LatchkeyOptions => ({ plugins: [members as Plugin] });
const extension = (members: Readonly<Record<string, unknown>>): LatchkeyOptions => ({
  extensions: [{ name: "mistaken", ...members } as Extension, ...extensions],
});

for (const [kind, mistake] of Object.entries(mistakes)) {
  test(`a function of a plugin or extension that ${kind} later stops the start`, async () => {
    const calls = { isUsed: () => false, claimedId: () => undefined, authenticate: () => Promise.reject() };
    const auth = { method: "private_key_jwt", isOn: mistake, ...calls };
    const grantType = { type: "urn:example:ticket", parameters: [], title: "Ticket", isOn: mistake };
    const options: Readonly<Record<string, LatchkeyOptions>> = {
      ...Object.fromEntries(
        ["configure", "setup", "approve", "routes", "handle", "extend"].map((
          name,
        ) => [name, plugin({ [name]: mistake })]),
      ),
      endpoints: extension({ endpoints: mistake }),
      "settings.resolve": extension({ settings: { resolve: mistake } }),
      "settings.warnings": extension({ settings: { warnings: mistake } }),
      "clientMetadata.validate": extension({ clientMetadata: { validate: mistake } }),
      "isOn of private_key_jwt": extension({ clientAuthentication: [auth] }),
      "isOn of urn:example:ticket": extension({ grantTypes: [grantType] }),
    };
    for (const [name, option] of Object.entries(options)) {
      const error = await assertRejects(
        () => latchkey({ issuer, clients, trace: () => {}, ...option }),
        Error,
        undefined,
        name,
      );
      assert(String(error).includes(`expected ${name}`) && String(error).includes("immediately"), `${name}: ${error}`);
    }
  });

  test(`now and forRequest of a plugin that ${kind} later permit nothing`, async () => {
    for (
      const members of [
        { forRequest: () => ({ now: mistake }) },
        { forRequest: mistake },
      ]
    ) {
      await using as = await latchkey({ issuer, clients, ...plugin(members) });
      const response = await as.fetch(new Request(`${issuer}/oauth2/token`, { method: "POST", body: form }))
        .catch(() => undefined);
      assert(response === undefined || response.status === 500, String(response?.status));
    }
  });

  test(`onEvent and close of a plugin that ${kind} later change nothing`, async () => {
    await using as = await latchkey({ issuer, clients, ...plugin({ onEvent: mistake, close: mistake }) });
    const response = await as.fetch(new Request(`${issuer}/oauth2/token`, { method: "POST", body: form }));
    assertEquals(response.status, 200);
  });
}
