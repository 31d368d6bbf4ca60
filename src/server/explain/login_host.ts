/** Whether a login began on another host than its callback, which then gets none of its cookies (RU-16). */

import type { RuleExplanation } from "../../core/rules/errors.ts";

/** The names of one machine in a browser. Each has its own cookies (RFC 6265 §5.1.3), whatever the port. */
const ownMachine = /^(?:localhost|127(?:\.\d{1,3}){3}|\[::1\]|0\.0\.0\.0)$/;

/**
 * The origin of the page that a request comes from, as `Origin` or `Referer` names it; `undefined` if neither does, or
 * if a redirect by another site shows that the login began there.
 */
export function findPageOrigin(headers: { get(name: string): string | null }): string | undefined {
  const page = ["origin", "referer"].map((name) => headers.get(name) ?? "")
    .find((value) => /^https?:/.test(value) && URL.canParse(value));
  if (page === undefined) return undefined;
  const { origin, hostname } = new URL(page);
  const host = headers.get("host")?.replace(/:\d+$/, "");
  const isRedirected = hostname === host && headers.get("sec-fetch-site") === "cross-site";
  return isRedirected ? undefined : origin;
}

/** Explains a login that began on another name of this machine than its callback, at the same port. */
export function explainLoginHost(
  { page, callback, issuer }: { readonly page: string; readonly callback: string; readonly issuer: string },
): RuleExplanation | undefined {
  if (!URL.canParse(callback)) return undefined;
  const [began, ends, server] = [new URL(page), new URL(callback), new URL(issuer)];
  const isOneProgram = (one: URL, other: URL) =>
    ownMachine.test(one.hostname) && ownMachine.test(other.hostname) && one.protocol === other.protocol &&
    one.port === other.port;
  if (!isOneProgram(began, ends) || began.hostname === ends.hostname || isOneProgram(began, server)) return undefined;
  return {
    rule: "RU-16",
    reason: `the login began on ${began.hostname}, but its callback is on ${ends.hostname}, which does not get the ` +
      `cookies of ${began.hostname}`,
    expected: ends.origin,
    received: began.origin,
  };
}
