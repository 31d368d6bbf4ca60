/** Other spellings of an issuer, which are the same URL (RFC 3986 §6.2). */

/** Spellings by name: `slash` at the end, `case` of the host, `port` with a leading zero or as the default one. */
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
