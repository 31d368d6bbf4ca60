/** @jsxImportSource preact */
/** Settings for each library: the first that fits is open, with or without script. */

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
  const first = settings.find(({ text }) => text !== undefined)?.library;
  return (
    <div class="settings">
      {settings.map(({ library, placement, text, notes }) =>
        text === undefined
          ? (
            <div key={library} class="unfit">
              <h3>{library}</h3> <span class="aside">does not fit: {notes.join(" ")}</span>
            </div>
          )
          : (
            <details key={library} name="settings" open={library === first}>
              <summary>
                <h3>{library}</h3> <span class="aside">{placement}</span>
              </summary>
              {notes.map((note) => <p key={note}>{note}</p>)}
              <div class="box">
                <pre class="wire">{text}</pre>
                <CopyButton description={`the settings for ${library}`} />
              </div>
            </details>
          )
      )}
    </div>
  );
}
