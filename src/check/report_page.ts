/** A plugin with the report of a check as a page, beside those of the inspector. */

import { rejectUntrustedHost } from "../server/endpoints/shared/cross_site.ts";
import type { Context } from "../server/assembly/context.ts";
import type { Plugin } from "../server/assembly/plugin.ts";
import { staticEndpoint } from "../server/assembly/static_endpoint.ts";
import { html, htmlWithForms, HttpError, type HttpResponse, json } from "../platform/http/message.ts";
import { parameters } from "../server/oauth/params.ts";
import type { Flow } from "../recorder/exchange.ts";
import type { NavigationLink } from "../server/pages/layout.tsx";
import type { CheckReportPage } from "./pages/check_report.tsx";
import type { AttackResult, CheckReport } from "./report.ts";

/** Shows a flow as a page, or in a form, such as `har`. */
export type ShowFlow = (
  context: Context,
  flow: Flow,
  view: {
    readonly form?: string;
    readonly about: { readonly label: string; readonly list: NavigationLink };
  },
) => Promise<HttpResponse>;

/** A form that starts a check with the attack of the button. */
export interface RepeatForm {
  readonly form: NonNullable<Parameters<typeof CheckReportPage>[0]["repeatForm"]>;
  /** The headers of a page with the form. */
  readonly headers: Readonly<Record<string, string>>;
}

/** Options of the pages of a report. */
interface ReportPages {
  /** The pages of the inspector. Default: the attacks have no flows. */
  readonly showFlow?: ShowFlow;
  /** Links below the heading: paths below the base. Default: none. */
  readonly actions?: () => readonly NavigationLink[];
  /** The form that repeats an attack. Default: none. */
  readonly repeatForm?: (context: Context) => Promise<RepeatForm | undefined>;
}

/**
 * Serves the report at `/flows/check`, and at `/flows/check.json`; the flow of
 * each attack at `/flows/check/{number}`. Their code is loaded at the first visit.
 *
 * @param report The report at this moment; `undefined` before the first login.
 */
export function reportPage(
  report: () => CheckReport | undefined,
  { showFlow, actions, repeatForm }: ReportPages = {},
): Plugin {
  const readReport = ({ server, request }: Context): CheckReport => {
    rejectUntrustedHost(server, request, "FL-05");
    const current = report();
    if (current !== undefined) return current;
    throw new HttpError(404, "HT-01", "The check has no results yet", {
      fix: "Start a check on the page of a client, and reload this page after its first login.",
    });
  };
  const description = { methods: ["GET"], title: "Report of the check", parameters: parameters() } as const;
  return {
    links: [{ label: "Check", path: "/flows/check" }],
    routes: ({ site, site: { base } }) => [staticEndpoint(site, "check", () => import("./pages/assets.gen.ts")), {
      ...description,
      name: "check_report",
      path: `${base}/flows/check`,
      caller: "browser",
      errors: "page",
      load: () => ({
        async GET(context) {
          const current = readReport(context);
          const [{ CheckReportPage }, { renderPage }, { viewReport }, { describeReport }] = await Promise.all([
            import("./pages/check_report.tsx"),
            import("../server/pages/render_page.ts"),
            import("./report_view.ts"),
            import("./report_data.ts"),
          ]);
          const show = new URLSearchParams(context.target.query).get("show");
          const props = viewReport(describeReport(current), {
            show,
            journeyPath: showFlow && ((index) => `/flows/check/${index + 1}`),
          });
          const { form, headers } = await repeatForm?.(context) ?? {};
          const page = renderPage(CheckReportPage, {
            ...context.site,
            ...props,
            actions: actions?.(),
            repeatForm: form,
          });
          return form === undefined ? html(200, page) : htmlWithForms(200, page, headers);
        },
      }),
    }, {
      ...description,
      name: "check_journey",
      path: `${base}/flows/check/*`,
      title: "Flow of an attack",
      caller: "browser",
      errors: "page",
      load: () => ({ GET: (context) => showJourney(context, readReport(context), showFlow) }),
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

/** The flow of one journey, by its number in the report: as a page, or as an export. */
async function showJourney(
  context: Context,
  { results }: CheckReport,
  showFlow: ShowFlow | undefined,
): Promise<HttpResponse> {
  const { path } = context.target;
  const { number, form } = /\/(?<number>\d+)(?:\.(?<form>har|md|sh))?$/.exec(path)?.groups ?? {};
  const result = results[Number(number) - 1];
  const flow = result && flowOf(result, Number(number));
  if (flow === undefined || showFlow === undefined) {
    throw new HttpError(404, "HT-01", "The check has no flow with this number", {
      fix: "Choose a flow in the report at /flows/check.",
    });
  }
  const { formatId } = await import("./report_data.ts");
  const about = {
    label: formatId(result!.attack.id, result!.values),
    list: { label: "Report of the check", path: "/flows/check" },
  };
  return await showFlow(context, flow, { form, about });
}

/** The exchanges of a journey as one flow; `undefined` if it has none. */
function flowOf({ evidence: { exchanges } }: AttackResult, number: number): Flow | undefined {
  const [first] = exchanges;
  if (first === undefined) return undefined;
  const { client } = exchanges.find((exchange) => exchange.client !== undefined) ?? {};
  return { id: `check/${number}`, startedAt: first.at, client, outcome: exchanges.at(-1)!.outcome, exchanges };
}
