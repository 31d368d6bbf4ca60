/** Wrong texts that a careless comparison accepts. */

/** The near misses of a text: it begins or ends with the text, is a part of it, or has other letter case. */
export const nearMisses = ["prefixed", "extended", "shortened", "case"] as const;

/** A near miss of a text, or for any other name the text of another request. */
export function nearMissOf(text: string, how: string): string {
  // Without letters there is no other letter case.
  const swapped = text.replace(
    /\p{L}/gu,
    (letter) => letter === letter.toLowerCase() ? letter.toUpperCase() : letter.toLowerCase(),
  );
  const texts: Readonly<Record<string, string>> = {
    prefixed: `0${text}`,
    extended: `${text}0`,
    shortened: text.slice(0, -1),
    case: swapped === text ? `${text}0` : swapped,
    empty: "",
  };
  return texts[how] ?? "value-of-another-request";
}

/**
 * Other spellings of an issuer that are the same URL (RFC 3986 §6.2), by name: `slash` at the end, `case` of the host,
 * `port` with a leading zero or as the default one.
 */
export function equivalentIssuers(issuer: string): Readonly<Record<string, string>> {
  const { protocol, port } = new URL(issuer);
  return {
    slash: `${issuer}/`,
    case: issuer.replace(/(?<=:\/\/)[^/:]+/, (host) => host.toUpperCase()),
    port: port === ""
      ? issuer.replace(/(?<=:\/\/[^/]+)(?=\/|$)/, protocol === "https:" ? ":443" : ":80")
      : issuer.replace(`:${port}`, `:0${port}`),
  };
}

/**
 * Wrong issuers that a careless comparison accepts, by name: equivalent, shortened and extended ones.
 */
export function nearIssuers(issuer: string): Readonly<Record<string, string>> {
  return {
    ...equivalentIssuers(issuer),
    shortened: issuer.slice(0, -1),
    extended: `${issuer}.attacker.example`,
    path: `${issuer}/other`,
    other: "https://attacker.example",
  };
}
