/** @jsxImportSource preact */
/** A token request to paste into a shell, and whether it works for the current code. */

import type { VNode } from "preact";
import { CheckItem } from "./check_item.tsx";
import { type Secret, TextWithSecrets } from "./secret_value.tsx";
import { Code, CopyButton } from "./value.tsx";

/** A token request to paste into a shell. */
export interface TokenRequestExample {
  /** Whether it shows a public or a confidential client. */
  readonly kind: "public" | "confidential";
  /** The client; absent, with a placeholder in the command, if no such client has this page as its redirect URI. */
  readonly clientId?: string;
  /** The value of the `Authorization` header that the command sends for `-u`. Default: none. */
  readonly authorization?: string;
  /** The redirect URI that a client must have for this page. */
  readonly redirectUri: string;
  /** The client that the code was issued to, if it signs its requests, which a shell cannot. Default: none. */
  readonly signedBy?: string;
  /** A `curl` command, quoted for a POSIX shell. */
  readonly command: string;
  /** The secrets to mask. Default: none. */
  readonly secrets?: readonly Secret[];
  /** Whether the code was issued to this client; undefined if the code is not known. */
  readonly codeBelongsToClient?: boolean;
  /** Whether the code is already exchanged. */
  readonly codeUsed: boolean;
  /** Whether the authorization request had a code challenge. */
  readonly usesPkce: boolean;
  /** What placeholders in the command stand for, such as `code verifier`. */
  readonly missing: readonly string[];
}

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

/** Whether the request works, in a sentence. */
function Verdict({ example }: { readonly example: TokenRequestExample }): VNode {
  const { kind, clientId, redirectUri, signedBy, codeBelongsToClient, codeUsed, missing } = example;
  const form = `The request below shows the form that a ${kind} client uses.`;
  if (signedBy !== undefined) {
    return (
      <>
        This code was issued to <Code text={signedBy} />, which signs its requests with a key. {form}
      </>
    );
  }
  if (codeBelongsToClient === undefined) {
    return <>This server does not know the code: the code has expired, or another server issued it. {form}</>;
  }
  if (clientId === undefined) {
    return (
      <>
        No {kind} client fits: a client that fits has the redirect URI <Code text={redirectUri} /> and{" "}
        <Code text={`token_endpoint_auth_method=${kind === "public" ? "none" : "client_secret_basic"}`} />. Insert your
        own client. The code was issued to another client; only that client can exchange it.
      </>
    );
  }
  if (!codeBelongsToClient) {
    return (
      <>
        This code was issued to a client other than <Code text={clientId} />, so the server would reject this request.
        {" "}
        {form}
      </>
    );
  }
  return (
    <>
      This code was issued to <Code text={clientId} />
      {codeUsed
        ? " and has been exchanged: a second use is rejected and revokes the tokens of the first."
        : `: the request below works ${
          missing.length > 0 ? `once, with your ${missing.join(" and ")} inserted.` : "once, as it is."
        }`}
    </>
  );
}

/** The kind of client, whether the request works, and the command. */
export function Example({ example }: { readonly example: TokenRequestExample }): VNode {
  const { kind, authorization, command, secrets = [] } = example;
  const id = `example-${kind}`;
  return (
    <figure class="exchange" aria-labelledby={id}>
      <figcaption>
        <h3 id={id}>{kind === "public" ? "As a public client" : "As a confidential client"}</h3>
        <p>{authenticationText[kind]}</p>
        {/* The other kind of client is no failure. */}
        <CheckItem passed={example.codeBelongsToClient ? !example.codeUsed : undefined}>
          <Verdict example={example} />
        </CheckItem>
        {!example.usesPkce && (
          <p>
            The authorization request carried no code challenge, so the token request carries no{" "}
            <Code text="code_verifier" />.
          </p>
        )}
      </figcaption>
      {authorization !== undefined && (
        <p>
          <Code text="-u" /> sends the header{" "}
          <code class="wire">
            Authorization: <TextWithSecrets text={authorization} secrets={secrets} />
          </code>
        </p>
      )}
      <div class="box">
        <pre class="wire" tabIndex={0} role="region" aria-label={`Request as a ${kind} client`}>
          <TextWithSecrets text={command} secrets={secrets} />
        </pre>
        <CopyButton description={`the request as a ${kind} client`} />
      </div>
    </figure>
  );
}
