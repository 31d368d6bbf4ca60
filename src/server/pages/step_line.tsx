/** @jsxImportSource preact */
/** The steps of a login, and the ways to another one, in view while the page scrolls. */

import type { ComponentChildren, VNode } from "preact";
import type { StartLink } from "../../core/pages/ways.tsx";
import type { Site } from "./layout.tsx";

/** Renders nothing without steps. The links are those at the end of the page too. */
export function StepLine({ site, stepper, startLinks: [start] = [] }: {
  readonly site: Site;
  /** The steps: a node of Preact. */
  readonly stepper?: object;
  readonly startLinks?: readonly StartLink[];
}): VNode | null {
  if (stepper === undefined) return null;
  return (
    <div class="stepline">
      {stepper as ComponentChildren}
      <nav aria-label="Another login">
        <a href={start?.href ?? `${site.base}/start`}>Start New Authorization</a>
        <a href={`${site.base}/`}>Back to Home</a>
      </nav>
    </div>
  );
}
