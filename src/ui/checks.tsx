/** @jsxRuntime automatic */
/** @jsxImportSource preact */
/** What a client checks, each with its verdict and its reason. */

import type { VNode } from "preact";
import type { CheckResult } from "../app/pages.ts";
import { CheckItem } from "./check_item.tsx";

interface CheckLabels {
  readonly rule: string;
  readonly passed: string;
  readonly failed: string;
  readonly unchecked: string;
}

const labels: Readonly<Record<CheckResult["name"], CheckLabels>> = {
  state: {
    rule: "OAuth 2.1 §7.12",
    passed: "state is the one that this browser sent.",
    failed: "state is not one that this browser sent: somebody else began this flow, and a client stops here.",
    unchecked:
      "state comes from no link of this server; only the client that made the request can tell whether it is right.",
  },
  response_iss: {
    rule: "RFC 9207 §2.4",
    passed: "iss names this server: the answer comes from where the request went.",
    failed: "iss does not name this server: the answer may come from another one, and a client stops here.",
    unchecked: "iss was not looked at.",
  },
  pkce: {
    rule: "RFC 7636 §4.6",
    passed: "The verifier hashes to the challenge of the request.",
    failed: "The verifier does not hash to the challenge of the request.",
    unchecked: "No challenge is known for this code.",
  },
  signature: {
    rule: "OpenID Connect Core §3.1.3.7",
    passed: "The ID token is signed with a key that this server publishes.",
    failed: "The signature fits none of the keys that this server publishes: anybody could have written this token.",
    unchecked: "The published keys could not be had, so the signature was not checked.",
  },
  iss: {
    rule: "OpenID Connect Core §3.1.3.7",
    passed: "iss in the token is the issuer.",
    failed: "iss in the token is not the issuer.",
    unchecked: "iss in the token was not looked at.",
  },
  aud: {
    rule: "OpenID Connect Core §3.1.3.7",
    passed: "aud is this client: the token was made for it.",
    failed: "aud is not this client: the token was made for another one.",
    unchecked: "aud was not looked at.",
  },
  exp: {
    rule: "OpenID Connect Core §3.1.3.7",
    passed: "exp has not come yet.",
    failed: "exp has passed: the token is too old.",
    unchecked: "exp was not looked at.",
  },
  nonce: {
    rule: "OpenID Connect Core §3.1.3.7",
    passed: "nonce is the one of the request: the token belongs to this login.",
    failed: "nonce is not the one of the request: the token belongs to another login.",
    unchecked: "The nonce of the request is not known here.",
  },
  at_hash: {
    rule: "OpenID Connect Core §3.1.3.6",
    passed: "at_hash is half the digest of the access token: the two were issued together.",
    failed: "at_hash is not half the digest of the access token: one of the two was swapped.",
    unchecked: "The token has no at_hash, which it need not have.",
  },
};

/** Nothing where there is nothing to check. */
export function Checks({ checks }: { readonly checks: readonly CheckResult[] }): VNode {
  return (
    <>
      {checks.map(({ name, passed, expected, received }) => {
        const { rule, ...texts } = labels[name];
        return (
          <CheckItem key={name} passed={passed} expected={expected} received={received} rule={rule}>
            {passed === undefined ? texts.unchecked : passed ? texts.passed : texts.failed}
          </CheckItem>
        );
      })}
    </>
  );
}
