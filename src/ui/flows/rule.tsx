/** @jsxImportSource preact */
/** The ID of a rule with links to the cited sections. */

import type { VNode } from "preact";
import { citedSections } from "../specifications.ts";

interface RuleProps {
  readonly rule: string;
  /** The sections that it cites; empty for a rule of an embedder. */
  readonly cites: readonly string[];
  /** Only the first section. Default: all. */
  readonly brief?: boolean;
}

/** The links lead away from this server, so they send no referrer. */
export function Rule({ rule, cites, brief = false }: RuleProps): VNode {
  return (
    <small>
      {rule}
      {citedSections(cites).slice(0, brief ? 1 : undefined).map(({ title, url }) => (
        <a key={url} href={url} rel="noreferrer">{title}</a>
      ))}
    </small>
  );
}
