/** Reads JSON objects: from texts, and from the bodies of requests with limits for size, duration and depth. */

import { isDeeperThan, isObject } from "../../core/http/json_value.ts";
import { describeContentType, readText, rejectContentCoding } from "../../core/http/form.ts";
import { HttpError, type HttpRequest } from "../../core/http/message.ts";
import type { RuleId } from "../../core/rules/mod.ts";

/** Maximum depth of nested arrays and objects. Deeper values could exhaust the stack of a recursive function. */
const maxDepth = 16;

const expected = `a JSON object, such as {"name":"value"}, with double quotes and without comments or trailing commas`;

/** The media type of JSON in a header. */
export const jsonType = /^application\/json[ \t]*(?:;|$)/i;

/**
 * Reads the JSON object in a request's body.
 *
 * @param rule The ID of the rule that demands a JSON object.
 * @throws {HttpError} 400 for another media type or value, 408, 413, 415 for a content coding.
 */
export async function readJsonObject(
  request: HttpRequest,
  rule: RuleId,
): Promise<Readonly<Record<string, unknown>>> {
  if (!jsonType.test(request.headers.get("content-type") ?? "")) {
    throw new HttpError(400, rule, "The body must be application/json", {
      expected: "Content-Type: application/json",
      received: describeContentType(request),
    });
  }
  const text = await readBodyText(request);
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw new HttpError(400, rule, "The body must be a JSON object: it is not valid JSON", {
      expected,
      received: text === "" ? "an empty body" : `${text.length} characters that are no JSON`,
    });
  }
  if (!isObject(value)) {
    throw new HttpError(400, rule, "The body must be a JSON object", {
      expected,
      received: Array.isArray(value) ? "an array" : value === null ? "null" : `a ${typeof value}`,
    });
  }
  if (isDeeperThan(maxDepth, value)) {
    throw new HttpError(400, rule, `The JSON object must not have more than ${maxDepth} levels`);
  }
  return value;
}

/** The members of a JSON object; `undefined` if the text is anything else. */
export function parseJsonObject(text: string): Readonly<Record<string, unknown>> | undefined {
  try {
    const value = JSON.parse(text);
    return isObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

/**
 * Reads a body that is not a form, such as JSON, as text.
 *
 * @throws {HttpError} 400, 408, 413, 415 for a content coding.
 */
export async function readBodyText(request: HttpRequest): Promise<string> {
  rejectContentCoding(request);
  return await readText(request);
}
