/** @jsxImportSource preact */
/** Links from a page: home, the recorded flow, a new authorization request. */

import type { VNode } from "preact";
import type { Site } from "./layout.tsx";

/** A link that starts an authorization request for a demo client. */
export interface StartLink {
  readonly clientId: string;
  readonly confidential: boolean;
  /** A path on this server, with a query. */
  readonly href: string;
}

/** One button for the main demo client, and a plain link for each other one. */
interface StartButtonsProps {
  /** The text of the button. */
  readonly label: string;
  readonly links: readonly StartLink[];
  /** Whether the page has a more important button. Default: false. */
  readonly plain?: boolean;
}

/** Renders nothing without links. */
export function StartButtons({ label, links, plain = false }: StartButtonsProps): VNode | null {
  const [main, ...others] = links;
  if (!main) return null;
  return (
    <>
      <a class={plain ? "button plain" : "button"} href={main.href}>{label}</a>
      {others.map((link) => <a key={link.clientId} href={link.href}>Start as {link.clientId}</a>)}
    </>
  );
}

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
  const start = { clientId: "", confidential: false, href: `${site.base}/start` };
  return (
    <nav class="ways" aria-label="Where to go from here">
      {startLinks !== undefined && (
        <StartButtons
          label="Start New Authorization"
          links={startLinks.length > 0 ? startLinks : [start]}
          plain={plain}
        />
      )}
      {site.flowLink !== undefined && <a href={site.base + site.flowLink}>See the whole flow</a>}
      {logoutHref !== undefined && <a href={logoutHref}>Log out</a>}
      <a href={`${site.base}/`}>Back to Home</a>
    </nav>
  );
}
