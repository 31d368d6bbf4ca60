/** @jsxRuntime automatic */
/** @jsxImportSource preact */
/** The ways on from a page: home, and into a new authorization request. */

import type { VNode } from "preact";
import type { Site, StartLink } from "../app/pages.ts";

/** One button for the main demo client, and a plain link for each other one. */
export interface StartProps {
  /** What the button says. */
  readonly label: string;
  readonly links: readonly StartLink[];
  /** Whether the page has a more important button. Default: false. */
  readonly plain?: boolean;
}

/** Draws nothing where no client can be started from here. */
export function Start({ label, links, plain = false }: StartProps): VNode | null {
  const [main, ...others] = links;
  if (!main) return null;
  return (
    <>
      <a class={plain ? "button plain" : "button"} href={main.href}>{label}</a>
      {others.map((link) => <a key={link.clientId} href={link.href}>Start as {link.clientId}</a>)}
    </>
  );
}

/** The way to what led to a page, for its beginning; nothing where that is not remembered. */
export function Trail({ site: { base, trail } }: { readonly site: Site }): VNode | null {
  if (trail === undefined) return null;
  return (
    <p>
      <a href={base + trail}>See the whole flow</a>, as the server saw it.
    </p>
  );
}

/** Where to go from the end of a page. */
export interface WaysProps {
  readonly site: Site;
  /** Absent: no start button. Empty: links to the page that names the redirect URI to register. */
  readonly startLinks?: readonly StartLink[];
  /** Whether the page has a more important button than "Start New Authorization". Default: false. */
  readonly plain?: boolean;
}

/** "Start New Authorization" where a flow ended, what led here where that was recorded, and "Back to Home". */
export function Ways({ site, startLinks, plain }: WaysProps): VNode {
  const start = { clientId: "", confidential: false, href: `${site.base}/start` };
  return (
    <nav class="ways" aria-label="Where to go from here">
      {startLinks !== undefined && (
        <Start
          label="Start New Authorization"
          links={startLinks.length > 0 ? startLinks : [start]}
          plain={plain}
        />
      )}
      {site.trail !== undefined && <a href={site.base + site.trail}>See the whole flow</a>}
      <a href={`${site.base}/`}>Back to Home</a>
    </nav>
  );
}
