/** Redirect URIs that only their host receives. */

/** Whether only the host of a URL receives what is sent there: it has https, and is not localhost. */
export function isPublicUri(uri: string): boolean {
  if (!URL.canParse(uri)) return false;
  const { protocol, hostname } = new URL(uri);
  return protocol === "https:" && hostname !== "localhost";
}
