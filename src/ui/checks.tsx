/** @jsxRuntime automatic */
/** @jsxImportSource preact */
/** What a client checks, each with its verdict and its reason. */

import type { VNode } from "preact";
import type { Check } from "../app/pages.ts";
import { Verdict } from "./check_item.tsx";

interface Words {
  readonly rule: string;
  readonly holds: string;
  readonly fails: string;
  readonly open: string;
}

const words: Readonly<Record<Check["name"], Words>> = {
  state: {
    rule: "OAuth 2.1 §7.12",
    holds: "state is the one that this browser sent.",
    fails: "state is not one that this browser sent: somebody else began this flow, and a client stops here.",
    open:
      "state comes from no link of this server; only the client that made the request can tell whether it is right.",
  },
  response_iss: {
    rule: "RFC 9207 §2.4",
    holds: "iss names this server: the answer comes from where the request went.",
    fails: "iss does not name this server: the answer may come from another one, and a client stops here.",
    open: "iss was not looked at.",
  },
  pkce: {
    rule: "RFC 7636 §4.6",
    holds: "The verifier hashes to the challenge of the request.",
    fails: "The verifier does not hash to the challenge of the request.",
    open: "No challenge is known for this code.",
  },
  signature: {
    rule: "OpenID Connect Core §3.1.3.7",
    holds: "The ID token is signed with a key that this server publishes.",
    fails: "The signature fits none of the keys that this server publishes: anybody could have written this token.",
    open: "The published keys could not be had, so the signature was not checked.",
  },
  iss: {
    rule: "OpenID Connect Core §3.1.3.7",
    holds: "iss in the token is the issuer.",
    fails: "iss in the token is not the issuer.",
    open: "iss in the token was not looked at.",
  },
  aud: {
    rule: "OpenID Connect Core §3.1.3.7",
    holds: "aud is this client: the token was made for it.",
    fails: "aud is not this client: the token was made for another one.",
    open: "aud was not looked at.",
  },
  exp: {
    rule: "OpenID Connect Core §3.1.3.7",
    holds: "exp has not come yet.",
    fails: "exp has passed: the token is too old.",
    open: "exp was not looked at.",
  },
  nonce: {
    rule: "OpenID Connect Core §3.1.3.7",
    holds: "nonce is the one of the request: the token belongs to this login.",
    fails: "nonce is not the one of the request: the token belongs to another login.",
    open: "The nonce of the request is not known here.",
  },
  at_hash: {
    rule: "OpenID Connect Core §3.1.3.6",
    holds: "at_hash is half the digest of the access token: the two were issued together.",
    fails: "at_hash is not half the digest of the access token: one of the two was swapped.",
    open: "The token has no at_hash, which it need not have.",
  },
};

/** Nothing where there is nothing to check. */
export function Checks({ checks }: { readonly checks: readonly Check[] }): VNode {
  return (
    <>
      {checks.map(({ name, holds, expected, received }) => {
        const { rule, ...says } = words[name];
        return (
          <Verdict key={name} holds={holds} expected={expected} received={received} rule={rule}>
            {holds === undefined ? says.open : holds ? says.holds : says.fails}
          </Verdict>
        );
      })}
    </>
  );
}
