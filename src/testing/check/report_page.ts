/** A plugin with the report of a check as a page, beside those of the inspector. */

import { rejectUntrustedHost } from "../../app/cross_site.ts";
import type { Plugin } from "../../app/plugin.ts";
import { html, HttpError } from "../../http/message.ts";
import { parameters } from "../../oauth/params.ts";
import type { CheckReport } from "./report.ts";
import { describeReport } from "./report_props.ts";

/**
 * Serves the report at `/flows/check`, with the style sheets of the inspector.
 *
 * @param report The report at this moment; `undefined` before the first login.
 */
export function reportPage(report: () => CheckReport | undefined): Plugin {
  return {
    links: [{ label: "Check", path: "/flows/check" }],
    routes: ({ site: { base } }) => [{
      name: "check_report",
      path: `${base}/flows/check`,
      methods: ["GET"],
      caller: "browser",
      title: "Report of the check",
      errors: "page",
      parameters: parameters(),
      load: () => ({
        async GET({ server, request, site }) {
          rejectUntrustedHost(server, request, "FL-05");
          const current = report();
          if (current === undefined) {
            throw new HttpError(404, "HT-01", "The check has no results yet", {
              fix: "Load the page again when the first login has ended.",
            });
          }

          const { checkReportPage } = await import("../../ui/check_report.tsx");
          return html(200, checkReportPage({ ...site, ...describeReport(current) }));
        },
      }),
    }],
  };
}
