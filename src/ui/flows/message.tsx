/** @jsxImportSource preact */
/** A request or a response as sent: the first line, the parameters one by one, the headers folded. */

import type { VNode } from "preact";
import { Claims } from "../decoded_token.tsx";
import type { MessageDetails, MessageField } from "./props.ts";

/** Names and values in the order in which they were sent. */
function FieldList({ fields, now }: { readonly fields: readonly MessageField[]; readonly now: number }): VNode {
  return (
    <dl class="sent">
      {fields.map(({ name, value, jwt }) => (
        <>
          <dt>{name}</dt>
          <dd>
            {value}
            {jwt && (
              <details>
                <summary>Decoded {name}</summary>
                <Claims {...jwt} now={now} />
              </details>
            )}
          </dd>
        </>
      ))}
    </dl>
  );
}

/** A request or a response. `now` is the current time, in milliseconds since the epoch. */
export function Message(
  { title, message, now }: { readonly title: string; readonly message: MessageDetails; readonly now: number },
): VNode {
  const { line, headers, parts, text } = message;
  return (
    <div class="http">
      <h4>
        {title} <code>{line}</code>
      </h4>
      {parts.map((part) => (
        <>
          <p>{part.title}</p>
          <FieldList fields={part.sent} now={now} />
        </>
      ))}
      {text !== undefined && <pre class="wire box">{text}</pre>}
      {headers.length > 0 && (
        <details>
          <summary>{headers.length === 1 ? "1 header" : `${headers.length} headers`}</summary>
          <pre class="wire">{headers.map(({ name, value }) => `${name}: ${value}`).join("\n")}</pre>
        </details>
      )}
    </div>
  );
}
