/** Texts of the rules of client ID metadata documents, and of the fetches that clients cause. */

import { maxUrlLength } from "./document_url.ts";
import type { RejectionTexts, RuleTexts } from "../../explain/rule_text.ts";
import type { clientDocumentRules, InvalidDocument, UnfetchedDocument, WrongDocumentUrl } from "./rules.ts";

const expectedUrls: Readonly<Record<Exclude<WrongDocumentUrl["problem"], "spelling">, string>> = {
  length: `a URL of at most ${maxUrlLength} characters`,
  characters: "a URL without spaces, control characters and characters outside of ASCII",
  backslash: "a URL without a backslash",
  fragment: "a URL without a fragment",
  scheme: "an https URL, or an http URL of this machine at a server on a loopback host",
  user: "a URL without user and password",
  path: "a URL with a path: at least a slash after the host",
  segments: "a URL without the path segments . and ..",
  syntax: "a URL",
};

/** Explains a document with a value that a client may not have. */
export function explainInvalidDocument({ path, expected, received }: InvalidDocument) {
  return {
    reason: `the metadata document of the client is invalid: ${path}`,
    expected: `${path}: ${expected}`,
    received: `${path}: ${received}`,
    fix: `Correct ${path} of the metadata document: ${expected}.`,
  } satisfies RejectionTexts;
}

function explainUnfetched({ expected, received, fix }: UnfetchedDocument): RejectionTexts {
  return { expected, received, fix };
}

/** By ID, in the order of `tests/rules.md`. */
export const clientDocumentTexts = {
  "MC-03": {
    fix: "Use an https URL with a path as client_id, written as a browser would show it, and without a fragment.",
    explain: ({ url, problem, normalForm }) => ({
      expected: problem === "spelling" ? `the URL in its normal form, ${normalForm}` : expectedUrls[problem],
      received: url,
    }),
  },
  "MC-04": {
    passes: "client_id is the URL of a valid metadata document",
    fix:
      "Publish the metadata at exactly this URL: status 200, application/json, client_id equal to the URL, redirect_uris, and token_endpoint_auth_method none or private_key_jwt.",
    explain: (facts) => "path" in facts ? explainInvalidDocument(facts) : explainUnfetched(facts),
  },
  "MC-05": {
    fix: "Publish the document on a host with a public address, or let the operator add its host to privateHosts.",
    explain: explainUnfetched,
  },
  "MC-06": {
    fix:
      "Use a redirect URI on the host of the client_id; otherwise the consent page, if the server has one, appears at every login.",
  },
} as const satisfies RuleTexts<typeof clientDocumentRules>;
