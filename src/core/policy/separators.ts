/** Lists whose values are separated by other characters than spaces. */

const otherSeparator = /[,;+|]/;

/**
 * The known values of a list that are not separated by spaces alone, such as `openid,profile`; `undefined` if no known
 * value is beside another separator.
 */
export function findJoinedValues(text: string, known: readonly string[]): readonly string[] | undefined {
  const isJoined = text.split(" ").some((word) =>
    otherSeparator.test(word) && word.split(otherSeparator).some((value) => known.includes(value))
  );
  // With spaces around it, the separator is a word of its own.
  if (!isJoined && !/ [,;+|] /.test(text)) return undefined;
  const values = text.split(/[ ,;+|]+/).filter((value) => known.includes(value));
  return values.length === 0 ? undefined : values;
}

/** The fix for such a list in a parameter of a request; `undefined` for any other list. */
export function separatorFix(name: string, text: string, known: readonly string[]): string | undefined {
  const values = findJoinedValues(text, known);
  if (values === undefined) return undefined;
  const inUrl = `${name}=${values.join("%20")}`;
  return `Separate the values of ${name} by spaces alone, in a URL as ${inUrl}; a library that encodes it turns + into %2B.`;
}
