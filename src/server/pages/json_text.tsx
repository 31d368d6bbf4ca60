/** @jsxImportSource preact */
/** JSON and JWTs in colour, with secrets masked. */

import type { VNode } from "preact";
import { type Secret, TextWithSecrets } from "./secret_value.tsx";

/** JSON with coloured names, numbers and literals. The text stays as it is. */
export function JsonText(
  { text, secrets = [] }: { readonly text: string; readonly secrets?: readonly Secret[] },
): VNode {
  // Strings first, so that nothing inside a string is taken for a number. A string that is not closed ends with the
  // text, so that the text is read once.
  const pieces = text.split(/("(?:[^"\\]|\\(?:[^]|$))*(?:"(?:\s*:)?|$)|-?\d[\d.eE+-]*|\b(?:true|false|null)\b)/);
  return (
    <>
      {pieces.map((piece, i) => {
        const shown = <TextWithSecrets text={piece} secrets={secrets} />;
        if (i % 2 === 0) return shown;
        if (piece.endsWith(":")) {
          return (
            <>
              <span key={i} class="key">{shown}</span>
              <wbr />
            </>
          );
        }
        return piece.startsWith('"') ? shown : <span key={i} class="literal">{shown}</span>;
      })}
    </>
  );
}
