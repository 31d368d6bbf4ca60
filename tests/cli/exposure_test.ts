/** What startup says about who can reach the server. */

import { assertEquals, assertMatch } from "@std/assert";
import { test } from "node:test";
import { describeExposure, isThisMachineOnly } from "../../src/cli/exposure.ts";
import type { LatchkeyOptions } from "../../src/mod.ts";
import { resolveSettings } from "../../src/server/config/resolve_settings.ts";
import { extensions } from "../../src/server/hosting/extensions.ts";

test("[HT-21] for every login mode, startup of a reachable test host says what any machine may do", async () => {
  const stated = async (
    issuer: string,
    host: string,
    options: LatchkeyOptions = {},
    inspector: "on" | "off" = "on",
    faults: "on" | "off" = "off",
  ) =>
    describeExposure({
      issuer,
      host,
      policy: (await resolveSettings(options, issuer, { extensions })).policy,
      inspector,
      faults,
      control: "off",
    });
  const local = "http://localhost:9000";
  const interactive = { login: "interactive" } as const;
  for (const host of ["localhost", "127.0.0.1", "127.9.9.9", "::1"]) {
    assertEquals(await stated(local, host), undefined);
    assertEquals(await stated(local, host, interactive), undefined);
  }
  assertEquals(
    await stated(local, "0.0.0.0", interactive),
    "any machine that can reach 0.0.0.0 can log in as any user that has no password, and can edit /clients and /users, " +
      "and can read every login in /flows.",
  );
  assertEquals(
    await stated(local, "::"),
    "any machine that can reach :: is logged in as the first user, and can edit /clients and /users, and can read every login in /flows.",
  );
  assertEquals(
    await stated(local, "0.0.0.0", { ...interactive, directory: "off" }, "off"),
    "any machine that can reach 0.0.0.0 can log in as any user that has no password.",
  );
  assertEquals(
    await stated(local, "0.0.0.0", { ...interactive, directory: "off" }, "off", "on"),
    "any machine that can reach 0.0.0.0 can log in as any user that has no password, and can add faults, move the clock " +
      "and rotate keys in /faults.",
  );
  // Behind a proxy on the same machine the issuer's name shows that others can reach it.
  for (const issuer of ["http://oidc:8080", "https://auth.test", "http://host.docker.internal:9000"]) {
    assertMatch(
      (await stated(issuer, "localhost", interactive))!,
      new RegExp(`^any machine that can reach ${issuer} can log in as any`),
    );
  }
  const reached: readonly (readonly [LatchkeyOptions, string])[] = [
    [{ issuer: "from-host", issuerHosts: ["127.0.0.1", "auth"] }, "auth"],
    [{ frontChannelUrl: "http://demo.test" }, "http://demo.test"],
    [{ issuer: "from-host", issuerHosts: ["192.168.0.10"] }, "192.168.0.10"],
    [{ backChannelUrl: "http://latchkey:9000" }, "http://latchkey:9000"],
    [{ trustProxy: ["127.0.0.1"] }, local],
  ];
  for (const [options, name] of reached) {
    assertMatch(
      (await stated(local, "127.0.0.1", options))!,
      new RegExp(`^any machine that can reach ${name} is logged in`),
    );
    const reach = { issuer: local, host: "127.0.0.1", policy: options };
    assertEquals(isThisMachineOnly(reach), false);
  }
  for (const host of ["0.0.0.0", "::", "localhost.", "127.1", "0x7f.1", "2130706433", "::ffff:127.0.0.1"]) {
    assertEquals(isThisMachineOnly({ issuer: local, host, policy: {} }), false, host);
  }
  assertEquals(
    isThisMachineOnly({ issuer: local, host: "::1", policy: { issuerHosts: ["app.localhost"] } }),
    true,
  );
  for (const host of ["lvh.me", "oidc.localtest.me", "127.0.0.1.nip.io"]) {
    assertEquals(isThisMachineOnly({ issuer: `http://${host}:9000`, host: "127.0.0.1", policy: {} }), true);
    assertEquals(isThisMachineOnly({ issuer: `http://${host}:9000`, host: "0.0.0.0", policy: {} }), false);
  }
  assertEquals(await stated("https://auth.corp.internal", "0.0.0.0", interactive), undefined);
  assertEquals(
    await stated("https://auth.corp.com", "0.0.0.0"),
    "any machine that can reach 0.0.0.0 is logged in as the first user.",
  );
});

test("[HT-21] the program knows that only this machine reaches it, and offers faults by default there alone", () => {
  const local = { issuer: "http://localhost:9000", host: "localhost", policy: {} };
  const names = { issuerHosts: ["oidc"], frontChannelUrl: "http://oidc:9000", backChannelUrl: "https://auth.test" };
  assertEquals([local, { ...local, issuer: "http://127.0.0.1:9000", host: "::1" }].map(isThisMachineOnly), [
    true,
    true,
  ]);
  const reachable = [
    ...["0.0.0.0", "::", "192.168.1.5", "workstation"].map((host) => ({ ...local, host })),
    ...["http://as.test", "http://host.docker.internal:9000"].map((issuer) => ({ ...local, issuer })),
    ...Object.entries(names).map(([name, value]) => ({ ...local, policy: { [name]: value } })),
    { ...local, policy: { trustProxy: ["127.0.0.1"] } },
  ];
  for (const reach of reachable) assertEquals(isThisMachineOnly(reach), false, JSON.stringify(reach));
});
