/** @jsxImportSource preact */
/** Why a request was rejected, and how to fix it: on the error page, on the page of a flow and beside the list. */

import type { VNode } from "preact";
import type { RuleResult } from "../oauth/explanation.ts";
import { Comparison } from "./comparison.tsx";
import { Fix } from "./fix.tsx";

/** @internal A registered value similar to the received one. */
export interface SuggestedMatch {
  /** The registered value. */
  readonly text: string;
  /** For a URI: the only part that differs, the slash at its end, or its spelling if both are equivalent. */
  readonly difference?: "scheme" | "host" | "port" | "path" | "query" | "slash" | "spelling";
  /** What to send, in place of the fix of the rule. A change that registers the received value is the second choice. */
  readonly fix?: string;
}

/** @internal A link to a form that is filled in. */
export interface FixLink {
  /** What the form does. */
  readonly label: string;
  /** The path below the base, with the query that fills the form in. */
  readonly path: string;
}

/** How the received value differs from the value that was probably meant. */
const differenceTexts: Readonly<Record<NonNullable<SuggestedMatch["difference"]>, string>> = {
  scheme: "The two URIs differ only in the scheme.",
  host: "The two URIs differ only in the host.",
  port:
    "The two URIs differ only in the port. The port may vary for 127.0.0.1 and [::1], and for localhost if the client " +
    "is public or native; with https only where the issuer is on a test host.",
  path: "The two URIs differ only in the path.",
  query: "The two URIs differ only in the query.",
  slash: "The two URIs differ only in the slash at the end.",
  spelling: "The two URIs lead to the same page, but the server compares URIs character by character.",
};

interface RejectionProps extends Pick<RuleResult, "expected" | "received" | "fix"> {
  /** One sentence; it may name the suggestion. */
  readonly reason: string;
  /** The value that was probably meant. */
  readonly suggestion?: SuggestedMatch;
  /** The earlier request that this one conflicts with. */
  readonly earlier?: string;
}

/** Expected and received value or, in place of the expected one, the value that was probably meant. */
export function Rejection({ reason, expected, received, suggestion, earlier, fix }: RejectionProps): VNode {
  const meant = suggestion?.text ?? expected;
  const question = reason.includes("Did you mean") ? "Nearest" : "Did you mean";
  return (
    <>
      <Comparison expected={meant} received={received} label={meant === expected ? undefined : question} />
      {suggestion?.difference !== undefined && <p>{differenceTexts[suggestion.difference]}</p>}
      <EarlierRequest earlier={earlier} />
      <Fix fix={suggestion?.fix ?? fix} />
    </>
  );
}

/** Renders nothing without an earlier request. */
export function EarlierRequest({ earlier }: Pick<RejectionProps, "earlier">): VNode | null {
  if (earlier === undefined) return null;
  return (
    <small>
      Earlier: <bdi>{earlier}</bdi>
    </small>
  );
}
