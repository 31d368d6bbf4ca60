/** @jsxRuntime automatic */
/** @jsxImportSource preact */
/** A request or an answer as it was on the wire: most headers folded, secrets masked. What is copied is all of it. */

import type { VNode } from "preact";
import type { Secret, WireExchange, WireMessage } from "../app/pages.ts";
import { Veiled } from "./secret_value.tsx";
import { Copy } from "./value.tsx";

/** What an exchange is drawn from. */
export interface ExchangeProps extends WireExchange {
  /** Follows "Copy": `the token request`, `the answer to it`. */
  readonly what: { readonly request: string; readonly response: string };
}

/** The request, and below it the answer if there is one. */
export function Exchange({ request, response, secrets, what }: ExchangeProps): VNode {
  return (
    <>
      <Message label="Request" message={request} secrets={secrets} what={what.request} />
      {response && <Message label="Response" message={response} secrets={secrets} what={what.response} />}
    </>
  );
}

/** What a message is drawn from. */
export interface MessageProps {
  readonly label: string;
  readonly message: WireMessage;
  readonly secrets: readonly Secret[];
  /** Follows "Copy". */
  readonly what: string;
}

/** One of the two. Each parameter of a body has a line of its own to the eye, while the text stays as it is. */
export function Message({ label, message, secrets, what }: MessageProps): VNode {
  const { start, headers, body } = message;
  const [telling, others] = [true, false].map((wanted) => headers.filter(([name]) => tells(name) === wanted));
  const line = (text: string, inner = false) => (
    <span class={inner ? "line inner" : "line"}>
      <Veiled text={text} secrets={secrets} />
    </span>
  );
  return (
    <figure class="message">
      <figcaption>{label}</figcaption>
      <div class="box">
        <div class="wire lines">
          <b class="line">{`${start}\n`}</b>
          {telling!.map(([name, value]) => line(`${name}: ${value}\n`))}
          {others!.length > 0 && (
            <details class="fold">
              <summary aria-label={count(others!.length, telling!.length > 0)} />
              {others!.map(([name, value]) => line(`${name}: ${value}\n`))}
            </details>
          )}
          {body !== undefined && (
            <>
              {line("\n")}
              {breakBody(body).map((text, i, { length }) => line(text, i > 0 && (i < length - 1 || text.length > 1)))}
            </>
          )}
        </div>
        <Copy what={what} />
      </div>
    </figure>
  );
}

/** Whether a header says what the message is about, so that it is not folded. */
function tells(name: string): boolean {
  return /^(?:authorization|www-authenticate|location|retry-after)$/i.test(name);
}

function count(headers: number, further: boolean): string {
  return `${headers} ${further ? "more " : ""}${headers === 1 ? "header" : "headers"}`;
}

/** The parts of a form or of a JSON object, each with what separates it from the next: together, the body. */
export function breakBody(body: string): readonly string[] {
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
