/** The settings of the whole server have the defaults of the core. */

import { assertEquals } from "@std/assert";
import { test } from "node:test";
import { acceptedSigningAlgorithms } from "../../src/core/keys/signing_algorithm.ts";
import { policyFor } from "../../src/core/policy/policy.ts";
import { resolveSettings } from "../../src/server/config/resolve_settings.ts";

test("each member of the core's default policy is the default of the setting", async () => {
  for (const issuer of ["http://localhost:9000", "https://auth.example.com"]) {
    const { policy } = await resolveSettings({}, issuer, { extensions: [] });
    const { lifetimeMembers: _, ...refresh } = policy.refresh;
    const { device_code: __, authorization_response: ___, ...lifetimes } = policy.lifetimes;
    const signatureAlgorithms = acceptedSigningAlgorithms(policy);
    const settings = { ...policy, refresh, lifetimes, signatureAlgorithms };
    for (const [name, value] of Object.entries(policyFor(issuer))) {
      assertEquals(settings[name as keyof typeof settings], value, name);
    }
  }
});
