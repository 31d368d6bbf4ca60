/** @jsxImportSource preact */
/** The ID of a rule with links to the cited sections. */

import type { VNode } from "preact";
import { citedSections } from "../specifications.ts";

interface RuleProps {
  /** Absent for a rejection of the embedding program. */
  readonly rule?: string;
  /** The sections that it cites. */
  readonly cites: readonly string[];
  /** Only the first section. Default: all. */
  readonly brief?: boolean;
}

/** The links lead away from this server, so they send no referrer. */
export function Rule({ rule, cites, brief = false }: RuleProps): VNode | null {
  if (rule === undefined) return null;
  return (
    <small>
      {rule}
      {citedSections(cites).slice(0, brief ? 1 : undefined).map(({ title, url }) => (
        <a key={url} href={url} rel="noreferrer">{title}</a>
      ))}
    </small>
  );
}
