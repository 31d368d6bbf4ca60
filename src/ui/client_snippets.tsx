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

interface ClientSnippetsProps {
  readonly settings: readonly ClientSnippet[];
  /** The library whose settings are open at first. */
  readonly open?: string;
}

/** The list of libraries. */
export function ClientSnippets({ settings, open }: ClientSnippetsProps): VNode {
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
            <details key={library} name="settings" open={library === open}>
              <summary>
                <h3>{library}</h3> <span class="aside">{placement}</span>
              </summary>
              {notes.map((note) => <p key={note}>{note}</p>)}
              <div class="box">
                <pre class="wire"><SnippetLines text={text} /></pre>
                <CopyButton description={`the settings for ${library}`} />
              </div>
            </details>
          )
      )}
    </div>
  );
}

/**
 * Indents and options stay on the line of a long value that follows them: the value breaks, not the space before it.
 */
function SnippetLines({ text }: { readonly text: string }): VNode {
  const pieces = text.split(/^( +(?:-\w )?\S)(?=\S{23})/m);
  return <>{pieces.map((piece, i) => i % 2 === 1 ? <span key={i} class="kept">{piece}</span> : piece)}</>;
}
