/** @jsxImportSource preact */
/** A request or a response as sent: most headers folded, secrets masked. The copy button copies all of it. */

import type { VNode } from "preact";
import { Panes } from "./layout.tsx";
import { type Secret, TextWithSecrets } from "./secret_value.tsx";
import { CopyButton } from "./value.tsx";

export interface HttpMessage {
  /** The request line or status line. */
  readonly startLine: string;
  readonly headers: readonly (readonly [name: string, value: string])[];
  /** The body as text; absent if empty. */
  readonly body?: string;
}

export interface HttpExchange {
  /** The request, sent or not yet sent. */
  readonly request: HttpMessage;
  /** Absent if the request was not sent or got no response. */
  readonly response?: HttpMessage;
  /** The secrets to mask in both. */
  readonly secrets: readonly Secret[];
}

interface HttpExchangeViewProps extends HttpExchange {
  /** Follows "Copy": `the token request`, `the response to it`. */
  readonly copyLabels: { readonly request: string; readonly response: string };
}

/** The request and the response if any: side by side on wide screens. */
export function HttpExchangeView({ request, response, secrets, copyLabels }: HttpExchangeViewProps): VNode {
  return (
    <Panes>
      <HttpMessageView label="Request" message={request} secrets={secrets} copyLabel={copyLabels.request} />
      {response && (
        <HttpMessageView label="Response" message={response} secrets={secrets} copyLabel={copyLabels.response} />
      )}
    </Panes>
  );
}

interface HttpMessageViewProps {
  readonly label: string;
  readonly message: HttpMessage;
  readonly secrets: readonly Secret[];
  /** Follows "Copy". */
  readonly copyLabel: string;
}

/** A request or a response. Each parameter of a body is on its own line, but the copied text is unchanged. */
export function HttpMessageView({ label, message, secrets, copyLabel }: HttpMessageViewProps): VNode {
  const { startLine, headers, body } = message;
  const [importantHeaders, foldedHeaders] = [true, false].map((important) =>
    headers.filter(([name]) => importantHeaderPattern.test(name) === important)
  );
  const foldedCount = foldedHeaders!.length;
  const foldedLabel = `${foldedCount} ${importantHeaders!.length > 0 ? "more " : ""}header${
    foldedCount === 1 ? "" : "s"
  }`;
  const Text = body?.startsWith("{") ? JsonText : TextWithSecrets;
  const line = (text: string, inner = false) => (
    <span class={inner ? "inner" : undefined}>
      <Text text={text} secrets={secrets} />
    </span>
  );
  return (
    <figure class="message">
      <figcaption>{label}</figcaption>
      <div class="box">
        <div class="wire lines">
          <b>
            <StatusLine text={startLine} />
            {"\n"}
          </b>
          {importantHeaders!.map(([name, value]) => line(`${name}: ${value}\n`))}
          {foldedCount > 0 && (
            <details class="fold">
              <summary aria-label={foldedLabel} />
              {foldedHeaders!.map(([name, value]) => line(`${name}: ${value}\n`))}
            </details>
          )}
          {body !== undefined && (
            <>
              {line("\n")}
              {splitBody(body).map((text, i, { length }) => line(text, i > 0 && (i < length - 1 || text.length > 1)))}
            </>
          )}
        </div>
        <CopyButton description={copyLabel} />
      </div>
    </figure>
  );
}

/** The headers that are shown unfolded. */
const importantHeaderPattern = /^(?:authorization|dpop|dpop-nonce|www-authenticate|location|retry-after)$/i;

/** The parts of a form or JSON object, each with its separator. Joined, they are the body. */
function splitBody(body: string): readonly string[] {
  if (!body.startsWith("{")) return body.split(/(?<=&)/);
  try {
    const members = Object.entries(JSON.parse(body)).map((member) => JSON.stringify(Object.fromEntries([member])));
    const parts = members.map((member, i) => member.slice(1, -1) + (i < members.length - 1 ? "," : ""));
    const lines = ["{", ...parts, "}"];
    // A differently formatted body is shown unchanged.
    return lines.join("") === body && parts.length > 0 ? lines : [body];
  } catch {
    return [body];
  }
}

/** `POST /oauth2/token HTTP/1.1`, or `HTTP/1.1 400 Bad Request` with a coloured status. */
export function StatusLine({ text }: { readonly text: string }): VNode {
  const [, protocol, status] = /^(HTTP\/\S+ )(\d.*)$/s.exec(text) ?? [];
  if (status === undefined) return <>{text}</>;
  return (
    <>
      {protocol}
      <StatusCode status={status} />
    </>
  );
}

/** An HTTP status, with its reason phrase or without: `200`, `400 Bad Request`. */
export function StatusCode({ status }: { readonly status: number | string }): VNode {
  return <span class={`s${String(status)[0]}`}>{status}</span>;
}

/** JSON with coloured names, numbers and literals. The text stays as it is. */
function JsonText(
  { text, secrets = [] }: { readonly text: string; readonly secrets?: readonly Secret[] },
): VNode {
  // Strings first, so that nothing inside a string is taken for a number. A string that is not closed ends with the
  // text, so that the text is read once.
  const pieces = text.split(/("(?:[^"\\]|\\(?:[^]|$))*(?:"(?:\s*:)?|$)|-?\d[\d.eE+-]*|\b(?:true|false|null)\b)/);
  return (
    <>
      {pieces.map((piece, i) => {
        const shown = <TextWithSecrets text={piece} secrets={secrets} />;
        if (i % 2 === 0) return shown;
        if (piece.endsWith(":")) {
          return (
            <>
              <span key={i} class="key">{shown}</span>
              <wbr />
            </>
          );
        }
        return piece.startsWith('"') ? shown : <span key={i} class="literal">{shown}</span>;
      })}
    </>
  );
}
