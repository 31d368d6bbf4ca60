/** @jsxImportSource preact */
/** The small parts of the inspector's pages: time, rejection, rule. */

import type { VNode } from "preact";
import { RuleLink, RulesPath } from "../../../server/pages/rule_link.tsx";
import { citedSections } from "../../../server/pages/specifications.ts";
import { Code } from "../../../server/pages/value.tsx";
import type { RejectionSummary } from "./props.ts";

/**
 * A point in time (milliseconds since the epoch), in UTC: to the second; `full`: with date and milliseconds; `short`:
 * with date, to the minute. A script shows it in the time zone of the reader.
 */
export function Timestamp(
  { at, full = false, short = false }: { readonly at: number; readonly full?: boolean; readonly short?: boolean },
): VNode {
  const text = new Date(at).toISOString();
  if (short) return <time datetime={text}>{text.slice(0, 16).replace("T", " ")}</time>;
  if (!full) return <time datetime={text}>{text.slice(11, 19)}</time>;
  return (
    <time datetime={text}>
      {`${text.slice(0, 10)} ${text.slice(11, 23)}`} <span class="utc">UTC</span>
    </time>
  );
}

/** A duration: `12 ms`, `3.4 s`, `5 min`. */
export function formatMilliseconds(milliseconds: number): string {
  if (milliseconds < 1000) return `${milliseconds} ms`;
  if (milliseconds < 60_000) return `${(milliseconds / 1000).toFixed(1)} s`;
  return `${Math.round(milliseconds / 60_000)} min`;
}

/** A rejection in one line: the error code, the rule, the reason. Belongs in the line of the rejected request. */
export function RejectionLine({ error, rule, reason }: RejectionSummary): VNode {
  return (
    <span class="why">
      {error !== undefined && (
        <>
          <Code text={error} /> <span class="aside">·</span>
          {" "}
        </>
      )}
      {rule !== undefined && `${rule} `}
      <bdi>{reason}</bdi>
    </span>
  );
}

interface RuleProps {
  /** Absent for a rejection of the embedding program. */
  readonly rule?: string;
  readonly cites: readonly string[];
}

/**
 * The ID of a rule, which leads to its page. Where this server has no such pages, links to the cited sections; they
 * lead away from this server, so they send no referrer.
 */
export function RuleReference({ rule, cites }: RuleProps): VNode | null {
  if (rule === undefined) return null;
  return (
    <RulesPath.Consumer>
      {(path: string | undefined) => (
        <small>
          <RuleLink rule={rule} />
          {path === undefined &&
            citedSections(cites).map(({ title, url }) => <a key={url} href={url} rel="noreferrer">{title}</a>)}
        </small>
      )}
    </RulesPath.Consumer>
  );
}
