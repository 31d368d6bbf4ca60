/** @jsxImportSource preact */
/** Clients or users as a configuration file, to keep what a page added or changed. */

import type { ComponentChildren, VNode } from "preact";
import { CodeText } from "../../../server/pages/code_text.tsx";
import { CopyButton } from "../../../server/pages/value.tsx";

/** How long a change of one client or user lasts. */
export function ChangeLifetime({ isPersistent }: { readonly isPersistent: boolean }): VNode {
  return isPersistent
    ? <>The store keeps the changes.</>
    : <>Changes are lost when the server stops. To keep them, copy them into latchkey.json.</>;
}

export interface ConfigurationFile {
  readonly text: string;
  /** What stands for a secret that no page may show; `undefined` if the text has none. */
  readonly placeholder: string | undefined;
}

/** Folded. */
export function ConfigurationLines({ file: { text, placeholder }, isPersistent, isOne = false, children }: {
  readonly file: ConfigurationFile;
  /** Whether the store keeps the changes. */
  readonly isPersistent: boolean;
  /** Whether the file contains one entry of several. */
  readonly isOne?: boolean;
  /** What the file contains, as a noun phrase. */
  readonly children: ComponentChildren;
}): VNode {
  return (
    <details class="quiet">
      <summary>
        {isPersistent ? "Copy as latchkey.json" : "Copy as latchkey.json to keep changes after a restart"}
      </summary>
      <p>
        A file <code class="wire">latchkey.json</code> with{" "}
        {children}. A server that starts in its folder reads it. Or copy the entries into your configuration file.
        {isOne && " A server with this file has only this one: add the others that you need."}
        {!isPersistent && " Otherwise a restart forgets what was added or changed on a page."}
        {placeholder !== undefined && (
          <>
            {" "}Replace <code class="wire">{placeholder}</code>: the server knows only the digest of that secret.
          </>
        )}
      </p>
      <div class="box">
        <pre class="wire"><CodeText text={text} /></pre>
        <CopyButton description="as latchkey.json" />
      </div>
    </details>
  );
}
