/** What is wrong with the client secret of a rejected request, where the page may say it. */

import { isLoopback } from "../../core/http/test_hosts.ts";
import { constantTimeEqual, digest } from "../../core/keys/secrets.ts";
import type { Server } from "../../core/server.ts";
import type { Exchange } from "../../recorder/exchange.ts";
import { findBasicCredentials } from "../../recorder/record_request.ts";
import { fieldValue } from "./labels.ts";

/** What copies and files add at the ends of a value. */
const additions: ReadonlyMap<string, string> = new Map([
  ...["\r", "\n"].map((character) => [character, "a newline"] as const),
  ...[" ", "\t"].map((character) => [character, "white space"] as const),
]);

/** A value without what was added around it, and the names of that. Any value takes time by its length. */
function withoutAdditions(text: string): { readonly rest: string; readonly names: ReadonlySet<string> } {
  const names = new Set<string>();
  let [start, end] = [0, text.length];
  while (start < end) {
    const [first, last] = [text[start]!, text[end - 1]!];
    if (additions.has(last)) {
      names.add(`${additions.get(last)} at its end`);
      end--;
    } else if (additions.has(first)) {
      names.add(`${additions.get(first)} at its beginning`);
      start++;
    } else if (end - start > 1 && first === last && `"'`.includes(first)) {
      names.add("quotation marks around it");
      start++;
      end--;
    } else break;
  }
  return { rest: text.slice(start, end), names };
}

/**
 * Describes a wrong secret by its length and by what was added to it, never by its characters.
 *
 * @returns Nothing unless the issuer is on loopback, where only the sender of the secret reads the page.
 */
export async function describeSentSecret(
  { issuer, clients }: Server,
  { client, request, rejection }: Exchange,
): Promise<string | undefined> {
  const sent = findBasicCredentials(request)?.password ?? fieldValue(request.form, "client_secret");
  const isAboutSecret = rejection?.explanation.rule === "CA-07" && rejection.explanation.expected === undefined;
  if (!isAboutSecret || !sent || client === undefined || !isLoopback(new URL(issuer).hostname)) return undefined;
  const expected = await (await clients.registered.find(client))?.secretDigest;
  if (expected === undefined) return undefined;
  const { rest, names } = withoutAdditions(sent);
  const length = (text: string) => text.length === 1 ? "1 character" : `${text.length} characters`;
  const added = [...names].join(" and ");
  if (added === "") {
    return `The secret that was sent has ${length(sent)}, without white space or quotation marks around it.`;
  }
  return constantTimeEqual(await digest(rest), expected)
    ? `The secret that was sent is the registered one with ${added}: ${length(sent)} instead of ${rest.length}.`
    : `The secret that was sent has ${length(sent)}, with ${added}.`;
}
