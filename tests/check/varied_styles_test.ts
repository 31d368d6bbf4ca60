/** Legal styles of correct clients at servers that vary: the control passes, and no practice accuses one (group VA). */

import { assertEquals } from "@std/assert";
import { test } from "node:test";
import { sample } from "../sample.ts";
import { checkClientWithEdDsa } from "./patient_check.ts";
import { legalStyles } from "./legal_styles.ts";
import { styledClient } from "./styled_client.ts";

/** One seed for each style, because the catalogue under one seed takes as long as without it. */
test("[VA-03] no legal style is accused by its logins and practices under a seed", async () => {
  const accused: string[] = [];
  for (const [seed, [name, style]] of sample([...Object.entries(legalStyles).entries()], 6, 2)) {
    const report = await checkClientWithEdDsa(styledClient(name, style), {
      only: ["practices"],
      server: { responseModes: ["query", "form_post", "jwt"], profile: `vary:${seed + 1}` },
    });
    const practices = report.practices.filter(({ outcome }) => outcome === "failed").map(({ practice, because }) =>
      `${practice.id}: ${because}`
    );
    if (!report.control.passed) accused.push(`vary:${seed + 1} ${name}: ${report.control.error}`);
    if (practices.length > 0) accused.push(`vary:${seed + 1} ${name}: ${practices.join(", ")}`);
  }
  assertEquals(accused, []);
});
