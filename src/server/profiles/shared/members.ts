/** Members of objects, such as claims and the bodies of responses. */

import type { Members, ProviderResponse } from "../../config/provider_functions.ts";

/** The object without the named members. */
export function omit<T extends Members>(members: T, ...names: readonly string[]): T {
  return Object.fromEntries(Object.entries(members).filter(([name]) => !names.includes(name))) as T;
}

/** The members whose value is neither undefined nor null. */
export function defined(members: Members): Members {
  return Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined && value !== null));
}

/** A value as a text. An object, whose `toString` a user may have set, is a text as JSON. */
export function asText(value: unknown): string {
  return typeof value === "object" ? JSON.stringify(value) : String(value);
}

/** Whether the body of a response is a JSON object. */
export function hasObjectBody(response: ProviderResponse): response is ProviderResponse & { readonly body: Members } {
  return typeof response.body === "object" && response.body !== null;
}

/** The response with other members, if its body is a JSON object. */
export function withChangedBody(response: ProviderResponse, change: (members: Members) => Members): ProviderResponse {
  return hasObjectBody(response) ? { ...response, body: change(response.body) } : response;
}
