/** The banner of a server with profiles. */

import { readFileSync } from "node:fs";
import { insecureEffects } from "../../src/server/config/server_settings.ts";
import { assert, assertEquals, assertMatch } from "@std/assert";
import { test } from "node:test";
import type { LatchkeyOptions } from "../../src/mod.ts";
import { banner } from "../../src/cli/banner.ts";
import { resolveSettings } from "../../src/server/config/resolve_settings.ts";
import { extensions } from "../../src/server/hosting/extensions.ts";
import { bank } from "../server/fapi_client.ts";

test("[FS-24] the banner names TLS as the task of the proxy, where a proxy ends it", async () => {
  const issuer = "https://as.company.com";
  const show = async (profile: LatchkeyOptions["profile"], url: string) => {
    const { policy, users, clientsAt } = await resolveSettings(
      { profile, login: "interactive", clients: [bank], users: [] },
      issuer,
      { extensions },
    );
    return banner({
      startMs: 0,
      ...{ version: "0", issuer, url, host: "127.0.0.1", store: "memory", storedEntries: {}, inspector: "off" },
      faults: "off",
      control: "off",
      policy: { ...policy, users, clients: clientsAt(issuer) },
      resources: [],
    });
  };
  assertMatch(
    await show("fapi2-security", "http://127.0.0.1:9000"),
    /Profile +fapi2-security;.* the proxy must require TLS 1\.2/,
  );
  assert(!(await show("fapi2-security", issuer)).includes("TLS"));
  assert(!(await show("oidc", "http://127.0.0.1:9000")).includes("TLS"));
});

test("the banner names pages where a browser reaches them", async () => {
  const issuer = "http://latchkey:9000/realms/shop";
  const settings = { frontChannelUrl: "http://localhost:9000", clients: [], users: [] };
  const { policy, users, clientsAt } = await resolveSettings(settings, issuer, { extensions });
  const text = banner({
    ...{ startMs: 0, version: "0", issuer, url: "http://0.0.0.0:9000", host: "0.0.0.0", store: "memory" },
    ...{ storedEntries: {}, inspector: "on", faults: "off", control: "open", resources: [] },
    policy: { ...policy, users, clients: clientsAt(issuer) },
  });
  for (const path of ["/", "/flows", "/_control/openapi.json"]) {
    assertMatch(text, new RegExp(` http://localhost:9000/realms/shop${path}$`, "m"));
  }
});

test("the guide says of each value of insecure what the banner says", () => {
  const rows = readFileSync("static/docs/test-hosts.md", "utf8").matchAll(/^\| `([\w-]+)` +\| (.*?) +\|$/gm);
  assertEquals(Object.fromEntries([...rows].map(([, name, effect]) => [name, effect])), insecureEffects);
});
