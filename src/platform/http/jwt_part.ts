/** Reads a JWT in a message without verifying it. */

/** Header (0) or claims (1) of a JWT, unverified; empty if the text is not a JWT. */
export function decodeJwtPart(jwt: string, part: 0 | 1): Readonly<Record<string, unknown>> {
  const encoded = jwt.split(".", 2)[part];
  // An exception takes longer than all other work for a request.
  if (!encoded) return {};
  try {
    const binary = atob(encoded.replaceAll("-", "+").replaceAll("_", "/"));
    const decoded = JSON.parse(new TextDecoder().decode(Uint8Array.from(binary, (byte) => byte.charCodeAt(0))));
    return typeof decoded === "object" && decoded !== null ? decoded : {};
  } catch {
    return {};
  }
}
