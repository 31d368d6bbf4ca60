/** @jsxRuntime automatic */
/** @jsxImportSource preact */
/** PKCE worked through: verifier, SHA-256, base64url, challenge, and whether the two ends meet (RFC 7636 §4). */

import type { VNode } from "preact";
import type { PkceProps } from "../app/pages.ts";
import { Meaning } from "./parameters.tsx";
import { Masked } from "./secret_value.tsx";
import { Fact, Wire } from "./value.tsx";
import { Verdict } from "./check_item.tsx";

/** Each line follows from the one above it. */
export function Pkce({ verifier, digest, computed, matches }: PkceProps): VNode {
  return (
    <>
      <dl class="facts">
        <Fact label="Code verifier">
          <Masked name="code verifier" value={verifier} />
          <Meaning text={`${verifier.length} random characters; only the client has them`} />
        </Fact>
        <Fact label="Its SHA-256">
          <Wire text={digest} />
          <Meaning text="32 bytes in hexadecimal" />
        </Fact>
      </dl>
      <Verdict
        holds={matches}
        expected={matches ? computed : undefined}
        received={computed}
        rule="RFC 7636 §4.6"
      >
        {matches === undefined
          ? "The same bytes in base64url. No challenge is kept with this code that they could be compared with."
          : matches
          ? "The same bytes in base64url are the challenge that the authorization request carried."
          : "The same bytes in base64url are not the challenge that the code was issued for."}
      </Verdict>
    </>
  );
}
