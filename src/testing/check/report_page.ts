/** A plugin with the report of a check as a page, beside those of the inspector. */

import { rejectUntrustedHost } from "../../app/cross_site.ts";
import type { Context } from "../../app/context.ts";
import type { Plugin } from "../../app/plugin.ts";
import { html, HttpError, json } from "../../http/message.ts";
import { parameters } from "../../oauth/params.ts";
import type { CheckReport } from "./report.ts";
import { describeReport } from "./report_props.ts";

/**
 * Serves the report at `/flows/check`, with the style sheets of the inspector, and at `/flows/check.json`.
 *
 * @param report The report at this moment; `undefined` before the first login.
 */
export function reportPage(report: () => CheckReport | undefined): Plugin {
  const readReport = ({ server, request }: Context): CheckReport => {
    rejectUntrustedHost(server, request, "FL-05");
    const current = report();
    if (current !== undefined) return current;
    throw new HttpError(404, "HT-01", "The check has no results yet", {
      fix: "Load the page again when the first login has ended.",
    });
  };
  const description = { methods: ["GET"], title: "Report of the check", parameters: parameters() } as const;
  return {
    links: [{ label: "Check", path: "/flows/check" }],
    routes: ({ site: { base } }) => [{
      ...description,
      name: "check_report",
      path: `${base}/flows/check`,
      caller: "browser",
      errors: "page",
      load: () => ({
        async GET(context) {
          const current = readReport(context);
          const { checkReportPage } = await import("../../ui/check_report.tsx");
          return html(200, checkReportPage({ ...context.site, ...describeReport(current) }));
        },
      }),
    }, {
      ...description,
      name: "check_report_json",
      path: `${base}/flows/check.json`,
      caller: "any",
      errors: "problem",
      load: () => ({ GET: (context) => json(200, readReport(context)) }),
    }],
  };
}
