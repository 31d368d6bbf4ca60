/** @jsxImportSource preact */
/** What login and consent show of a client besides its name: its logo or its host, its policy and its terms. */

import type { VNode } from "preact";

/** @internal A page of the client on another host. */
export interface ClientPage {
  readonly href: string;
  /** The host of that URL, with its port. */
  readonly host: string;
}

/** @internal What the client says about itself. */
export interface ClientPresentation {
  /** The URL of its logo. Absent for a client that the operator has not approved. */
  readonly logo?: string;
  /** The host that stands instead of the logo of a client that the operator has not approved. */
  readonly host?: string;
  /** Its privacy policy. */
  readonly policy?: ClientPage;
  /** Its terms of service. */
  readonly terms?: ClientPage;
}

/** The logo, or the host in its place. */
export function ClientMark({ logo, host }: ClientPresentation): VNode | null {
  if (logo !== undefined) {
    return <img class="logo" src={logo} alt="" height="48" referrerpolicy="no-referrer" />;
  }
  if (host === undefined) return null;
  return (
    <p>
      This client is from{" "}
      <strong>
        <bdi>{host}</bdi>
      </strong>
      . The operator of this server did not register the client.
    </p>
  );
}

/** Links to the policy and the terms, each with its host, because the name of the client is its own choice. */
export function ClientLinks({ policy, terms }: ClientPresentation): VNode | null {
  const pages = [["Privacy policy", policy], ["Terms of service", terms]] as const;
  if (pages.every(([, page]) => page === undefined)) return null;
  return (
    <p class="aside">
      {pages.map(([label, page]) =>
        page !== undefined && (
          <span key={label}>
            <a href={page.href} target="_blank" rel="noopener noreferrer">{label}</a> on <bdi>{page.host}</bdi>.{" "}
          </span>
        )
      )}
    </p>
  );
}
