/** Parses the location of a redirect. */

import { type Fields, parseFields } from "../../core/http/form.ts";

/** Parses a redirect into URI and parameters. Not by URL, because a redirect URI may have a private-use scheme. */
export function parseLocation(location: string): { readonly uri: string; readonly params: Fields } {
  const [withoutFragment = "", fragment = ""] = location.split("#", 2);
  const [uri = "", ...query] = withoutFragment.split("?");
  try {
    return { uri, params: [query.join("?"), ...fragment.includes("=") ? [fragment] : []].flatMap(parseFields) };
  } catch {
    return { uri, params: [] };
  }
}
