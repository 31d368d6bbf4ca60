/** The report of a check as an HTML document. */

import type { CheckReportProps } from "./pages/check_report_props.ts";

/** The document, with the digest of its style sheet in its policy. */
export async function formatDocument(props: CheckReportProps): Promise<string> {
  const { checkReportDocument, checkReportStyle } = await import("./pages/check_report.tsx");
  const digest = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(checkReportStyle));
  return checkReportDocument(props, btoa(String.fromCharCode(...new Uint8Array(digest))));
}
