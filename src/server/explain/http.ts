/** Texts of the rules of HTTP and of operation. */

import { type httpRules, knownPages } from "../../core/rules/http.ts";
import { configuredAndStoredFix } from "../clients/client_texts.ts";
import type { operationRules } from "../rules/operation.ts";
import type { RuleTexts } from "./rule_text.ts";

/** By ID, in the order of `tests/rules.md`. */
export const httpTexts = {
  "CA-12": {
    fix: "Correct the secret, and retry after the seconds in Retry-After.",
    explain: ({ seconds }) => ({ expected: `no attempt for ${seconds} seconds`, received: "another attempt" }),
  },
  "HT-01": {
    fix: "Check the URL. The home page lists every endpoint.",
  },
  "HT-07": {
    fix: "Send a smaller body.",
  },
  "HT-08": {
    fix:
      "Send the parameters as a form by POST, or shorten them: keep state short, and search in /flows for the error " +
      "message alone.",
  },
  "HT-09": {
    fix: "Send the whole body without pauses. Middleware in front of Latchkey must not consume it.",
  },
  "HT-10": {
    fix: "Percent-encode names and values as UTF-8.",
  },
  "HT-13": {
    fix: "Send the body uncompressed, without Content-Encoding.",
  },
  "HT-16": {
    fix: "Send the server's host and port in the Host header, and nothing else.",
  },
  "HT-20": {
    fix: "Send only the parameters of this URL.",
  },
  "HT-22": {
    fix: "Serve the page on a test host such as localhost, or add its origin to the setting allowedOrigins.",
  },
  "HT-23": {
    fix: "Send fewer requests, or use a client that the operator has registered with a secret or a key.",
    explain: ({ count }) => ({
      expected: "fewer requests of public and unknown clients from one network",
      received: `${count} in the last minutes`,
    }),
  },
  "HT-24": {
    fix: "Use a loopback host, or add the host to the setting issuerHosts.",
  },
  "HT-25": {
    fix: "Send a shorter token, or delete the cookies of this host: all ports share them.",
  },
  "OP-01": {
    fix: "Send fewer concurrent requests, or raise the limit of requests in flight.",
  },
  "OP-10": {
    fix: configuredAndStoredFix,
  },
  "UI-20": {
    fix: "Open the page at the issuer's address. A proxy in between must forward the Host header unchanged.",
  },
  "UI-30": {
    fix:
      "Start the login from a page on a test host such as localhost, configure the client, or add the origin of the page to the setting allowedOrigins.",
    explain: ({ page, frame, fix }) => ({
      fix,
      expected: frame === undefined ? `a redirect URI or a start of the login on ${knownPages}` : knownPages,
      received: frame === undefined ? page : `${page}, in a request for ${frame}`,
    }),
  },
  "DM-15": {
    fix:
      "Start the login in your application, or add that redirect URI to a client: on its page or in the configuration.",
  },
  "DI-04": {
    fix: "Open the page at the issuer's address. A proxy in between must forward the Host header unchanged.",
  },
} as const satisfies RuleTexts<typeof httpRules & typeof operationRules>;
