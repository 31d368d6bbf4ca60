/** @jsxRuntime automatic */
/** @jsxImportSource preact */
/** A token request to paste into a shell, and whether it works for the current code. */

import type { VNode } from "preact";
import type { TokenRequestExample } from "../app/pages.ts";
import { TextWithSecrets } from "./secret_value.tsx";
import { Code, CopyButton } from "./value.tsx";
import { CheckItem } from "./check_item.tsx";

const authenticationText = {
  public: (
    <>
      A public client has no secret. It sends its <Code text="client_id" />{"  "}
      in the body and proves with the code verifier that it sent the authorization request.
    </>
  ),
  confidential: (
    <>
      A confidential client authenticates with its secret, here by HTTP Basic in the <Code text="Authorization" />{" "}
      header, so the body carries no <Code text="client_id" />.
    </>
  ),
};

function exampleVerdict(
  { kind, clientId, codeBelongsToClient, codeUsed, verifier, needsSecret }: TokenRequestExample,
): VNode {
  if (codeBelongsToClient === undefined) {
    return (
      <>
        This code is not known here: it is expired, or this server did not issue it. The request below shows the form
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
        <Code text={clientId} />, so the server would reject this request. It shows the form that a {kind} client uses.
      </>
    );
  }
  if (codeUsed) {
    return (
      <>
        This code was issued to <Code text={clientId} />{" "}
        and is already redeemed: a second use is rejected and revokes the tokens of the first.
      </>
    );
  }
  const missing = [...verifier === "placeholder" ? ["code verifier"] : [], ...needsSecret ? ["client secret"] : []];
  return (
    <>
      This code was issued to <Code text={clientId} />: the request below works{" "}
      {missing.length > 0 ? `once, with your ${missing.join(" and ")} inserted.` : "once, as it is."}
    </>
  );
}

/** The kind of client, whether the request works, and the command. */
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
            Replace the value of <Code text="code_verifier" />{"  "}
            with the verifier that your client generated; only the client knows it.
          </p>
        )}
        {verifier === "none" && (
          <p>
            The authorization request carried no code challenge, so the token request carries no{" "}
            <Code text="code_verifier" />.
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
