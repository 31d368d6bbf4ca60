/** @jsxRuntime automatic */
/** @jsxImportSource preact */
/** A rule by its ID, and the sections of the specifications that it comes from. */

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

/** The links lead away from this server, which tells nobody where they were followed. */
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
