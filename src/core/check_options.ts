/** The mistakes in options with which a server does not start. */

import type { ConfigIssue } from "./configuration_error.ts";
import type { CoreOptions } from "./core_options.ts";
import type { Policy } from "./policy.ts";
import { quoteValue } from "./quote_value.ts";
import { isUndottedScheme } from "./redirect_uri.ts";
import { allowsHttp, type LocalUrls } from "./test_hosts.ts";

/** All issues of the options. */
export function findOptionIssues(
  { issuer, clients, users, approver }: CoreOptions,
  { allows }: Pick<Policy, "allows">,
): ConfigIssue[] {
  const issues: ConfigIssue[] = [];
  const add = (path: string, expected: string, received: unknown, hint: string) =>
    void issues.push({ path, expected, received: quoteValue(received), hint });
  const url = URL.canParse(issuer) ? new URL(issuer) : undefined;
  if (url === undefined || !/^https?:$/.test(url.protocol) || issuer !== url.origin + url.pathname.replace(/\/$/, "")) {
    add(
      "issuer",
      "an absolute URL in its normal form",
      issuer,
      "Write it as https://host, without a slash at its end.",
    );
  } else if (url.protocol === "http:" && !allows.openLogin) {
    add("issuer", "https, or http on a test host such as localhost", issuer, "Use https.");
  }
  if (approver === undefined && !allows.openLogin) {
    add("approver", "a function, because the issuer is not on a test host", undefined, "Pass one that logs users in.");
  }
  findDuplicates(
    clients.map(({ client_id }) => client_id),
    (i, id) => add(`clients[${i}].client_id`, "an id that no other client has", id, "Choose another."),
  );
  findDuplicates(
    users.map(({ sub }) => sub),
    (i, sub) => add(`users[${i}].sub`, "a subject that no other user has", sub, "Choose another."),
  );
  for (const [i, { redirect_uris = [] }] of clients.entries()) {
    for (const [j, uri] of redirect_uris.entries()) {
      if (isRedirectUri(uri, allows.localUrls)) continue;
      const expected = "an absolute URL without a fragment: https, http on this machine, or com.example.app:/callback";
      add(`clients[${i}].redirect_uris[${j}]`, expected, uri, "Register the URL that the client sends.");
    }
  }
  return issues;
}

/** Calls the function for each value that is empty, or that another one before it equals. */
function findDuplicates(values: readonly string[], found: (index: number, value: string) => void): void {
  for (const [i, value] of values.entries()) if (!value || values.indexOf(value) < i) found(i, value);
}

function isRedirectUri(uri: string, localUrls: LocalUrls): boolean {
  if (!URL.canParse(uri) || uri.includes("#")) return false;
  const { protocol, hostname } = new URL(uri);
  if (protocol === "https:") return true;
  return protocol === "http:" ? allowsHttp(hostname, localUrls) : !isUndottedScheme(uri);
}
