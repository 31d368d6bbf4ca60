/** What is wrong with the options of a check: those of the command, of the page of a client and of `latchkey mcp`. */

import { object, text, texts } from "../core/policy/field.ts";
import { quote } from "../server/config/config_issue.ts";
import type { ConfigIssue } from "../core/rules/configuration_error.ts";
import type { Client } from "../core/clients/clients.ts";
import { testHosts } from "../core/http/test_hosts.ts";
import { isTestUrl } from "../server/config/host_kinds.ts";
import { type ClientCheckOptions, findUnknown } from "./check_options.ts";

export const clientCheckField = object<ClientCheckOptions>(
  "ClientCheckOptions",
  {
    client: text(["web"]),
    loginUrl: text(["http://localhost:3000/login"]),
    loggedInUrl: text(["http://localhost:3000/me"]),
    loggedInText: text(["Alice Adams"]),
    refreshUrl: text(["http://localhost:3000/refresh"]),
    apiUrl: text(["http://localhost:3000/orders"]),
    logoutUrl: text(["http://localhost:3000/logout"]),
    only: texts(["id-token"]),
    except: texts(["transport"]),
  },
  { client: "web", loginUrl: "http://localhost:3000/login", only: ["response"] },
  { required: ["client", "loginUrl"] },
);

export function notTestHost(issuer: string): ConfigIssue {
  return {
    path: "issuer",
    expected: `a test host (${testHosts}), because the server attacks its clients`,
    received: quote(issuer),
    hint: "Configure server and application with an issuer on a test host, such as http://localhost:9000.",
  };
}

/** The issues of a client that a page or a tool names. */
export function clientIssues(id: string, client: Client | undefined): ConfigIssue[] {
  if (client?.standing === "configured" && client.redirectUris.some(isTestUrl)) return [];
  return [{
    path: "client",
    expected: "the ID of a configured client with a redirect URI on a test host",
    received: client === undefined
      ? quote(id.slice(0, 256))
      : client.standing === "configured"
      ? "a client without such a redirect URI"
      : "a client that registered itself",
    hint: "Add the client to the configuration, or at /clients.",
  }];
}

/** SSRF: a visitor must not make the check request hosts that only this machine can reach. */
export function urlIssues(
  { loginUrl, loggedInUrl, refreshUrl, apiUrl, logoutUrl }: ClientCheckOptions,
  origins: ReadonlySet<string> | undefined,
): ConfigIssue[] {
  return Object.entries({ loginUrl, loggedInUrl, refreshUrl, apiUrl, logoutUrl }).flatMap(([path, url]) => {
    if (url === undefined || isTestUrl(url) && origins?.has(new URL(url).origin) !== false) return [];
    const [expected, hint] = origins === undefined
      ? [
        `an http or https URL on a test host (${testHosts})`,
        "Run the application on this machine, and write the URL like http://localhost:3000/login.",
      ]
      : [
        `a URL at ${[...origins].join(" or ")}, because other machines reach this server`,
        "Add a redirect URI at its origin to the client in the configuration.",
      ];
    return [{ path, expected, received: quote(url.slice(0, 256)), hint }];
  });
}

/** The issues of the names of attacks. */
export function nameIssues({ only = [], except = [] }: Pick<ClientCheckOptions, "only" | "except">): ConfigIssue[] {
  return Object.entries({ only, except }).flatMap(([path, names]) => {
    const unknown = findUnknown(names);
    if (unknown === undefined) return [];
    const { name, hint } = unknown;
    return [{
      path,
      expected: "attacks or categories, separated by commas or spaces",
      received: quote(name.slice(0, 80)),
      hint,
    }];
  });
}
