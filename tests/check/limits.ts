/** Limits that a client of a server sets itself: the size of a body, and which hosts it connects to. */

/** Reads a body. @throws {Error} If it has more bytes than allowed; the rest is not read. */
export async function readText({ body }: Response, maxBytes = 1_000_000): Promise<string> {
  if (body === null) return "";
  const reader = body.getReader();
  const parts: Uint8Array[] = [];
  let size = 0;
  for (;;) {
    const { done, value } = await reader.read();
    if (done) break;
    parts.push(value);
    size += value.length;
    if (size <= maxBytes) continue;
    await reader.cancel();
    throw new Error(`the body has more than ${maxBytes} bytes`);
  }
  const bytes = new Uint8Array(size);
  let offset = 0;
  for (const part of parts) {
    bytes.set(part, offset);
    offset += part.length;
  }
  return new TextDecoder().decode(bytes);
}

/** Whether a URL names a host of an internal network. */
export function isInternal(url: string): boolean {
  const { hostname } = new URL(url);
  return /^(?:localhost|.*\.localhost|(?:127|10|169\.254|192\.168)\..*|\[::.*\])$/.test(hostname);
}
