/** @jsxRuntime automatic */
/** @jsxImportSource preact */
/** One token request that a person can paste into a shell, and whether it works for the code at hand. */

import type { VNode } from "preact";
import type { TokenRequestExample } from "../app/pages.ts";
import { TextWithSecrets } from "./secret_value.tsx";
import { Code, CopyButton } from "./value.tsx";
import { CheckItem } from "./check_item.tsx";

const authenticationText = {
  public: (
    <>
      A public client keeps no secret. It names itself by <Code text="client_id" />{" "}
      in the body and proves with the code verifier that it is the one that asked.
    </>
  ),
  confidential: (
    <>
      A confidential client authenticates with its secret, here by HTTP Basic in the <Code text="Authorization" />{" "}
      header; so there is no <Code text="client_id" /> in the body.
    </>
  ),
};

function exampleVerdict(
  { kind, clientId, codeBelongsToClient, codeUsed, verifier, needsSecret }: TokenRequestExample,
): VNode {
  if (codeBelongsToClient === undefined) {
    return (
      <>
        This code is not known here: it has expired, or this server never issued it. The request below shows the form
        that a {kind} client uses.
      </>
    );
  }
  if (clientId === undefined) {
    return (
      <>
        No {kind}{" "}
        client has this page as its redirect URI, so insert your own client. The code was issued to another client; only
        that client can redeem it.
      </>
    );
  }
  if (!codeBelongsToClient) {
    return (
      <>
        This code was issued to another client than{" "}
        <Code text={clientId} />, so this request would be refused. It shows the form that a {kind} client uses.
      </>
    );
  }
  if (codeUsed) {
    return (
      <>
        This code was issued to{" "}
        <Code text={clientId} />, and it was redeemed already: sending it again is refused, and revokes what it bought.
      </>
    );
  }
  const missing = [...verifier === "placeholder" ? ["code verifier"] : [], ...needsSecret ? ["client secret"] : []];
  return (
    <>
      This code was issued to <Code text={clientId} />: the request below works{" "}
      {missing.length > 0 ? `with your ${missing.join(" and ")} put in, once.` : "as it is, once."}
    </>
  );
}

/** A figure: who asks, whether it fits, and the command. */
export function Example(example: TokenRequestExample): VNode {
  const { kind, command, secrets = [], verifier } = example;
  const id = `example-${kind}`;
  return (
    <figure class="exchange" aria-labelledby={id}>
      <figcaption>
        <h3 id={id}>{kind === "public" ? "As a public client" : "As a confidential client"}</h3>
        <p>{authenticationText[kind]}</p>
        <CheckItem passed={example.codeUsed ? false : example.codeBelongsToClient}>{exampleVerdict(example)}</CheckItem>
        {verifier === "placeholder" && (
          <p>
            In place of the value of{" "}
            <Code text="code_verifier" />, put the verifier your client made before it sent the code challenge; only the
            client knows it.
          </p>
        )}
        {verifier === "none" && (
          <p>
            The authorization request sent no code challenge, so there is no <Code text="code_verifier" /> to send.
          </p>
        )}
      </figcaption>
      <div class="box">
        <pre class="wire">
          <TextWithSecrets text={command} secrets={secrets} />
        </pre>
        <CopyButton description={`the request as a ${kind} client`} />
      </div>
    </figure>
  );
}
