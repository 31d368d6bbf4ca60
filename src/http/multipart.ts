/** Parses `multipart/form-data` (RFC 7578): a form with a file. */

import { describeContentType, type Fields, readBodyText } from "./form.ts";
import { HttpError, type RequestLike } from "./message.ts";

/**
 * Reads the form in a request's body; the value of a file is its text.
 *
 * @param maxBytes Maximum size of the body, in bytes.
 * @throws {HttpError} 400 for another media type or an invalid form, 408, 413, 415 for a content coding.
 */
export async function readMultipart(request: RequestLike, maxBytes: number): Promise<Fields> {
  const type = request.headers.get("content-type") ?? "";
  const expected = "multipart/form-data";
  if (!/^multipart\/form-data[ \t]*;/i.test(type)) {
    const received = describeContentType(request);
    throw new HttpError(400, "FL-19", `The body must be ${expected}`, { expected, received });
  }
  const text = await readBodyText(request, maxBytes);
  try {
    const form = await new Response(text, { headers: { "content-type": type } }).formData();
    return await Promise.all(
      [...form].map(async ([name, value]) => [name, typeof value === "string" ? value : await value.text()] as const),
    );
  } catch {
    throw new HttpError(400, "FL-19", "The body is not a valid form", { expected });
  }
}
