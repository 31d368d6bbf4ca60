/** @jsxImportSource preact */
/** A token request to paste into a shell, and whether it works for the current code. */

import type { ComponentChildren, VNode } from "preact";

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
  /** The client that the code was issued to, if neither request can be its own. Default: none. */
  readonly owner?: CodeOwner;
  /** A `curl` command, quoted for a POSIX shell. */
  readonly command: string;
  /** The secrets to mask. Default: none. */
  readonly secrets?: Secrets;
  /** Whether the code was issued to this client; undefined if the code is not known. */
  readonly codeBelongsToClient?: boolean;
  /** Whether the code is already exchanged. */
  readonly codeUsed: boolean;
  /** Whether the authorization request had a code challenge. */
  readonly usesPkce: boolean;
  /** What placeholders in the command stand for, such as `code verifier`. */
  readonly missing: readonly string[];
}

/** A client that no example can show. */
export interface CodeOwner {
  readonly clientId: string;
  /** How it authenticates. Absent: it signs each request with a key, which a shell cannot. */
  readonly authMethod?: string;
}

/** Secrets by their names, after "the", with their values as they occur in the text. */
type Secrets = readonly { readonly name: string; readonly value: string }[];

export interface ExampleElements {
  /** A sentence. `passed`: whether the request works; undefined if it is no failure that it does not. */
  Verdict(props: { readonly passed?: boolean; readonly children: ComponentChildren }): VNode;
  /** A protocol value in a sentence. */
  Code(props: { readonly text: string }): VNode;
  /** A text that contains secrets. */
  SecretText(props: { readonly text: string; readonly secrets: Secrets }): VNode;
  /** A command to copy. */
  Command(props: { readonly label: string; readonly text: string; readonly secrets: Secrets }): VNode;
}

interface ExampleProps {
  readonly example: TokenRequestExample;
  readonly elements: ExampleElements;
}

const authenticationText = {
  public: (
    <>
      A public client has no secret. It sends its <code class="wire">client_id</code>{"  "}
      in the body and proves with the code verifier that it sent the authorization request.
    </>
  ),
  confidential: (
    <>
      A confidential client authenticates with its secret, here by HTTP Basic in the{" "}
      <code class="wire">Authorization</code> header, so the body carries no <code class="wire">client_id</code>.
    </>
  ),
};

/** Whether the request works, in a sentence. */
function Works({ example, elements: { Code } }: ExampleProps): VNode {
  const { kind, clientId, owner, codeBelongsToClient, codeUsed, missing } = example;
  const form = `The request below shows the form that a ${kind} client uses.`;
  if (owner !== undefined) {
    return (
      <>
        This code was issued to <Code text={owner.clientId} />, which{" "}
        {owner.authMethod === undefined ? "signs its requests with a key" : (
          <>
            authenticates by <Code text={owner.authMethod} />
          </>
        )}. {form}
      </>
    );
  }
  if (codeBelongsToClient === undefined) {
    return <>This server does not know the code: the code has expired, or another server issued it. {form}</>;
  }
  if (clientId === undefined) return <>This code was issued to another client; only that client can exchange it.</>;
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

/** Which client would fit, if this server has none. */
function Fitting({ example: { kind, redirectUri }, elements: { Code } }: ExampleProps): VNode {
  return (
    <>
      No {kind} client fits: a client that fits has the redirect URI <Code text={redirectUri} /> and{" "}
      <Code text={`token_endpoint_auth_method=${kind === "public" ? "none" : "client_secret_basic"}`} />. Insert your
      own client.
    </>
  );
}

/** The kind of client, whether the request works, and the command. */
export function Example(props: ExampleProps): VNode {
  const { example, elements: { Verdict, SecretText, Command } } = props;
  const { kind, clientId, owner, authorization, command, secrets = [] } = example;
  const id = `example-${kind}`;
  return (
    <figure class="exchange" aria-labelledby={id}>
      <figcaption>
        <h3 id={id}>{kind === "public" ? "As a public client" : "As a confidential client"}</h3>
        <p>{authenticationText[kind]}</p>
        {/* The other kind of client is no failure. */}
        <Verdict passed={owner === undefined && example.codeBelongsToClient ? !example.codeUsed : undefined}>
          <Works {...props} />
          {clientId === undefined && (
            <>
              {" "}
              <Fitting {...props} />
            </>
          )}
        </Verdict>
        {!example.usesPkce && (
          <p>
            The authorization request carried no code challenge, so the token request carries no{" "}
            <code class="wire">code_verifier</code>.
          </p>
        )}
      </figcaption>
      {authorization !== undefined && (
        <p>
          <code class="wire">-u</code> sends the header{" "}
          <code class="wire">
            Authorization: <SecretText text={authorization} secrets={secrets} />
          </code>
        </p>
      )}
      <Command label={`request as a ${kind} client`} text={command} secrets={secrets} />
    </figure>
  );
}
