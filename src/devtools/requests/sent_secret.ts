/** What is wrong with the client secret of a rejected request, where the page may say it. */

import { isLoopback } from "../../core/test_hosts.ts";
import { constantTimeEqual, digest } from "../../core/secrets.ts";
import type { Server } from "../../core/server.ts";
import type { Exchange } from "../../recorder/exchange.ts";
import { findBasicCredentials } from "../../recorder/record_request.ts";
import { fieldValue } from "./labels.ts";

/** What copies and files add around a value. */
const additions: readonly { readonly name: string; readonly pattern: RegExp }[] = [
  { name: "a newline at its end", pattern: /[\r\n]+$/ },
  { name: "a newline at its beginning", pattern: /^[\r\n]+/ },
  { name: "a blank at its end", pattern: /[ \t]+$/ },
  { name: "a blank at its beginning", pattern: /^[ \t]+/ },
  { name: "quotation marks around it", pattern: /^(["'])(?=.*\1$)|(?<=^(["']).*)\2$/gs },
];

/**
 * Describes a wrong secret by its length and by what was added to it, never by its characters.
 *
 * @returns Nothing unless the issuer is on loopback, where who reads the page is who sent the secret.
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
  let rest = sent;
  const found: string[] = [];
  for (let before = ""; before !== rest;) {
    before = rest;
    for (const { name, pattern } of additions) {
      const shorter = rest.replace(pattern, "");
      if (shorter !== rest && !found.includes(name)) found.push(name);
      rest = shorter;
    }
  }
  const length = (text: string) => text.length === 1 ? "1 character" : `${text.length} characters`;
  const added = found.join(" and ");
  if (added === "") return `The secret that was sent has ${length(sent)}, without blanks or quotation marks around it.`;
  return constantTimeEqual(await digest(rest), expected)
    ? `The secret that was sent is the registered one with ${added}: ${length(sent)} instead of ${rest.length}.`
    : `The secret that was sent has ${length(sent)}, with ${added}.`;
}
