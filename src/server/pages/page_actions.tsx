/** @jsxImportSource preact */
/** Links from a page: home, the recorded flow, a new authorization request. */

import type { VNode } from "preact";
import { type StartLink, Ways } from "../../core/pages/ways.tsx";
import type { Site } from "./layout.tsx";

/** The links at the end of a page. */
interface PageActionsProps {
  readonly site: Site;
  /** Absent: no start button. Empty: links to the page that names the redirect URI to register. */
  readonly startLinks?: readonly StartLink[];
  /** Whether the page has a more important button than "Start New Authorization". Default: false. */
  readonly plain?: boolean;
  /** The path of the logout. Default: no link. */
  readonly logoutHref?: string;
}

/** "Start New Authorization" at the end of a flow, "See the whole flow" if it was recorded, and "Back to Home". */
export function PageActions({ site, startLinks, plain, logoutHref }: PageActionsProps): VNode {
  return (
    <Ways base={site.base} startLinks={startLinks} plain={plain}>
      <FlowLink site={site} />
      {logoutHref !== undefined && <a href={logoutHref}>Log out</a>}
    </Ways>
  );
}

/** "See the whole flow"; nothing if it was not recorded. */
export function FlowLink({ site }: { readonly site: Site }): VNode | null {
  return site.flowLink === undefined ? null : <a href={site.base + site.flowLink}>See the whole flow</a>;
}
