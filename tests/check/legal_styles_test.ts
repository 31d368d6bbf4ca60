/** Legal styles of correct clients: the catalogue and the practices accuse none of them. */

import { assert, assertEquals } from "@std/assert";
import { test } from "node:test";
import type { CheckOptions } from "../../src/check/mod.ts";
import { sample } from "../sample.ts";
import { partOfCatalogue } from "./catalogue_part.ts";
import { checkClientWithEdDsa } from "./patient_check.ts";
import { frameworkStyles } from "./framework_styles.ts";
import { legalStyles } from "./legal_styles.ts";
import { styledClient } from "./styled_client.ts";

const server: CheckOptions["server"] = {
  responseModes: ["query", "fragment", "form_post", "jwt", "form_post.jwt", "fragment.jwt"],
};

const styles = Object.entries({ ...legalStyles, ...frameworkStyles });

for (const [place, [name, style]] of sample([...styles.entries()], 8, 0)) {
  test(`a correct client is accused of nothing: ${name}`, async () => {
    const report = await checkClientWithEdDsa(styledClient(name, style), {
      server,
      only: partOfCatalogue(styles.length, place),
    });
    assert(report.control.passed, String(report));
    const accusations = report.results.filter(({ verdict }) => verdict === "failed")
      .map(({ attack: { id }, values, because }) => `${id} ${JSON.stringify(values)}: ${because}`);
    const practices = report.practices.filter(({ outcome }) => outcome === "failed").map(({ practice, because }) =>
      `practice ${practice.id}: ${because}`
    );
    assertEquals([...accusations, ...practices], []);
    assertEquals(report.control.failedCapabilities.size, 0, String(report));
  });
}
