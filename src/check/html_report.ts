/** The report of a check as an HTML document. */

import type { CheckReportProps } from "./pages/check_report_props.ts";

/** The document, with the digest of its style sheet in its policy. */
export async function formatDocument(props: CheckReportProps): Promise<string> {
  const [{ checkReportDocument }, { assets }, { assets: flowAssets }] = await Promise.all([
    import("./pages/check_report.tsx"),
    import("../server/pages/assets.gen.ts"),
    import("../devtools/requests/pages/assets.gen.ts"),
  ]);
  const style = assets["style.css"]!.body + flowAssets["check.css"]!.body;
  const digest = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(style));
  return checkReportDocument(props, style, btoa(String.fromCharCode(...new Uint8Array(digest))));
}
