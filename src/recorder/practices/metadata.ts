/** Metadata and keys: how the client finds endpoints, and how often it fetches documents. */

import type { Exchange } from "../exchange.ts";
import { type Evidence, examineEach, type PracticeCheck, type PracticeDefinition, toEvidence } from "./practice.ts";
import { membersOf, type Recording, type Traffic } from "./traffic.ts";

/** The member of the metadata that has the URL of an endpoint. */
const metadataMembers: Readonly<Record<string, string>> = {
  authorize: "authorization_endpoint",
  token: "token_endpoint",
  jwks: "jwks_uri",
  userinfo: "userinfo_endpoint",
  revoke: "revocation_endpoint",
  introspect: "introspection_endpoint",
  par: "pushed_authorization_request_endpoint",
  register: "registration_endpoint",
  logout: "end_session_endpoint",
  device_authorization: "device_authorization_endpoint",
};

/** Paths that browsers and operators request by themselves. */
const conventionalPath = /^\/(?:favicon\.ico|robots\.txt|\.well-known\/.*)$|\/\.well-known\//;

/** The number of logins after which a client is expected to have cached the documents. */
const minLogins = 3;

export const metadataPractices: readonly PracticeDefinition[] = [
  {
    id: "metadata-followed",
    title: "The client sends requests only to the URLs in the metadata.",
    level: "required",
    sources: ["OpenID Connect Discovery §4", "oidcc-client-test-discovery-jwks-uri-keys"],
    occasion: "a metadata document and a request after it",
    check: ({ recordings }) => {
      const requests = recordings.flatMap((recording) =>
        recording.exchanges.flatMap((exchange) => {
          const document = documentBefore(recording, exchange);
          const member = metadataMembers[exchange.endpoint];
          const isConcerned = member !== undefined ||
            exchange.endpoint === "unknown" && !conventionalPath.test(exchange.request.path);
          return document === undefined || !isConcerned ? [] : [{ exchange, document, member }];
        })
      );
      return examineEach(requests, ({ exchange, document, member }) => {
        const { path } = exchange.request;
        const url = member === undefined ? undefined : membersOf(document)[member];
        if (typeof url === "string" && URL.canParse(url) && new URL(url).pathname === path) return undefined;
        return { because: `the metadata has no URL with the path ${path}`, others: [document] };
      });
    },
  },
  {
    id: "metadata-cached",
    title: "The client caches metadata and keys for a while, even if it receives an unknown kid.",
    level: "recommended",
    sources: ["RFC 9111 §4.2", "RFC 7517 §4.5"],
    occasion: "three logins",
    check: checkFetches,
  },
  {
    id: "discovery-in-order",
    title: "The client tries the metadata URLs in the order that MCP requires: RFC 8414 first, then OpenID Connect.",
    level: "required",
    sources: ["MCP authorization", "RFC 8414 §3.1"],
    occasion: "metadata requests of an MCP client",
    check: checkDiscoveryOrder,
  },
];

/** The exchange that fetched the newest metadata document before another exchange. */
function documentBefore({ exchanges }: Recording, { number }: Exchange): Exchange | undefined {
  return exchanges.findLast((exchange) =>
    exchange.endpoint === "discovery" && exchange.number < number && exchange.response?.status === 200
  );
}

function checkFetches({ recordings, facts }: Traffic): PracticeCheck {
  if (facts.opensBrowsers) return { seen: [], findings: [] };
  const seen: Exchange[] = [];
  const findings: Evidence[] = [];
  for (const { exchanges } of recordings) {
    const logins = exchanges.filter(({ endpoint, request }) =>
      endpoint === "token" &&
      request.form.some(([name, value]) => name === "grant_type" && value === "authorization_code")
    );
    if (logins.length < minLogins) continue;
    seen.push(...logins);
    for (const [endpoint, title] of [["discovery", "the metadata"], ["jwks", "the JWKS"]] as const) {
      const fetches = exchanges.filter((exchange) => exchange.endpoint === endpoint);
      if (fetches.length < logins.length) continue;
      const because = `the client fetched ${title} ${fetches.length} times for ${logins.length} logins`;
      findings.push(toEvidence({ exchange: fetches.at(-1)! }, { because, others: fetches.slice(0, -1) }));
    }
  }
  return { seen, findings };
}

/** The order in which MCP clients try the forms of metadata. */
function positionOf(path: string): number {
  if (path.startsWith("/.well-known/oauth-authorization-server")) return 0;
  return path.startsWith("/.well-known/openid-configuration") ? 1 : 2;
}

function checkDiscoveryOrder({ recordings }: Traffic): PracticeCheck {
  const requests = recordings.flatMap(({ exchanges }) => {
    const isMcpClient = exchanges.some(({ endpoint }) => endpoint === "resource_metadata" || endpoint === "resource");
    const isMetadata = ({ request: { path } }: Exchange) =>
      /\/\.well-known\/(?:oauth-authorization-server|openid-configuration)/.test(path);
    const attempts = isMcpClient ? exchanges.filter(isMetadata) : [];
    return attempts.map((exchange, index) => ({ exchange, earlier: attempts[index - 1] }));
  });
  return examineEach(requests, ({ exchange, earlier }) => {
    const position = positionOf(exchange.request.path);
    // After a document, a new search begins.
    const isFirst = earlier === undefined || earlier.response?.status === 200;
    if (isFirst) {
      return position === 0 ? undefined : { because: `the first URL is ${exchange.request.path}` };
    }
    return position >= positionOf(earlier.request.path)
      ? undefined
      : { because: `${exchange.request.path} is tried after ${earlier.request.path}`, others: [earlier] };
  });
}
