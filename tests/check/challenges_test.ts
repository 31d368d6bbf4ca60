/** How a client reads the challenge of a resource: the check finds the forms in which it does not see the metadata. */

import { assert, assertEquals } from "@std/assert";
import { test } from "node:test";
import { challengeForms } from "../../src/check/attacks/resource_challenge.ts";
import { checkClientWithEdDsa } from "./patient_check.ts";
import { readChallenge, resourceClient } from "./resource_client.ts";

/** A client that takes the first match, and reads no scope. */
const match = (pattern: RegExp) => (header: string) => {
  const url = pattern.exec(header)?.[1];
  return new Map(url === undefined ? [] : [["resource_metadata", url]]);
};

const separated = (separator: string | RegExp) => (header: string) =>
  new Map(
    header.split(separator).map((pair): [string, string] => {
      const [name = "", ...value] = pair.replace(/^Bearer /, "").split("=");
      return [name, value.join("=").replaceAll('"', "")];
    }),
  );

/** Ways to read a challenge. */
const readers: Readonly<Record<string, (header: string) => ReadonlyMap<string, string>>> = {
  "by the grammar": readChallenge,
  "by the name, with quotes": match(/resource_metadata="([^"]*)"/),
  "by the name, with or without quotes": match(/resource_metadata="?([^"\s,]*)/),
  "by the name in any letter case": match(/resource_metadata\s*=\s*"([^"]*)"/i),
  "by the name, at the beginning": match(/^Bearer resource_metadata="([^"]*)"/),
  "by the name, after the scheme": match(/^Bearer (?:.*, )?resource_metadata="([^"]*)"/),
  "in parts between commas": separated(/,\s*/),
  "in parts between commas and one space": separated(", "),
};

for (const [name, read] of Object.entries(readers)) {
  test(`a client that reads challenges ${name} is found in the forms that it does not read, and in no others`, async () => {
    const report = await checkClientWithEdDsa(resourceClient(undefined, read), { only: ["resource/challenge-shapes"] });
    // A client that reads no challenge finds the metadata where it usually is.
    assert(report.control.passed, String(report));
    const [url, origin] = ["https://resource.test/metadata?from=challenge", "https://trap.test"];
    const expected = Object.entries(challengeForms).map(([form, write]) =>
      `${form}: ${read(write(url, origin)).get("resource_metadata") === url ? "passed" : "failed"}`
    );
    assertEquals(report.results.map(({ values, verdict }) => `${values.form}: ${verdict}`), expected, String(report));
    if (read === readChallenge) assertEquals(report.counts.passed, report.results.length);
  });
}

for (
  const [version, verdict] of [[undefined, "warning"], ["2025-06-18", "warning"], ["2025-11-25", "failed"]] as const
) {
  test(`a client of MCP ${version ?? "of any version"} that knows only the well-known URL: ${verdict}`, async () => {
    const client = resourceClient(undefined, () => new Map());
    const report = await checkClientWithEdDsa({
      ...client,
      async requestResource(journey) {
        const params = { protocolVersion: version };
        const body = JSON.stringify({ jsonrpc: "2.0", id: 0, method: "initialize", params });
        const headers = { "content-type": "application/json" };
        if (version !== undefined) await journey.fetch(journey.resource, { method: "POST", headers, body });
        return await client.requestResource!(journey);
      },
    }, { only: ["resource"] });
    assert(report.control.passed, String(report));
    const found = report.results.filter((result) => result.verdict === "failed" || result.verdict === "warning");
    assertEquals([...new Set(found.map(({ attack }) => attack.id))], ["resource/challenge-shapes"], String(report));
    assertEquals([...new Set(found.map((result) => result.verdict))], [verdict], String(report));
  });
}
