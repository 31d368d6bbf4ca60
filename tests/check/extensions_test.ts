/**
 * The attacks on extensions: a client with every check passes all of them, and each mistake is found by the named ones.
 */

import { assert, assertEquals } from "@std/assert";
import { test } from "node:test";
import { accusations, unclearIn } from "./accusations.ts";
import { sample } from "../sample.ts";
import { partOf } from "./catalogue_part.ts";
import { checkClient, checkClientWithEdDsa } from "./patient_check.ts";
import type { CheckOptions } from "../../src/check/mod.ts";
import { oauth4webapiExtendedClient } from "./oauth4webapi_extended_client.ts";
import { extendedClient, type Extension, type ExtensionMistake } from "./extended_client.ts";
import { styledClient } from "./styled_client.ts";

/** The extensions that one client uses together, and the attacks on them. */
const clients: readonly { readonly uses: readonly Extension[]; readonly only: readonly string[] }[] = [
  { uses: ["par", "jar", "jarm", "dpop"], only: ["par", "jar", "jarm", "dpop"] },
  { uses: ["registration"], only: ["registration"] },
];

const server: CheckOptions["server"] = { responseModes: ["query", "jwt"] };

/** Signs in a hundredth of the time of RSA. */
const quickServer: CheckOptions["server"] = { ...server, alg: "EdDSA" };

/** The attacks that find a mistake: no other attack of the category may fail. */
const foundBy: Readonly<Record<Exclude<ExtensionMistake, "checks nothing">, readonly string[]>> = {
  "sends the request plainly when the push fails": ["par/rejected"],
  "sends the request unsigned when it is rejected": ["jar/rejected"],
  "does not verify signed responses": ["jarm/signature"],
  "accepts plain responses": ["jarm/beside-plain"],
  "repeats without a limit": ["par/rejected", "dpop/nonce-for-ever", "registration/rejected"],
  "has one nonce for all servers": ["dpop/nonce-renewed"],
  "does not read nonces": ["dpop/nonce-asked", "dpop/nonce-renewed"],
  "accepts bearer tokens": ["dpop/type-downgraded"],
  "believes any registration": ["registration/response-shape", "registration/changed"],
  "never registers again": ["registration/forgotten"],
};

for (const { uses, only } of clients) {
  test(`a client with ${uses.join(", ")} and every check passes all attacks on them`, async () => {
    const report = await checkClientWithEdDsa(extendedClient(uses), { only: partOf(only, 4, 0), server });
    assert(report.passed, String(report));
    assertEquals(report.counts.passed, report.results.length, String(report));
  });
}

for (const [mistake, ids] of sample(Object.entries(foundBy), 4, 0)) {
  test(`a client that ${mistake} is found by ${ids.join(", ")}`, async () => {
    const found = new Set<string>();
    for (const { uses, only } of clients) {
      const concerned = only.filter((category) => ids.some((id) => id.startsWith(`${category}/`)));
      if (concerned.length === 0) continue;
      const report = await checkClientWithEdDsa(extendedClient(uses, mistake as ExtensionMistake), {
        only: concerned,
        server,
      });
      assert(report.control.passed, String(report));
      assertEquals(unclearIn(report).length, 0, String(report));
      for (const { verdict, attack } of report.results) {
        if (verdict === "failed" || verdict === "warning") found.add(attack.id);
      }
    }
    assertEquals([...found].sort(), [...ids].sort());
  });
}

test("a client that checks nothing falls for every attack on extensions that a correct client must reject", async () => {
  for (const { uses, only } of clients) {
    const report = await checkClientWithEdDsa(extendedClient(uses, "checks nothing"), {
      only: partOf(only, 4, 1),
      server,
    });
    const passed = report.results.filter(({ verdict, attack }) =>
      verdict === "passed" && attack.level === "must-reject"
    );
    assertEquals([...new Set(passed.map(({ attack: { id } }) => id))], []);
  }
});

test("a client without extensions is not asked for them: the attacks are skipped, with the reason", async () => {
  const report = await checkClientWithEdDsa(extendedClient([]), { only: clients.flatMap(({ only }) => only) });
  assertEquals(report.counts.skipped, report.results.length, String(report));
  const reasons = new Map(report.results.map(({ attack: { id }, because }) => [id, because]));
  assertEquals(reasons.get("par/rejected"), "the client pushes no authorization request");
});

test("oauth4webapi with pushed requests, signed responses and DPoP passes every attack on them", async () => {
  const only = partOf(["par", "jarm", "dpop"], 4, 0);
  const report = await checkClient(oauth4webapiExtendedClient(["par", "jarm", "dpop"]), { only, server: quickServer });
  assertEquals(report.counts.passed, report.results.length, String(report));
});

test("oauth4webapi leaves it to its caller to compare a registration with the request, which is a warning", async () => {
  const report = await checkClient(oauth4webapiExtendedClient(["registration"]), {
    only: ["registration"],
    server: quickServer,
  });
  assert(report.passed, String(report));
  assertEquals(
    report.results.filter(({ verdict }) => verdict === "warning").map(({ attack: { id } }) => id),
    ["registration/changed", "registration/changed"],
  );
});

test("a client that signs assertions for the token endpoint of any metadata is found, and one for the issuer is not", async () => {
  for (const assertionFor of ["token endpoint", undefined] as const) {
    const client = styledClient("assertions", { authentication: "private_key_jwt", par: true, assertionFor });
    const report = await checkClientWithEdDsa(client, { only: ["metadata/audience-injection"] });
    assertEquals(accusations(report).length, assertionFor === undefined ? 0 : 1, String(report));
  }
});
