/** A plugin with the pages that check a client of a running server, beside those of the inspector. */

import { rejectUntrustedHost } from "../server/endpoints/shared/cross_site.ts";
import type { Plugin } from "../server/assembly/plugin.ts";
import { parameters } from "../server/oauth/params.ts";
import type { ClientCheckHandle } from "./client_check.ts";
import { reportPage, type ShowFlow } from "./report_page.ts";

/**
 * Serves `/clients/{id}/check`, which starts and stops a check, and the report at `/flows/check`. Their code is loaded
 * at the first visit. A server whose visitors may not change clients has no such pages, because during a check every
 * login is automatic, and access tokens are signed with the key of the server.
 *
 * @param check Its plugin must be outside of this one.
 * @param showFlow The pages of the inspector.
 */
export function checkPages(check: ClientCheckHandle, showFlow: ShowFlow): Plugin {
  const report = reportPage(check.report, {
    showFlow,
    async repeatForm(context) {
      return await (await import("./check_page_handlers.ts")).repeatForm(context, check);
    },
    actions() {
      const { client } = check.state();
      if (client === undefined) return [];
      const path = `/clients/${encodeURIComponent(client)}`;
      return [{ label: "Back to the client", path }, { label: "Check the client again", path: `${path}/check` }];
    },
  });
  return {
    routes(app) {
      const { server: { settings }, site: { base } } = app;
      const reports = report.routes!(app);
      if (settings.directory !== "edit") return reports;
      return [...reports, {
        name: "client_check",
        // The ID is not the last segment of the path.
        path: `${base}/clients/**`,
        methods: ["GET", "POST"],
        caller: "browser",
        title: "Check of a client",
        errors: "page",
        role: "control",
        parameters: parameters({ name: "form_token", secret: "form_token" }),
        load: () => ({
          async GET(context) {
            rejectUntrustedHost(context.server, context.request, "DI-04");
            return await (await import("./check_page_handlers.ts")).showCheck(context, check);
          },
          async POST(context) {
            rejectUntrustedHost(context.server, context.request, "DI-04");
            return await (await import("./check_page_handlers.ts")).changeCheck(context, check);
          },
        }),
      }];
    },
  };
}
