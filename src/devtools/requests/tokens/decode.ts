/** Decodes a token (RFC 7515 §7.1, RFC 7516 §7.1) as far as possible, and says why no further. */

import { parseJsonObject } from "../../../platform/http/json_body.ts";
import { findFormProblem } from "../../../platform/jwt/jwt_policies.ts";
import { decodeBase64url } from "../../../core/keys/crypto.ts";

/** Members of a JSON object. */
export type Members = Readonly<Record<string, unknown>>;

/** What is wrong with the form of a token. */
export interface FormProblem {
  readonly expected: string;
  readonly received: string;
  readonly fix: string;
}

export interface DecodedToken {
  /** `opaque`: it does not look like a JWT at all. */
  readonly form: "signed" | "encrypted" | "opaque";
  /** The JWT alone, without the disclosures of an SD-JWT. */
  readonly jwt: string;
  readonly header?: Members;
  readonly claims?: Members;
  readonly problem?: FormProblem;
}

/** Decodes a token. It never throws. */
export function decodeToken(token: string): DecodedToken {
  const jwt = token.startsWith("eyJ") ? token.split("~", 1)[0]! : token;
  const parts = jwt.split(".");
  const header = decodePart(parts[0]!);
  const claims = decodePart(parts[1] ?? "");
  if (header === undefined && claims === undefined && !jwt.startsWith("eyJ")) return { form: "opaque", jwt };
  if (parts.length === 5) return { form: "encrypted", jwt, header };
  return { form: "signed", jwt, header, claims, problem: findProblem(jwt, parts, header, claims) };
}

function findProblem(
  jwt: string,
  parts: readonly string[],
  header: Members | undefined,
  claims: Members | undefined,
): FormProblem | undefined {
  if (jwt.includes("…")) {
    return {
      expected: "the whole token",
      received: "a redacted text, with … in it",
      fix: "Show the secrets on the page that you copied the token from, then copy the whole token.",
    };
  }
  if (parts.length !== 3) {
    return {
      expected: "three parts separated by dots: header, claims, signature",
      received: parts.length === 1 ? "one part" : `${parts.length} parts`,
      fix: parts.length < 3 ? "Copy the whole token: its end is missing." : "Copy the token alone, without other text.",
    };
  }
  if (header === undefined || claims === undefined) {
    return {
      expected: `${header === undefined ? "header" : "claims"}: a JSON object as UTF-8 in base64url`,
      received: "other text, or text that is cut off",
      fix: "Copy the whole token, character for character.",
    };
  }
  // A token without a signature has another problem.
  if (parts[2] === "" || findFormProblem(jwt) === undefined) return undefined;
  return {
    expected: "base64url without padding, whose unused bits are zero (RFC 7515 §2)",
    received: "another encoding, such as standard base64 with +, / or =",
    fix: "Send the token as it was issued. If you issue it, use the URL-safe alphabet without padding.",
  };
}

/** Standard base64 is decoded, too: what the part contains helps the reader, even if no verifier accepts it. */
function decodePart(part: string): Members | undefined {
  const encoded = part.replaceAll("+", "-").replaceAll("/", "_").replace(/(?<!=)=+$/, "");
  try {
    return parseJsonObject(new TextDecoder("utf-8", { fatal: true }).decode(decodeBase64url(encoded)));
  } catch {
    return undefined;
  }
}
