/** What somebody probably meant who was refused: the registered client or URI that is nearest to what was sent. */

import type { Incoming } from "../http/message.ts";
import type { OAuthError } from "../oauth/errors.ts";
import type { Desk } from "./endpoint.ts";
import { isOwnHost } from "./host_check.ts";
import type { NearMiss } from "./pages.ts";

/** Longer texts are no slips of the finger. */
const longestSlip = 512;

/** As many letters in a row may differ, case, hyphens and underscores not counted. */
const longestDifference = 2;

/** `undefined` if nothing is similar, or if the visitor may not see the list of clients. */
export function findNearMiss(desk: Desk, request: Incoming | undefined, error: OAuthError): NearMiss | undefined {
  const { rule, expected = "", received } = error.explain();
  if (received === undefined || received.length > longestSlip || !mayListClients(desk, request)) return undefined;
  if (rule === "RU-01" || rule === "LO-03") return nearestUri(received, expected.split(" or "));
  if (rule !== "AZ-02") return undefined;
  const text = nearest(received, desk.server.clients.all().map(({ id }) => id));
  return text === undefined ? undefined : { text };
}

/** Whether there is a list of clients for whoever asks: the header of every page leads to it where there is one. */
export function mayListClients({ server, site }: Desk, request: Incoming | undefined): boolean {
  const isListed = site.links?.some(({ path }) => path === "/clients") === true;
  return isListed && request !== undefined && isOwnHost(server.issuer, request);
}

/** The known text that differs least, and only in a few letters in a row, fewer than half of what was written. */
export function nearest(written: string, known: readonly string[]): string | undefined {
  const slip = bare(written);
  let found: string | undefined;
  let least = Math.min(longestDifference, Math.floor(slip.length / 2)) + 1;
  for (const text of known) {
    const differing = differenceOf(slip, bare(text));
    if (differing < least) [found, least] = [text, differing];
  }
  return found;
}

function bare(text: string): string {
  return text.toLowerCase().replaceAll(/[-_]/g, "");
}

/** How much is left of the longer text without what both begin and end with: one pass, whatever was sent. */
function differenceOf(one: string, other: string): number {
  const shorter = Math.min(one.length, other.length);
  let start = 0;
  while (start < shorter && one[start] === other[start]) start++;
  let end = 0;
  while (end < shorter - start && one.at(-1 - end) === other.at(-1 - end)) end++;
  return Math.max(one.length, other.length) - start - end;
}

/** The parts of a URI, in the words of RFC 3986 §3. */
const parts = [["protocol", "scheme"], ["hostname", "host"], ["port", "port"], ["pathname", "path"], [
  "search",
  "query",
]] as const;

/** The URI that differs in one part alone, or else in a few letters. */
function nearestUri(written: string, known: readonly string[]): NearMiss | undefined {
  const others = known.filter((uri) => URL.canParse(uri)).map((uri) => ({
    uri,
    differing: differingParts(written, uri),
  }));
  const near = others.find(({ differing }) => differing?.length === 0) ??
    others.find(({ differing }) => differing?.length === 1);
  if (near !== undefined) {
    const isSlash = `${written}/` === near.uri || written === `${near.uri}/`;
    return { text: near.uri, difference: isSlash ? "slash" : near.differing![0] ?? "spelling" };
  }
  const text = nearest(written, others.map(({ uri }) => uri));
  return text === undefined ? undefined : { text };
}

/** The names of the parts in which two URIs differ; `undefined` where one is none, or has more than these parts. */
function differingParts(one: string, other: string): NonNullable<NearMiss["difference"]>[] | undefined {
  if (!URL.canParse(one)) return undefined;
  const [a, b] = [new URL(one), new URL(other)];
  if (a.hash !== "" || a.username !== "" || a.password !== "") return undefined;
  return parts.flatMap(([key, name]) => a[key] === b[key] ? [] : [name]);
}
