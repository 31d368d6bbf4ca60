/** Limits that a client of a server sets itself: the size of a body, and which hosts it connects to. */

/** Reads a body. @throws {Error} If it has more bytes than allowed; the rest is not read. */
export async function readText({ body }: Response, maxBytes = 1_000_000): Promise<string> {
  const decoder = new TextDecoder();
  let [text, size] = ["", 0];
  for await (const part of body ?? []) {
    size += part.length;
    if (size > maxBytes) throw new Error(`the body has more than ${maxBytes} bytes`);
    text += decoder.decode(part, { stream: true });
  }
  return text + decoder.decode();
}

/** Whether a URL names a host of an internal network. */
export function isInternal(url: string): boolean {
  const { hostname } = new URL(url);
  return /^(?:localhost|.*\.localhost|(?:127|10|169\.254|192\.168)\..*|\[::.*\])$/.test(hostname);
}
