/** Which URLs may be the `client_id` of a metadata document. */

import { isLoopback } from "../../../core/http/test_hosts.ts";
import { allowsLocalFetch, type FetchPolicy } from "../../fetching/outbound.ts";
import { reject, type WrongDocumentUrl } from "./rules.ts";

/** Maximum length, as for every client id. */
export const maxUrlLength = 256;

/** Patterns of rejected URLs, in the order of the checks. */
const problems: readonly { readonly pattern: RegExp; readonly problem: WrongDocumentUrl["problem"] }[] = [
  { pattern: /[^\x21-\x7E]/, problem: "characters" },
  { pattern: /\\/, problem: "backslash" },
  { pattern: /#/, problem: "fragment" },
  { pattern: /^https?:\/\/[^/?]*@/i, problem: "user" },
  { pattern: /^https?:\/\/[^/?]*(?:\?|$)/i, problem: "path" },
  { pattern: /^[^?]*\/(?:\.|%2e){1,2}(?:[/?]|$)/i, problem: "segments" },
];

/**
 * The URL of a metadata document: https, or http on the machine of a server that is on a loopback host itself.
 *
 * @param policy What decides about loopback hosts.
 * @throws {OAuthError} `invalid_client`, if a `client_id` may not be this URL.
 */
export function assertDocumentUrl(id: string, policy: FetchPolicy): URL {
  const url = id.slice(0, maxUrlLength);
  if (id.length > maxUrlLength) throw reject("MC-03", { url, problem: "length" });
  const found = problems.find(({ pattern }) => pattern.test(id));
  if (found !== undefined) throw reject("MC-03", { url, problem: found.problem });
  if (!URL.canParse(id)) throw reject("MC-03", { url, problem: "syntax" });
  const { protocol, hostname } = new URL(id);
  const isLocal = isLoopback(hostname) && allowsLocalFetch(policy, hostname, "loopback");
  if (protocol !== "https:" && !isLocal) throw reject("MC-03", { url, problem: "scheme" });
  // A URL must be in its serialized form: another spelling would identify another client on the same host. Only the
  // default port may be written out, as the draft allows (§3).
  const { href: normalForm } = new URL(id);
  if (normalForm === id.replace(/^(https:\/\/[^/?]+):443(?=\/)/, "$1")) return new URL(id);
  throw reject("MC-03", { url, problem: "spelling", normalForm });
}
