/** @jsxImportSource preact */
/** Settings for a library, which the address names: a page has the settings of one. */

import type { VNode } from "preact";
import type { ClientLibrary } from "../client_snippets/library.ts";
import { CodeText } from "../../../server/pages/code_text.tsx";
import { CopyButton } from "../../../server/pages/value.tsx";

/** Settings for one library, ready to paste. */
export interface ClientSnippet extends Pick<ClientLibrary, "name" | "library" | "placement"> {
  /** The settings; absent if the library does not support the client. */
  readonly text?: string;
  /** Notes, or why the text is absent: whole sentences. */
  readonly notes: readonly string[];
}

interface ClientSnippetsProps {
  readonly settings: readonly ClientSnippet[];
  /** The library that the address names; any other text stands for the default. */
  readonly library: string | undefined;
  readonly path: string;
  /** The `id` of the section, to which a choice leads. */
  readonly section: string;
  /** The rest of the query of the page. Default: none. */
  readonly query?: Iterable<readonly [name: string, value: string]>;
}

export function ClientSnippets(
  { settings, library, path, section, query = [] }: ClientSnippetsProps,
): VNode | null {
  const chosen = settings.find(({ name }) => name === library) ?? settings.find(({ text }) => text !== undefined) ??
    settings[0];
  if (chosen === undefined) return null;
  const { text, placement, notes } = chosen;
  return (
    <>
      <form class="ways" method="get" action={`${path}#${section}`}>
        {[...query].map(([name, value]) => <input key={name} type="hidden" name={name} value={value} />)}
        <div class="field">
          <label for="snippet">Library</label>
          <select id="snippet" name="connect">
            {settings.toSorted((a, b) => Number(a.text === undefined) - Number(b.text === undefined)).map((snippet) => (
              <option key={snippet.name} value={snippet.name} selected={snippet === chosen}>
                {snippet.library}
                {snippet.text === undefined && " (does not support this client)"}
              </option>
            ))}
          </select>
        </div>
        <button type="submit" class="button plain">Show</button>
      </form>
      {text === undefined ? <p>{chosen.library} does not support this client. {notes.join(" ")}</p> : (
        <>
          <p class="aside">{placement}</p>
          <div class="box">
            {/* Focusable, so that the keyboard scrolls it. */}
            <pre
              class="wire code"
              tabIndex={0}
              role="region"
              aria-label={`Settings for ${chosen.library}`}
            ><CodeText text={text} /></pre>
            <CopyButton description={`the settings for ${chosen.library}`} />
          </div>
          {notes.map((note) => <p key={note} class="aside">{note}</p>)}
        </>
      )}
    </>
  );
}
