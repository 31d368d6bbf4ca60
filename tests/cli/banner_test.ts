/** The banner of a server with a profile. */

import { assert, assertMatch } from "@std/assert";
import { test } from "node:test";
import { banner } from "../../src/cli/banner.ts";
import { fillSettings } from "../../src/server/config/fill_settings.ts";
import { withProviders } from "../../src/server/config/with_providers.ts";
import { extensions } from "../../src/server/hosting/extensions.ts";
import { bank } from "../server/fapi_client.ts";

test("[FS-24] the banner names TLS as the duty of the proxy, where a proxy ends it", () => {
  const issuer = "https://as.company.com";
  const show = (profile: "fapi2-security" | "oidc", url: string) =>
    banner({
      startMs: 0,
      ...{ version: "0", issuer, url, host: "127.0.0.1", store: "memory", storedEntries: {}, inspector: "off" },
      exportsSecrets: false,
      faults: "off",
      control: "off",
      settings: fillSettings(withProviders({ profile, login: "interactive", clients: [bank], users: [] }), issuer, {
        extensions,
      }),
      resources: [],
      hasShortcuts: false,
    });
  assertMatch(
    show("fapi2-security", "http://127.0.0.1:9000"),
    /Profile +fapi2-security;.* the proxy must require TLS 1\.2/,
  );
  assert(!show("fapi2-security", issuer).includes("TLS"));
  assert(!show("oidc", "http://127.0.0.1:9000").includes("TLS"));
});
