/** @jsxImportSource preact */
/** The checks of a client, each with its result and the reason. */

import type { VNode } from "preact";
import type { RuleResult } from "../oauth/explanation.ts";
import { CheckItem } from "./check_item.tsx";
import { CheckList } from "./check_list.tsx";

/** The result of a check of the client. */
export interface ResponseCheck extends Pick<RuleResult, "passed" | "expected" | "received"> {
  /** `response_iss` is the `iss` of the authorization response, `iss` that of the ID token. */
  readonly name: "state" | "response_iss" | "pkce" | "signature" | "iss" | "aud" | "exp" | "nonce" | "at_hash";
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
  signature: {
    rule: "OpenID Connect Core §3.1.3.7",
    passed: "The ID token is signed with a key that this server publishes.",
    failed: "The signature matches none of the keys that this server publishes: the token may be forged.",
    unchecked: "The published keys could not be fetched, so the signature was not checked.",
  },
  iss: {
    rule: "OpenID Connect Core §3.1.3.7",
    passed: "iss of the ID token is the issuer.",
    failed: "iss of the ID token is not the issuer.",
    unchecked: "iss of the ID token was not checked.",
  },
  aud: {
    rule: "OpenID Connect Core §3.1.3.7",
    passed: "aud is this client: the ID token was issued to it.",
    failed: "aud is not this client: the ID token was issued to another one.",
    unchecked: "aud was not checked.",
  },
  exp: {
    rule: "OpenID Connect Core §3.1.3.7",
    passed: "The ID token is not expired.",
    failed: "The ID token is expired.",
    unchecked: "exp was not checked.",
  },
  nonce: {
    rule: "OpenID Connect Core §3.1.3.7",
    passed: "nonce equals the one of the request: the ID token belongs to this login.",
    failed: "nonce differs from the one of the request: the ID token belongs to another login (replay).",
    unchecked: "The nonce of the request is not known here.",
  },
  at_hash: {
    rule: "OpenID Connect Core §3.1.3.6",
    passed: "at_hash matches the access token: the two were issued together.",
    failed: "at_hash does not match the access token: one of the two was replaced.",
    unchecked: "The ID token has no at_hash, which is optional.",
  },
};

/** The checks behind a line that counts them. */
export function Checks({ checks }: { readonly checks: readonly ResponseCheck[] }): VNode {
  return (
    <CheckList results={checks.map(({ passed }) => passed)}>
      {checks.map(({ name, passed, expected, received }) => {
        const { rule, ...texts } = labels[name];
        return (
          <CheckItem key={name} passed={passed} expected={expected} received={received} rule={rule}>
            {passed === undefined ? texts.unchecked : passed ? texts.passed : texts.failed}
          </CheckItem>
        );
      })}
    </CheckList>
  );
}
