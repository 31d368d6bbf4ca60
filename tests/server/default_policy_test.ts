/** The settings of the whole server have the defaults of the core. */

import { assertEquals } from "@std/assert";
import { test } from "node:test";
import { policyFor } from "../../src/core/policy_defaults.ts";
import { fillSettings } from "../../src/server/config/fill_settings.ts";
import { withProviders } from "../../src/server/config/with_providers.ts";

test("each member of the core's default policy is the default of the setting", () => {
  for (const issuer of ["http://localhost:9000", "https://auth.example.com"]) {
    const filled = fillSettings(withProviders({}), issuer, { extensions: [] });
    for (const [name, value] of Object.entries(policyFor(issuer))) {
      assertEquals(filled[name as keyof typeof filled], value, name);
    }
  }
});
