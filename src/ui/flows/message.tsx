/** @jsxRuntime automatic */
/** @jsxImportSource preact */
/** A request or a response as sent: the first line, the parameters one by one, the headers folded. */

import type { VNode } from "preact";
import type { JwtContent, MessageDetails as MessageContent, MessageField } from "./props.ts";

/** A decoded JWT, folded. */
function Jwt({ name, jwt: { header, claims } }: { readonly name: string; readonly jwt: JwtContent }): VNode {
  return (
    <details>
      <summary>Decoded {name}</summary>
      <dl class="sent">
        <dt>header</dt>
        <dd>{header.map(({ name, value }) => `${name} ${value}`).join(", ")}</dd>
        {claims.map(({ name, value, note }) => (
          <>
            <dt>{name}</dt>
            <dd>
              {value}
              {note !== undefined && <span>{note}</span>}
            </dd>
          </>
        ))}
      </dl>
    </details>
  );
}

/** Names and values in the order in which they were sent. */
function FieldList({ sent: fields }: { readonly sent: readonly MessageField[] }): VNode {
  return (
    <dl class="sent">
      {fields.map(({ name, value, jwt }) => (
        <>
          <dt>{name}</dt>
          <dd>
            {value}
            {jwt && <Jwt name={name} jwt={jwt} />}
          </dd>
        </>
      ))}
    </dl>
  );
}

/** A request or a response. */
export function Message({ title, message }: { readonly title: string; readonly message: MessageContent }): VNode {
  const { line, headers, parts, text } = message;
  return (
    <div class="said">
      <h4>
        {title} <code>{line}</code>
      </h4>
      {parts.map((part) => (
        <>
          <p>{part.title}</p>
          <FieldList sent={part.sent} />
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
