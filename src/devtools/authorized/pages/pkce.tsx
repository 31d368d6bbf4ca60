/** @jsxImportSource preact */
/** PKCE step by step: verifier, SHA-256, base64url, and the comparison with the challenge (RFC 7636 §4). */

import type { VNode } from "preact";
import { Hint } from "../../../server/pages/parameters.tsx";
import { SecretValue } from "../../../server/pages/secret_value.tsx";
import { Code, DefinitionItem } from "../../../server/pages/value.tsx";
import { CheckItem } from "../../../server/pages/check_item.tsx";

/** From code verifier to code challenge, with real values (RFC 7636 §4.2). */
export interface PkceProps {
  /** The verifier that the client generated. */
  readonly verifier: string;
  /** Its SHA-256 digest in hexadecimal. */
  readonly digestHex: string;
  /** The same digest in base64url. */
  readonly challenge: string;
  /** Whether it equals the challenge of the code; undefined without one. The stored challenge is never shown. */
  readonly matches?: boolean;
}

/** Each line is derived from the one above it. */
export function Pkce({ verifier, digestHex, challenge, matches }: PkceProps): VNode {
  return (
    <>
      <dl class="facts">
        <DefinitionItem label="Code verifier">
          <SecretValue name="code verifier" value={verifier} />
          <Hint text={`${verifier.length} random characters, known only to the client`} />
        </DefinitionItem>
        <DefinitionItem label="SHA-256 digest">
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
          ? "The digest in base64url. The server knows no code_challenge for this code to compare it with."
          : matches
          ? "The digest in base64url equals the code_challenge of the authorization request."
          : "The digest in base64url differs from the code_challenge that the code was issued for."}
      </CheckItem>
    </>
  );
}
