/** Replaces the secrets of exchanges wherever they occur again. */

/** The secrets of exchanges with their labels. */
export type Secrets = ReadonlyMap<string, string>;

/** Returns the mask of a secret; `label` is its kind, such as `code`. */
export type Mask = (value: string, label: string) => string;

/** Minimum length of a secret to search for in other text, in characters. Shorter ones are hidden where declared. */
const minSearchedChars = 8;

/** Characters to compare of a longer secret. If only these match, the text is hidden to the end of the word. */
const maxComparedChars = 64;

/** Maximum number of secrets with the same start to compare. If there are more, the rest of the text is hidden. */
const maxSameStart = 32;

/** Creates a function that replaces every secret in a text, in one pass, by an index of their first characters. */
export function secretReplacer(secrets: Secrets, mask: Mask): (text: string) => string {
  const byStart = new Map<string, string[]>();
  for (const value of secrets.keys()) {
    if (value.length < minSearchedChars || value.startsWith("eyJ")) continue;
    const start = value.slice(0, minSearchedChars);
    byStart.set(start, [...byStart.get(start)?.slice(0, maxSameStart) ?? [], value]);
  }
  // The longest first, because one secret may begin with another.
  for (const sameStart of byStart.values()) sameStart.sort((first, second) => second.length - first.length);
  return (text) => {
    let result = "";
    let from = 0;
    for (let at = 0; byStart.size > 0 && at + minSearchedChars <= text.length; at++) {
      const sameStart = byStart.get(text.slice(at, at + minSearchedChars));
      if (sameStart === undefined) continue;
      if (sameStart.length > maxSameStart) return result + text.slice(from, at) + mask(text.slice(at), "value");
      const secret = sameStart.find((value) => text.startsWith(value.slice(0, maxComparedChars), at));
      if (secret === undefined) continue;
      const end = text.startsWith(secret, at) ? at + secret.length : at + text.slice(at).search(/[\s&"<>]|$/);
      result += text.slice(from, at) + mask(text.slice(at, end), secrets.get(secret)!);
      from = end;
      at = end - 1;
    }
    return result + text.slice(from);
  };
}
