/** @jsxImportSource preact */
/** Why a request was rejected, and how to fix it: on the error page, on the page of a flow and beside the list. */

import type { VNode } from "preact";
import type { RuleResult, SuggestedMatch } from "./rule_result.ts";
import { Comparison } from "./comparison.tsx";
import { Fix } from "./fix.tsx";

/** @internal A link to a form that is filled in. */
export interface FixLink {
  /** What the form does. */
  readonly label: string;
  /** The path below the base, with the query that fills the form in. */
  readonly path: string;
  /** What happens after the click, one sentence. */
  readonly note?: string;
}

interface RejectionProps extends Pick<RuleResult, "expected" | "received" | "fix"> {
  /** One sentence; it may name the suggestion. */
  readonly reason: string;
  /** The value that was probably meant. */
  readonly suggestion?: SuggestedMatch;
  /** The earlier request that this one conflicts with. */
  readonly earlier?: string;
}

/** Expected and received value or, instead of the expected one, the value that was probably meant. */
export function Rejection({ reason, expected, received, suggestion, earlier, fix }: RejectionProps): VNode {
  const meant = suggestion?.text ?? expected;
  const question = reason.includes("Did you mean") ? "Nearest" : "Did you mean";
  return (
    <>
      <Comparison expected={meant} received={received} label={meant === expected ? undefined : question} />
      {suggestion?.difference !== undefined && <p>{suggestion.difference}</p>}
      <EarlierRequest earlier={earlier} />
      <Fix fix={suggestion?.fix ?? fix} />
    </>
  );
}

const timestamp = /(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z)/;

/** Renders nothing without an earlier request. A script shows its time in the time zone of the reader. */
export function EarlierRequest({ earlier }: Pick<RejectionProps, "earlier">): VNode | null {
  if (earlier === undefined) return null;
  const parts = earlier.split(timestamp);
  return (
    <small>
      Earlier:{" "}
      <bdi>
        {parts.map((part) =>
          timestamp.test(part)
            ? <time key={part} datetime={part}>{`${part.slice(0, 10)} ${part.slice(11, 19)} UTC`}</time>
            : part
        )}
      </bdi>
    </small>
  );
}
