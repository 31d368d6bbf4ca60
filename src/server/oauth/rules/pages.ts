/** Rules of the pages for users and operators. */

import type { Rule } from "./rule.ts";

/** By ID, in the order of `tests/rules.md`. */
export const pageRules = {
  "UI-04": {
    passes: "the form has the CSRF token of this browser's page",
    fix: "Go back, reload the page and send the form again.",
    cites: ["RFC 9700 §4.7", "RFC 6819 §4.4.1.8"],
  },
  "UI-05": {
    fix: "Open the page at the server's own address and submit the form there.",
    cites: [],
  },
  "UI-10": {
    fix: "Go back and press one of the two buttons.",
    cites: ["OAuth 2.1 §7.9"],
  },
  "UI-11": {
    passes: "the user consented to this scope before, and no other program can impersonate the client",
    cites: ["OAuth 2.1 §7.3.1"],
  },
  "UI-12": {
    fix: "Go back and enter user name and password again.",
    cites: ["OAuth 2.1 §7.7"],
  },
  "UI-14": {
    passes: "the pending request belongs to this browser",
    fix: "Go back to the client and start again.",
    cites: [],
  },
  "UI-20": {
    fix: "Open the page at the issuer's address. A proxy in between must forward the Host header unchanged.",
    cites: ["RFC 9700 §4.7"],
  },
  "UI-30": {
    fix:
      "Start the login from a page on a test host such as localhost, configure the client, or add the origin of the " +
      "page to the setting allowedOrigins.",
    cites: ["RFC 9700 §4.7"],
  },
  "DM-12": {
    fix: "Go back to the page /authorized and press one of its buttons.",
    cites: [],
  },
  "DM-15": {
    fix: "Register that redirect URI for a client, in the configuration or on the clients page.",
    cites: [],
  },
  "DI-03": {
    fix: "Use a button of the page, or send its name and value.",
    cites: [],
  },
  "DI-04": {
    fix: "Open the page at the issuer's address. A proxy in between must forward the Host header unchanged.",
    cites: ["RFC 9700 §4.7"],
  },
  "FL-01": {
    fix: "Send outcome as done, rejected, pending or documents, or leave it out.",
    cites: [],
  },
  "FL-03": {
    fix: "Read the list with a program on this machine, such as curl or the test.",
    cites: [],
  },
  "FL-04": {
    fix: "Go back to the flows and press one of the buttons there.",
    cites: ["RFC 9700 §4.7"],
  },
  "FL-05": {
    fix: "Open the page at the issuer's address. A proxy in between must forward the Host header unchanged.",
    cites: [],
  },
  "FL-06": {
    fix: "Reload the flows page. The page shows the same flows, without live updates.",
    cites: [],
  },
  "FL-17": {
    fix: "Reload the page of the flow: it shows the current status of each token.",
    cites: [],
  },
  "TP-04": {
    fix: "Open the page at the issuer's address. A proxy in between must forward the Host header unchanged.",
    cites: ["RFC 9700 §4.7"],
  },
} as const satisfies Readonly<Record<string, Rule>>;
