/** A plugin with the pages that check a client of a running server, and the report, beside those of the inspector. */

import { onTrustedHost } from "../server/endpoint.ts";
import type { Context } from "../core/http/context.ts";
import type { Plugin } from "../server/hosting/options.ts";
import { staticEndpoint } from "../server/hosting/static_files.ts";
import { HttpError, type HttpResponse, json } from "../core/http/message.ts";
import { parameters } from "../core/http/params.ts";
import type { ClientCheck } from "./client_check.ts";
import type { CheckReport } from "./report.ts";

/** Loads the code of the pages. */
const load = () => import("./check_page_handlers.ts");

/**
 * Serves `/clients/{id}/check`, which starts and stops a check, the report at `/flows/check` and `/flows/check.json`,
 * and the flow of each attack at `/flows/check/{number}`. Their code is loaded at the first visit. A server whose
 * visitors may not change clients starts no check, because during a check every login is automatic, and access tokens
 * are signed with the key of the server.
 *
 * @param check Its plugin must be outside of this one.
 */
export function checkPages(check: ClientCheck): Plugin {
  type Show = (handlers: Awaited<ReturnType<typeof load>>, context: Context, report: CheckReport) => HttpResponse;
  const handler = onTrustedHost("DI-04", load);
  const report = (show: Show | ((...shown: Parameters<Show>) => Promise<HttpResponse>)) =>
    onTrustedHost("FL-05", load)((handlers, context: Context) => {
      const current = check.report();
      if (current !== undefined) return show(handlers, context, current);
      throw new HttpError(404, "HT-01", "The check has no results yet", {
        fix: "Start a check on the page of a client, and reload this page after its first login.",
      });
    });
  const page = { methods: ["GET"], caller: "browser", errors: "page", parameters: parameters() } as const;
  return {
    routes: ({ server: { policy }, site, site: { base } }) => [
      staticEndpoint(site, "check", load),
      {
        ...page,
        name: "check_report",
        path: `${base}/flows/check`,
        title: "Report of the check",
        load: () => ({ GET: report(({ showReport }, context, current) => showReport(context, check, current)) }),
      },
      {
        ...page,
        name: "check_journey",
        path: `${base}/flows/check/*`,
        title: "Flow of an attack",
        load: () => ({ GET: report(({ showJourney }, context, current) => showJourney(context, current)) }),
      },
      {
        ...page,
        name: "check_report_json",
        path: `${base}/flows/check.json`,
        title: "Report of the check",
        caller: "any",
        errors: "problem",
        load: () => ({ GET: report((_handlers, _context, current) => json(200, current)) }),
      },
      ...policy.directory !== "edit" ? [] : [
        {
          ...page,
          name: "client_check",
          // The ID is not the last segment of the path.
          path: `${base}/clients/**`,
          methods: ["GET", "POST"],
          title: "Check of a client",
          role: "control",
          parameters: parameters({ name: "form_token", secret: "form_token" }),
          load: () => ({
            GET: handler(({ showCheck }, context) => showCheck(context, check)),
            POST: handler(({ changeCheck }, context) => changeCheck(context, check)),
          }),
        } as const,
      ],
    ],
  };
}
