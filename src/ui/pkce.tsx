/** @jsxRuntime automatic */
/** @jsxImportSource preact */
/** PKCE worked through: verifier, SHA-256, base64url, challenge, and whether the two ends meet (RFC 7636 §4). */

import type { VNode } from "preact";
import type { PkceProps } from "../app/pages.ts";
import { Hint } from "./parameters.tsx";
import { SecretValue } from "./secret_value.tsx";
import { Code, DefinitionItem } from "./value.tsx";
import { CheckItem } from "./check_item.tsx";

/** Each line follows from the one above it. */
export function Pkce({ verifier, digestHex, challenge, matches }: PkceProps): VNode {
  return (
    <>
      <dl class="facts">
        <DefinitionItem label="Code verifier">
          <SecretValue name="code verifier" value={verifier} />
          <Hint text={`${verifier.length} random characters; only the client has them`} />
        </DefinitionItem>
        <DefinitionItem label="Its SHA-256">
          <Code text={digestHex} />
          <Hint text="32 bytes in hexadecimal" />
        </DefinitionItem>
      </dl>
      <CheckItem
        passed={matches}
        expected={matches ? challenge : undefined}
        received={challenge}
        rule="RFC 7636 §4.6"
      >
        {matches === undefined
          ? "The same bytes in base64url. No challenge is kept with this code that they could be compared with."
          : matches
          ? "The same bytes in base64url are the challenge that the authorization request carried."
          : "The same bytes in base64url are not the challenge that the code was issued for."}
      </CheckItem>
    </>
  );
}
