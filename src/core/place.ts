/** Where the rows of extensions stand in a table of the core. */

/** @internal A place beside or instead of a row of the core, or at the end. */
export type Place<Name extends string = string> =
  | { readonly after: Name }
  | { readonly before: Name }
  | { readonly instead: Name }
  | "last";

/** A place as text: `last`, or a word and the name of a row, such as `after AZ-07`; empty without a place. */
export function placeText(place: Place | undefined): string {
  return place === "last" ? place : Object.entries(place ?? {}).map(([word, name]) => `${word} ${name}`).join();
}

export function replacedName(place: Place | undefined): string | undefined {
  return typeof place === "object" && "instead" in place ? place.instead : undefined;
}

export function placesOf(names: readonly string[]): string {
  return names.length === 0 ? '"last"' : `"last", or one of before, after and instead with one of ${names.join(", ")}`;
}

/** Whether there is such a place. A row with any other would be left out. */
export function isPlace(place: Place | undefined, names: readonly string[]): boolean {
  const text = placeText(place);
  return text === "last" || names.some((name) => [`before ${name}`, `after ${name}`, `instead ${name}`].includes(text));
}

/**
 * The rows of the core, with added ones in their places.
 *
 * @param usual The place of rows that name none. Default: after the rows of the core.
 */
export function withRows<Row extends { readonly place?: Place }>(
  own: readonly Row[],
  added: readonly Row[],
  nameOf: (row: Row) => string | undefined,
  usual?: Place,
): readonly Row[] {
  const places = added.map(({ place = usual }) => placeText(place));
  const addedAt = (place: string) => added.filter((_, i) => places[i] === place);
  const withAdded = own.flatMap((row) => {
    const name = nameOf(row);
    const replacements = addedAt(`instead ${name}`);
    return [
      ...addedAt(`before ${name}`),
      ...replacements.length > 0 ? replacements : [row],
      ...addedAt(`after ${name}`),
    ];
  });
  return [...withAdded, ...addedAt(""), ...addedAt("last")];
}
