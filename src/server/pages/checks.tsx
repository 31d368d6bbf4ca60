/** @jsxImportSource preact */
/** The checks of a client, each with its result and the reason. */

import type { VNode } from "preact";
import type { RuleResult } from "./rule_result.ts";
import { CheckItem } from "./check_item.tsx";
import { CheckList } from "./check_list.tsx";

/** The result of a check of the client on an authorization response. */
export interface ResponseCheck extends Pick<RuleResult, "passed" | "expected" | "received"> {
  /** `response_iss` is the `iss` of the response. */
  readonly name: "state" | "response_iss" | "pkce";
}

/** The result of another check, with its sentence and the section that requires it. */
export interface DescribedCheck extends Pick<RuleResult, "passed" | "expected" | "received"> {
  readonly text: string;
  readonly rule: string;
}

const labels: Record<ResponseCheck["name"], Record<"rule" | "passed" | "failed" | "unchecked", string>> = {
  state: {
    rule: "OAuth 2.1 §7.12",
    passed: "state equals the one that this browser sent.",
    failed:
      "state differs from the one that this browser sent: another site may have started this flow (CSRF). A client must stop here.",
    unchecked: "This page did not create the state: only the client that created it can verify it.",
  },
  response_iss: {
    rule: "RFC 9207 §2.4",
    passed: "iss names this server: the response comes from the server that received the request.",
    failed:
      "iss does not name this server: the response may come from another one (mix-up attack). A client must stop here.",
    unchecked: "iss was not checked, because the metadata of this server does not announce it.",
  },
  pkce: {
    rule: "RFC 7636 §4.6",
    passed: "code_verifier matches the code_challenge of the request.",
    failed: "code_verifier does not match the code_challenge of the request.",
    unchecked: "The code_challenge of this code is not known.",
  },
};

/** The checks behind a line that counts them. */
export function ResponseChecks({ checks, others = [] }: {
  readonly checks: readonly ResponseCheck[];
  /** Checks of what followed. Default: none. */
  readonly others?: readonly DescribedCheck[];
}): VNode {
  const described = [...checks.map(describe), ...others];
  return (
    <CheckList results={described.map(({ passed }) => passed)}>
      {described.map(({ text, ...check }) => <CheckItem key={text} {...check}>{text}</CheckItem>)}
    </CheckList>
  );
}

function describe({ name, passed, ...values }: ResponseCheck): DescribedCheck {
  const { rule, ...texts } = labels[name];
  return {
    ...values,
    passed,
    rule,
    text: passed === undefined ? texts.unchecked : passed ? texts.passed : texts.failed,
  };
}
