/** The policy of the whole server: its settings have the defaults of the core, and nothing in it changes. */

import { assertEquals } from "@std/assert";
import { test } from "node:test";
import { acceptedSigningAlgorithms } from "../../src/core/keys/signing_algorithm.ts";
import { policyFor } from "../../src/core/policy/policy.ts";
import { resolveSettings } from "../../src/server/config/resolve_settings.ts";
import { latchkey } from "../secret_leak_check.ts";

test("each member of the core's default policy is the default of the setting", async () => {
  for (const issuer of ["http://localhost:9000", "https://auth.example.com"]) {
    const { policy } = await resolveSettings({}, issuer, { extensions: [] });
    const { lifetimeMembers: _, rotateBound: __, ...refresh } = policy.refresh;
    const { device_code: ___, authorization_response: ____, ...lifetimes } = policy.lifetimes;
    const signatureAlgorithms = acceptedSigningAlgorithms(policy);
    const settings = { ...policy, refresh, lifetimes, signatureAlgorithms };
    for (const [name, value] of Object.entries(policyFor(issuer))) {
      assertEquals(settings[name as keyof typeof settings], value, name);
    }
  }
});

test("the policy of a server has no clients, which have secrets, and nothing else that changes at run time", async () => {
  const policies: object[] = [];
  await latchkey({
    issuer: "http://localhost:9000",
    audience: "https://api.example.com",
    clients: [{ client_id: "web", redirect_uris: ["http://localhost:5173/callback"], client_secret: "a-secret" }],
    users: [{ sub: "alice" }],
    plugins: [{ setup: ({ server }) => void policies.push(server.policy) }],
  });
  const names = policies.flatMap((policy) => Object.keys(policy));
  const initial = ["issuer", "audience", "clients", "clientsAt", "users"];
  assertEquals([policies.length, names.filter((name) => initial.includes(name))], [1, []]);
});
