/** @jsxImportSource preact */
/** Links at the end of a login: another authorization request, and home. */

import type { ComponentChildren, VNode } from "preact";

/** A link that starts an authorization request for a demo client. */
export interface StartLink {
  readonly clientId: string;
  readonly confidential: boolean;
  /** A path on this server, with a query. */
  readonly href: string;
}

/** One button for the main demo client, and a plain link for each other one. */
interface StartButtonsProps {
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

/** "Start New Authorization", further links, and "Back to Home". */
export function Ways({ base, startLinks, plain, children }: {
  /** The prefix of all links to this server. */
  readonly base: string;
  /** Absent: no start button. Empty: links to the page that names the redirect URI to register. */
  readonly startLinks?: readonly StartLink[];
  /** Whether the page has a more important button than "Start New Authorization". Default: false. */
  readonly plain?: boolean;
  /** Links between the two. Default: none. */
  readonly children?: ComponentChildren;
}): VNode {
  const start = { clientId: "", confidential: false, href: `${base}/start` };
  return (
    <nav class="ways" aria-label="Where to go from here">
      {startLinks !== undefined && (
        <StartButtons
          label="Start New Authorization"
          links={startLinks.length > 0 ? startLinks : [start]}
          plain={plain}
        />
      )}
      {children}
      <a href={`${base}/`}>Back to Home</a>
    </nav>
  );
}
