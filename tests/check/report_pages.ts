/** The pages of a report. */

import type { CheckReport } from "../../src/check/mod.ts";
import { clientCheck } from "../../src/check/client_check.ts";
import { checkPages } from "../../src/check/check_pages.ts";

/** The plugin that shows a report without a check that made it. */
export function reportPages(report: () => CheckReport | undefined) {
  return checkPages({ ...clientCheck(), report });
}
