/** @jsxRuntime automatic */
/** @jsxImportSource preact */
/** The ID of a rule with links to the cited sections. */

import type { VNode } from "preact";
import { citedSections } from "../specifications.ts";

/** What a rule shows. */
export interface RuleProps {
  readonly rule: string;
  /** The specifications that it cites; none where an embedder has named a rule of its own. */
  readonly cites: readonly string[];
  /** Of several sections the first alone. Default: all. */
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
