/** What somebody probably meant who was refused: the registered client or URI that is nearest to what was sent. */

import type { OAuthError } from "../oauth/errors.ts";
import type { Context } from "./context.ts";
import { isTrustedHost } from "./host_check.ts";
import type { SuggestedMatch } from "../ui/error_page.tsx";

/** Longer texts are no slips of the finger. */
const maxInputLength = 512;

/** As many letters in a row may differ, case, hyphens and underscores not counted. */
const maxDifferingCharacters = 2;

/** `undefined` if nothing is similar, or if the visitor may not see the list of clients. */
export function suggestMatch(context: Context, error: OAuthError): SuggestedMatch | undefined {
  const { rule, expected = "", received } = error.explain();
  if (received === undefined || received.length > maxInputLength || !mayListClients(context)) return undefined;
  if (rule === "RU-01" || rule === "LO-03") return closestUri(received, expected.split(" or "));
  if (rule !== "AZ-02") return undefined;
  const text = closestText(received, context.server.clients.allCached().map(({ id }) => id));
  return text === undefined ? undefined : { text };
}

/** Whether there is a list of clients for whoever asks: the header of every page leads to it where there is one. */
export function mayListClients({ server, site, request }: Context): boolean {
  const isListed = site.links?.some(({ path }) => path === "/clients") === true;
  return isListed && isTrustedHost(server.issuer, request);
}

/** The known text that differs least, and only in a few letters in a row, fewer than half of what was written. */
function closestText(received: string, candidates: readonly string[]): string | undefined {
  const normalizedInput = normalize(received);
  let closest: string | undefined;
  let smallestDifference = Math.min(maxDifferingCharacters, Math.floor(normalizedInput.length / 2)) + 1;
  for (const text of candidates) {
    const difference = differingLength(normalizedInput, normalize(text));
    if (difference < smallestDifference) [closest, smallestDifference] = [text, difference];
  }
  return closest;
}

function normalize(text: string): string {
  return text.toLowerCase().replaceAll(/[-_]/g, "");
}

/** How much is left of the longer text without what both begin and end with: one pass, whatever was sent. */
function differingLength(first: string, second: string): number {
  const shorter = Math.min(first.length, second.length);
  let start = 0;
  while (start < shorter && first[start] === second[start]) start++;
  let end = 0;
  while (end < shorter - start && first.at(-1 - end) === second.at(-1 - end)) end++;
  return Math.max(first.length, second.length) - start - end;
}

/** The parts of a URI, in the words of RFC 3986 §3. */
const uriParts = [["protocol", "scheme"], ["hostname", "host"], ["port", "port"], ["pathname", "path"], [
  "search",
  "query",
]] as const;

/** The URI that differs in one part alone, or else in a few letters. */
function closestUri(received: string, registered: readonly string[]): SuggestedMatch | undefined {
  const candidates = registered.filter((uri) => URL.canParse(uri)).map((uri) => ({
    uri,
    differing: differingParts(received, uri),
  }));
  const closest = candidates.find(({ differing }) => differing?.length === 0) ??
    candidates.find(({ differing }) => differing?.length === 1);
  if (closest !== undefined) {
    const isSlash = `${received}/` === closest.uri || received === `${closest.uri}/`;
    return { text: closest.uri, difference: isSlash ? "slash" : closest.differing![0] ?? "spelling" };
  }
  const text = closestText(received, candidates.map(({ uri }) => uri));
  return text === undefined ? undefined : { text };
}

/** The names of the parts in which two URIs differ; `undefined` where one is none, or has more than these parts. */
function differingParts(first: string, second: string): NonNullable<SuggestedMatch["difference"]>[] | undefined {
  if (!URL.canParse(first)) return undefined;
  const [a, b] = [new URL(first), new URL(second)];
  if (a.hash !== "" || a.username !== "" || a.password !== "") return undefined;
  return uriParts.flatMap(([key, name]) => a[key] === b[key] ? [] : [name]);
}
