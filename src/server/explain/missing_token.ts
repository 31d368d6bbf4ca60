/** Explains a request to a protected resource that has no access token. */

import type { MissingToken } from "../../core/rules/openid.ts";
import type { RejectionTexts } from "./rule_text.ts";

const received = {
  absent: "no token",
  "of another scheme": "another Authorization header",
  malformed: "a malformed token",
};

export function explainMissingToken({ header, place, tooLong, schemes }: MissingToken): RejectionTexts {
  return {
    expected: schemes.includes("Bearer")
      ? `Authorization: ${schemes.map((scheme) => `${scheme} TOKEN`).join(", or ")}`
      : describeBoundToken(schemes[0]!),
    received: tooLong !== undefined
      ? `a token of ${tooLong} characters`
      : place !== undefined
      ? `a token in the ${place}, where it is not accepted`
      : received[header],
    fix: place === "query" ? "Send the token in the header Authorization, not in the query." : undefined,
  };
}

/** The headers of a request with a token that is bound to a key. */
export function describeBoundToken(scheme: string): string {
  return `Authorization: ${scheme} TOKEN, and a proof in the header ${scheme}`;
}
