/** @jsxImportSource preact */
/** A request line or a status line: the status has the colour of its class (2xx, 3xx, 4xx, 5xx). */

import type { VNode } from "preact";

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
