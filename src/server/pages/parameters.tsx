/** @jsxImportSource preact */
/** The parameters of a request or a response: name, value, purpose. */

import type { VNode } from "preact";
import type { HiddenFields } from "./post_form.tsx";
import { Code, DefinitionItem } from "./value.tsx";

/** Parameters of an authorization request and response in a few words each (OAuth 2.1 §4.1). */
const labels: ReadonlyMap<string, string> = new Map([
  ["response_type", "requests a code"],
  ["client_id", "the client"],
  ["redirect_uri", "where the response goes"],
  ["scope", "the requested permissions"],
  ["authorization_details", "what exactly is requested"],
  ["state", "returned unchanged"],
  ["nonce", "returned in the ID token"],
  ["code_challenge", "hash of the code verifier"],
  ["code_challenge_method", "SHA-256"],
  ["response_mode", "how the response is sent"],
  ["acr_values", "requested levels of authentication"],
  ["dpop_jkt", "the key that the code is bound to"],
  ["code", "exchanged for tokens, once"],
  ["id_token", "who is logged in, for this client alone"],
  ["iss", "the server that responded"],
  ["error", "why no code was issued"],
  ["error_description", "details for developers"],
  ["error_uri", "a page with details"],
]);

/** A table of facts, in the order in which the parameters were sent. */
export function Parameters({ fields }: { readonly fields: HiddenFields }): VNode {
  return (
    <dl class="facts">
      {fields.map(([name, value]) => (
        <DefinitionItem key={name} label={<Code text={name} />}>
          <Code text={value} whole />
          <Hint text={labels.get(name)} />
        </DefinitionItem>
      ))}
    </dl>
  );
}

/** A short explanation below a value; nothing if undefined. */
export function Hint({ text }: { readonly text: string | undefined }): VNode | null {
  return text === undefined ? null : <i>{text}</i>;
}
