/** Callbacks with other parameters, in the query or in the form. */

import type { Callback } from "../../testing/browser/callback.ts";

/** The callback with other parameters; `undefined` removes one. */
export function withParameters(
  callback: Callback,
  parameters: Readonly<Record<string, string | undefined>>,
): Callback {
  const params = new URLSearchParams(callback.params);
  const url = new URL(callback.url);
  for (const [name, value] of Object.entries(parameters)) {
    for (const changed of callback.method === "GET" ? [params, url.searchParams] : [params]) {
      if (value === undefined) changed.delete(name);
      else changed.set(name, value);
    }
  }
  return { ...callback, ...parameters, url: url.href, params };
}
