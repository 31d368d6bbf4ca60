/** Functions of plugins, and of settings of extensions, that must return immediately, written `async` by mistake. */

import { assert, assertEquals, assertRejects } from "@std/assert";
import { test } from "node:test";
import { extensions, latchkey as withoutLeakCheck, type LatchkeyOptions } from "../../src/mod.ts";
import type { Extension } from "../../src/server/config/extension.ts";
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
}

const listeners = {
  ...mistakes,
  throws() {
    throw new Error("by mistake");
  },
};

for (const [kind, listener] of Object.entries(listeners)) {
  test(`onEvent, onPassed and close of a plugin that ${kind} change nothing`, async () => {
    const called = new Set<string>();
    const plugins: readonly Plugin[] = [
      { onEvent: listener, onPassed: listener, close: mistakes.rejects },
      { onEvent: () => void called.add("onEvent"), onPassed: () => void called.add("onPassed") },
    ];
    await using as = await latchkey({ issuer, clients, plugins });
    const response = await as.fetch(new Request(`${issuer}/oauth2/token`, { method: "POST", body: form }));
    assertEquals(response.status, 200);
    assertEquals([...called].sort(), ["onEvent", "onPassed"]);
  });
}

test("whatever a function of the program returns instead of a response, the request gets a 500", async () => {
  const request = `${issuer}/oauth2/authorize?${new URLSearchParams({
    ...{ response_type: "code", client_id: "spa", redirect_uri: "https://spa.example/cb" },
    ...{
      code_challenge: "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM",
      code_challenge_method: "S256",
      scope: "openid",
    },
  })}`;
  const options = { issuer, clients: [{ client_id: "spa", redirect_uris: ["https://spa.example/cb"] }] };
  const users = [{ sub: "alice" }];
  for (
    const rubbish of [undefined, null, 7, "text", {}, [], { headers: {} }, { user: {} }, () => {}]
  ) {
    const returns = () => rubbish as never;
    const places: Readonly<Record<string, LatchkeyOptions>> = {
      approver: { approver: returns },
      "async approver": { approver: () => Promise.resolve(rubbish as never) },
      approve: plugin({ approve: () => returns }),
      handle: plugin({ handle: () => returns }),
      routes: plugin({ routes: () => [{ name: "x", path: "/oauth2/x", methods: ["GET"], handle: returns }] }),
    };
    for (const [place, option] of Object.entries(places)) {
      const as = await withoutLeakCheck({ ...options, users, insecure: ["auto-login"], trace: () => {}, ...option });
      const response = await as.fetch(new Request(place === "routes" ? `${issuer}/oauth2/x` : request));
      const { error } = place === "handle" || place === "routes" ? { error: "server_error" } : await outcome(response);
      assertEquals(error, "server_error", `${place} returns ${JSON.stringify(rubbish)}: ${response.status}`);
      if (place === "handle" || place === "routes") assertEquals(response.status, 500);
      await as.close();
    }
  }
});

/** The error of a response, in its redirect or its text. */
async function outcome(response: Response): Promise<{ readonly error?: string | null }> {
  const location = response.headers.get("location");
  if (location !== null) return { error: new URL(location).searchParams.get("error") };
  return { error: response.status === 500 ? "server_error" : await response.text() };
}
