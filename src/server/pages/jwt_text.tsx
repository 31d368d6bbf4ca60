/** @jsxImportSource preact */
/** A JWT whose three parts have a colour each. */

import type { VNode } from "preact";

/** Header, payload and signature in colour; any other text as it is. */
export function JwtText({ text }: { readonly text: string }): VNode {
  const [, header, payload, signature] = /^(ey[\w-]+)\.([\w-]+)\.([\w-]*)$/.exec(text) ?? [];
  if (header === undefined) return <>{text}</>;
  return (
    <>
      <span class="part-header">{header}</span>.<span class="part-claims">{payload}</span>.
      <span class="part-signature">{signature}</span>
    </>
  );
}
