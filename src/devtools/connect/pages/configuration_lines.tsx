/** @jsxImportSource preact */
/** Clients or users as a configuration file, to keep what a page added or changed. */

import type { ComponentChildren, VNode } from "preact";
import { CodeText } from "../../../server/pages/code_text.tsx";
import { CopyButton } from "../../../server/pages/value.tsx";

/** How long a change of one client or user lasts. */
export function ChangeLifetime({ isPersistent }: { readonly isPersistent: boolean }): VNode {
  return isPersistent
    ? <>The store keeps the changes.</>
    : <>A change lasts until this process ends. Copied as latchkey.json, it also applies after a restart.</>;
}

/** Folded. */
export function ConfigurationLines({ text, isPersistent, children }: {
  /** The file. */
  readonly text: string;
  /** Whether the store keeps the changes. */
  readonly isPersistent: boolean;
  /** What the file contains, as a noun phrase. */
  readonly children: ComponentChildren;
}): VNode {
  return (
    <details class="quiet">
      <summary>
        {isPersistent ? "Copy as latchkey.json" : "Lost at a restart, unless you copy it as latchkey.json"}
      </summary>
      <p>
        A file <code class="wire">latchkey.json</code> with {children}. Start the server with{" "}
        <code class="wire">--config latchkey.json</code>, or copy the entries into your configuration file.
        {!isPersistent && " Otherwise a restart forgets what was added or changed on a page."}
      </p>
      <div class="box">
        <pre class="wire"><CodeText text={text} /></pre>
        <CopyButton description="as latchkey.json" />
      </div>
    </details>
  );
}
