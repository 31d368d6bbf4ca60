/** Rules of the pages for people and operators. */

import type { Rule } from "./rule.ts";

/** By ID, in the order of `tests/rules.md`. */
export const pageRules = {
  "UI-04": {
    passes: "the form was sent by the page that this browser was shown",
    fix: "Go back to the application, and begin again.",
    cites: ["RFC 9700 §4.7", "RFC 6819 §4.4.1.8"],
  },
  "UI-05": {
    fix: "Open the page at this server's own address, and send the form from there.",
    cites: [],
  },
  "UI-10": {
    fix: "Go back, and press one of the two buttons of the page.",
    cites: ["OAuth 2.1 §7.9"],
  },
  "UI-11": {
    passes: "the user allowed this client all of it before, and it can be no other program",
    cites: ["OAuth 2.1 §7.3.1"],
  },
  "UI-12": {
    fix: "Go back, and type name and password again.",
    cites: ["OAuth 2.1 §7.7"],
  },
  "UI-14": {
    passes: "the request waits for an answer from this very browser",
    fix: "Go back to the application, and begin again.",
    cites: [],
  },
  "UI-20": {
    fix: "Open the page at the issuer's address; a proxy in between must pass the Host header on unchanged.",
    cites: ["RFC 9700 §4.7"],
  },
  "DM-12": {
    fix: "Go back to the callback page, and press one of its buttons.",
    cites: [],
  },
  "DM-15": {
    fix: "Register that redirect URI for a client, in the configuration or on the page of the clients.",
    cites: [],
  },
  "DI-04": {
    fix: "Open the page at the issuer's address; a proxy in between must pass the Host header on unchanged.",
    cites: ["RFC 9700 §4.7"],
  },
  "FL-04": {
    fix: "Go back to the flows, and press one of the buttons there.",
    cites: ["RFC 9700 §4.7"],
  },
  "FL-05": {
    fix: "Open the page at the issuer's address; a proxy in between must pass the Host header on unchanged.",
    cites: [],
  },
  "FL-06": {
    fix: "Reload the page of the flows: it shows the same, only not by itself.",
    cites: [],
  },
} as const satisfies Readonly<Record<string, Rule>>;
