/** @jsxImportSource preact */
/** Settings for each library, opened by a click, with or without script. */

import type { VNode } from "preact";
import { CopyButton } from "./value.tsx";

/** Settings for one library, ready to paste. */
export interface ClientSnippet {
  /** The name of the library. */
  readonly library: string;
  /** The file or language: `application.yml`. */
  readonly placement: string;
  /** The settings; absent if the library does not support the client. */
  readonly text?: string;
  /** Notes, or why the text is absent: whole sentences. */
  readonly notes: readonly string[];
}

/** The list of libraries; empty for a client without grant types. */
export function ClientSnippets({ settings }: { readonly settings: readonly ClientSnippet[] }): VNode {
  if (settings.length === 0) return <p>This client has no grant type, so it cannot request tokens.</p>;
  return (
    <>
      <p>
        The settings contain the values of this server and this client. A library reads everything else from the
        discovery document.
      </p>
      <div class="settings">
        {settings.map(({ library, placement, text, notes }) => (
          <details key={library} name="settings">
            <summary>
              <h3>{library}</h3>{" "}
              <span class="aside">{text === undefined ? "does not support this client" : placement}</span>
            </summary>
            {notes.map((note) => <p key={note}>{note}</p>)}
            {text !== undefined && (
              <div class="box">
                <pre class="wire">{text}</pre>
                <CopyButton description={`the settings for ${library}`} />
              </div>
            )}
          </details>
        ))}
      </div>
    </>
  );
}
