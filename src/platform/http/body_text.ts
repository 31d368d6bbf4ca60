/** Reads bodies that are no forms. */

import { readText, rejectContentCoding } from "../../core/http/form.ts";
import type { RequestLike } from "../../core/http/message.ts";

/**
 * Reads a body that is not a form, such as JSON, as text.
 *
 * @param maxBytes Maximum size, in bytes. Default: {@link maxBodyBytes}.
 * @throws {HttpError} 400, 408, 413, 415 for a content coding.
 */
export async function readBodyText(request: RequestLike, maxBytes?: number): Promise<string> {
  rejectContentCoding(request);
  return await readText(request, maxBytes);
}
