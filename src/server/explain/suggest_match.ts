/** Suggests the registered client or redirect URI that is most similar to a rejected value. */

import { describeKnownIds } from "../clients/client_texts.ts";
import { findNearest } from "../../core/policy/suggest.ts";
import { compareTexts } from "../pages/compare_texts.ts";
import type { Explanation } from "../../core/rules/errors.ts";
import type { SuggestedMatch } from "../pages/rule_result.ts";
import type { Server } from "../../core/server.ts";

/** Maximum length of a compared value, in characters; a longer value is not a typing error. */
const maxInputLength = 512;

/** Maximum length of the differing part. Case, hyphens and underscores do not count. */
const maxDifferingCharacters = 2;

/** The suggestion for a rejection, for visitors who may see the clients; `undefined` if no value is similar. */
export function suggestMatch(
  server: Server,
  { rule, expected = "", received, change }: Explanation,
): SuggestedMatch | undefined {
  if (received === undefined || received.length > maxInputLength) return undefined;
  const uri = suggestUri({ rule, expected, received });
  if (uri !== undefined) return uri;
  if (rule !== "AZ-02") return undefined;
  const { nearest } = describeKnownIds(server, received);
  if (nearest === undefined) return undefined;
  if (change === undefined) return { text: nearest };
  return { text: nearest, fix: `Send client_id=${nearest}. If ${received} is another application, register it.` };
}

/** The registered URI that is most similar to a rejected one. */
export function suggestUri({ rule, expected = "", received }: Pick<Explanation, "rule" | "expected" | "received">):
  | SuggestedMatch
  | undefined {
  const isUri = rule === "RU-01" || rule === "LO-03";
  if (!isUri || received === undefined || received.length > maxInputLength) return undefined;
  return closestUri(received, expected.split(" or "));
}

/** The length of the longer text without the common prefix and suffix. Linear time, unlike an edit distance. */
function differingLength(first: string, second: string): number {
  const shorter = Math.min(first.length, second.length);
  let start = 0;
  while (start < shorter && first[start] === second[start]) start++;
  let end = 0;
  while (end < shorter - start && first.at(-1 - end) === second.at(-1 - end)) end++;
  return Math.max(first.length, second.length) - start - end;
}

/** The parts of a URI, as properties of URL and as names of RFC 3986 §3. */
const uriParts = [["protocol", "scheme"], ["hostname", "host"], ["port", "port"], ["pathname", "path"], [
  "search",
  "query",
]] as const;

/** How the received URI differs: in one part, or in its spelling if both are equivalent. */
const differences: Readonly<Record<typeof uriParts[number][1] | "spelling", string>> = {
  scheme: "The two URIs differ only in the scheme.",
  host: "The two URIs differ only in the host.",
  port:
    "The two URIs differ only in the port. The port may vary for 127.0.0.1 and [::1], and for localhost if the client " +
    "is public or native; with https only where the issuer is on a test host.",
  path: "The two URIs differ only in the path.",
  query: "The two URIs differ only in the query.",
  spelling: "The two URIs lead to the same page, but the server compares URIs character by character.",
};

/** The URI that differs in one part or in two; otherwise the URI that differs in a few characters. */
function closestUri(received: string, registered: readonly string[]): SuggestedMatch | undefined {
  const candidates = registered.filter((uri) => URL.canParse(uri)).map((uri) => ({
    uri,
    differing: differingParts(received, uri),
  }));
  const closest = [0, 1].flatMap((count) => candidates.find(({ differing }) => differing?.length === count) ?? [])[0];
  if (closest !== undefined) {
    const part = closest.differing![0] ?? "spelling";
    // Words about the characters say more than the name of a path or query.
    const hasWords = compareTexts(closest.uri, received)?.words !== undefined;
    const difference = hasWords && (part === "path" || part === "query") ? undefined : differences[part];
    return { text: closest.uri, difference };
  }
  const text = findNearest(received, candidates.map(({ uri }) => uri), maxDifferingCharacters, differingLength) ??
    candidates.find(({ uri, differing }) => differing?.length === 2 && compareTexts(uri, received) !== undefined)?.uri;
  return text === undefined ? undefined : { text };
}

/** The names of the differing parts; `undefined` if the first text is not a URI, or has a fragment or credentials. */
function differingParts(first: string, second: string): (typeof uriParts[number][1])[] | undefined {
  if (!URL.canParse(first)) return undefined;
  const [a, b] = [new URL(first), new URL(second)];
  if (a.hash !== "" || a.username !== "" || a.password !== "") return undefined;
  return uriParts.flatMap(([key, name]) => a[key] === b[key] ? [] : [name]);
}
