/** @jsxImportSource preact */
/** Settings for each library in a tab: a link, so that a page has only the settings that its address names. */

import type { VNode } from "preact";
import { CodeText } from "../../../server/pages/code_text.tsx";
import { CopyButton } from "../../../server/pages/value.tsx";

/** Settings for one library, ready to paste. */
export interface ClientSnippet {
  /** The name of the library in addresses and on the command line. */
  readonly name: string;
  /** The name of the library on pages. */
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
  /** The library that the address names; any other text stands for the default. */
  readonly library: string | undefined;
  /** The path of the page. */
  readonly path: string;
  /** The `id` of the section, to which a tab leads. */
  readonly section: string;
}

/** The tabs, and the settings of the chosen one. */
export function ClientSnippets(
  { settings, library, path, section }: ClientSnippetsProps,
): VNode | null {
  const chosen = settings.find(({ name }) => name === library) ?? settings.find(({ text }) => text !== undefined) ??
    settings[0];
  if (chosen === undefined) return null;
  const { text, placement, notes } = chosen;
  return (
    <>
      <nav class="tabs" aria-label="Client libraries">
        {settings.toSorted((a, b) => Number(a.text === undefined) - Number(b.text === undefined)).map((snippet) => (
          <a
            key={snippet.library}
            href={`${path}?connect=${snippet.name}#${section}`}
            aria-current={snippet === chosen ? "true" : undefined}
          >
            {snippet.library}
            {snippet.text === undefined && <span class="unseen">, does not support this client</span>}
          </a>
        ))}
      </nav>
      {text === undefined ? <p>{chosen.library} does not support this client. {notes.join(" ")}</p> : (
        <>
          <p class="aside">{placement}</p>
          <div class="box">
            <pre class="wire"><CodeText text={text} /></pre>
            <CopyButton description={`the settings for ${chosen.library}`} />
          </div>
          {notes.map((note) => <p key={note} class="aside">{note}</p>)}
        </>
      )}
    </>
  );
}
