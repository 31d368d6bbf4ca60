/** @jsxRuntime automatic */
/** @jsxImportSource preact */
/** The ways on from a page: home, and into a new authorization request. */

import type { VNode } from "preact";
import type { Site, StartLink } from "../endpoints/pages.ts";

/** One button for the main demo client, and a plain link for each other one. */
export interface StartProps {
  /** What the button says. */
  readonly label: string;
  readonly links: readonly StartLink[];
}

/** Draws nothing where no client can be started from here. */
export function Start({ label, links }: StartProps): VNode | null {
  const [main, ...others] = links;
  if (!main) return null;
  return (
    <>
      <a class="button" href={main.href}>{label}</a>
      {others.map((link) => <a key={link.clientId} href={link.href}>Start as {link.clientId}</a>)}
    </>
  );
}

/** Where to go from the end of a page. */
export interface WaysProps {
  readonly site: Site;
  readonly startLinks?: readonly StartLink[];
}

/** "Start New Authorization" where one can be started, and "Back to Home". */
export function Ways({ site, startLinks = [] }: WaysProps): VNode {
  return (
    <nav class="ways" aria-label="Where to go from here">
      <Start label="Start New Authorization" links={startLinks} />
      <a href={`${site.base}/`}>Back to Home</a>
    </nav>
  );
}
