/** Legal styles of correct clients: the catalogue and the practices accuse none of them. */

import { test } from "node:test";
import type { CheckOptions } from "../../src/check/mod.ts";
import { sample } from "../sample.ts";
import { assertNothingFailed } from "./accusations.ts";
import { partOfCatalogue } from "./catalogue_part.ts";
import { checkClientWithEdDsa } from "./patient_check.ts";
import { frameworkStyles } from "./framework_styles.ts";
import { legalStyles } from "./legal_styles.ts";
import { styledClient } from "./styled_client.ts";

const server: CheckOptions["server"] = {
  responseModes: ["query", "fragment", "form_post", "jwt", "form_post.jwt", "fragment.jwt"],
};

const styles = Object.entries({ ...legalStyles, ...frameworkStyles });

for (const [place, [name, style]] of sample([...styles.entries()], 12, 0)) {
  test(`a correct client is accused of nothing: ${name}`, async () => {
    const report = await checkClientWithEdDsa(styledClient(name, style), {
      server,
      only: partOfCatalogue(styles.length, place),
    });
    assertNothingFailed(report);
  });
}
