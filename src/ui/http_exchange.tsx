/** @jsxRuntime automatic */
/** @jsxImportSource preact */
/** A request or a response as sent: most headers folded, secrets masked. The copy button copies all of it. */

import type { VNode } from "preact";
import type { HttpExchange, HttpMessage, Secret } from "../app/pages.ts";
import { TextWithSecrets } from "./secret_value.tsx";
import { CopyButton } from "./value.tsx";

/** What an exchange is drawn from. */
export interface HttpExchangeViewProps extends HttpExchange {
  /** Follows "Copy": `the token request`, `the response to it`. */
  readonly copyLabels: { readonly request: string; readonly response: string };
}

/** The request, and below it the response if any. */
export function HttpExchangeView({ request, response, secrets, copyLabels }: HttpExchangeViewProps): VNode {
  return (
    <>
      <HttpMessageView label="Request" message={request} secrets={secrets} copyLabel={copyLabels.request} />
      {response && (
        <HttpMessageView label="Response" message={response} secrets={secrets} copyLabel={copyLabels.response} />
      )}
    </>
  );
}

/** What a message is drawn from. */
export interface HttpMessageViewProps {
  readonly label: string;
  readonly message: HttpMessage;
  readonly secrets: readonly Secret[];
  /** Follows "Copy". */
  readonly copyLabel: string;
}

/** One of the two. Each parameter of a body has a line of its own to the eye, while the text stays as it is. */
export function HttpMessageView({ label, message, secrets, copyLabel }: HttpMessageViewProps): VNode {
  const { startLine, headers, body } = message;
  const [importantHeaders, foldedHeaders] = [true, false].map((important) =>
    headers.filter(([name]) => isImportantHeader(name) === important)
  );
  const line = (text: string, inner = false) => (
    <span class={inner ? "line inner" : "line"}>
      <TextWithSecrets text={text} secrets={secrets} />
    </span>
  );
  return (
    <figure class="message">
      <figcaption>{label}</figcaption>
      <div class="box">
        <div class="wire lines">
          <b class="line">{`${startLine}\n`}</b>
          {importantHeaders!.map(([name, value]) => line(`${name}: ${value}\n`))}
          {foldedHeaders!.length > 0 && (
            <details class="fold">
              <summary aria-label={headerCount(foldedHeaders!.length, importantHeaders!.length > 0)} />
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

/** Whether a header says what the message is about, so that it is not folded. */
function isImportantHeader(name: string): boolean {
  return /^(?:authorization|www-authenticate|location|retry-after)$/i.test(name);
}

function headerCount(headers: number, further: boolean): string {
  return `${headers} ${further ? "more " : ""}${headers === 1 ? "header" : "headers"}`;
}

/** The parts of a form or of a JSON object, each with what separates it from the next: together, the body. */
export function splitBody(body: string): readonly string[] {
  if (!body.startsWith("{")) return body.split(/(?<=&)/);
  try {
    const members = Object.entries(JSON.parse(body)).map((member) => JSON.stringify(Object.fromEntries([member])));
    const parts = members.map((member, i) => member.slice(1, -1) + (i < members.length - 1 ? "," : ""));
    const lines = ["{", ...parts, "}"];
    // Spelt or ordered in another way than ours, it is shown as it came.
    return lines.join("") === body && parts.length > 0 ? lines : [body];
  } catch {
    return [body];
  }
}
