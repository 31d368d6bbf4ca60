/** Texts of the rules of the pages for users and operators, and of logins that pages continue. */

import type { LostLogin, pageRules } from "../rules/pages.ts";
import type { RuleTexts } from "./rule_text.ts";

const lostLogins: Readonly<Record<LostLogin, string>> = {
  unknown: "a login that this server does not know",
  expired: "a login that has expired",
  "finished a moment ago": "a login that was finished a moment ago",
  "client changed": "a login whose client was removed or changed",
  "other browser": "a login of another browser, or of a browser that blocks cookies",
  "stored request expired": "its stored request has expired",
};

/** By ID, in the order of `tests/rules.md`. */
export const pageTexts = {
  "UI-04": {
    passes: "the form has the CSRF token of this browser's page",
    fix: "Go back, reload the page and send the form again.",
    explain: ({ isMissing }) => ({
      expected: "the CSRF token of the page that this browser loaded last",
      received: isMissing ? "no CSRF token" : "another CSRF token",
    }),
  },
  "UI-05": {
    fix: "Open the page at the server's own address and submit the form there.",
  },
  "UI-10": {
    fix: "Go back and press one of the two buttons.",
    explain: () => ({ expected: "decision=allow or decision=deny", received: "neither" }),
  },
  "UI-11": { passes: "the user consented to this scope before, and no other program can impersonate the client" },
  "UI-12": {
    fix: "Go back and enter user name and password again.",
  },
  "UI-14": {
    passes: "the pending request belongs to this browser",
    fix: "Go back to the client and start again.",
    explain: (facts) =>
      "delivery" in facts
        ? { expected: "a login in a browser", received: `a login of the extension ${facts.delivery}` }
        : {
          expected: "a pending login of this browser",
          received: "finishedAt" in facts
            ? `a login that was finished at ${new Date(facts.finishedAt).toISOString()}`
            : lostLogins[facts.problem],
        },
  },
  "DM-12": {
    fix: "Go back to the page /authorized and press one of its buttons.",
    explain: ({ hasStep, hasClient, hasCode }) => ({
      expected: "a step, a code, and a client that has this page as its redirect URI",
      received: [
        ...hasStep ? [] : ["an unknown step"],
        ...hasClient ? [] : ["an unknown client"],
        ...hasCode ? [] : ["no code"],
      ].join(", "),
    }),
  },
  "DI-03": {
    fix: "Use a button of the page, or send its name and value.",
    explain: ({ expected, sent }) => ({ expected, received: sent ?? "nothing" }),
  },
  "FL-01": {
    fix: "Send outcome as done, rejected, pending or documents, or leave it out.",
  },
  "FL-03": {
    fix: "Read the list with a program on this machine, such as curl or the test.",
  },
  "FL-04": {
    fix: "Go back to the flows and press one of the buttons there.",
    explain: ({ expected, sent }) => ({ expected, received: sent ?? "nothing" }),
  },
  "FL-05": {
    fix: "Open the page at the issuer's address. A proxy in between must forward the Host header unchanged.",
  },
  "FL-06": {
    fix: "Reload the flows page. The page shows the same flows, without live updates.",
  },
  "TP-04": {
    fix: "Open the page at the issuer's address. A proxy in between must forward the Host header unchanged.",
  },
} as const satisfies RuleTexts<typeof pageRules>;
