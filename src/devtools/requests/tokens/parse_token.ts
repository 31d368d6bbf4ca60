/** The parts of a token (RFC 7515 §7.1, RFC 7516 §7.1), decoded as far as possible, and why no further. */

import type { RuleResult } from "../../../server/oauth/explanation.ts";
import { parseJsonObject } from "../../../platform/http/message.ts";
import { findFormProblem } from "../../../server/oauth/keys/jwt_policies.ts";
import { digest } from "../../../server/oauth/secrets.ts";
import { decodeBase64url } from "../../../platform/runtime/crypto.ts";

/** Members of a JSON object. */
export type Members = Readonly<Record<string, unknown>>;

/** What is wrong with the form of a token. */
export type FormProblem = Pick<RuleResult, "expected" | "received" | "fix">;

/** A selectively disclosable claim (RFC 9901 §4.2). */
export interface Disclosure {
  /** Absent for an element of an array. */
  readonly name?: string;
  readonly value: unknown;
  /** Whether the token contains its digest. */
  readonly isListed: boolean;
}

export interface ParsedToken {
  /** `opaque`: it does not look like a JWT at all. */
  readonly form: "signed" | "encrypted" | "opaque";
  /** The JWT alone, without disclosures. */
  readonly jwt: string;
  readonly header?: Members;
  readonly claims?: Members;
  readonly disclosures: readonly Disclosure[];
  readonly problems: readonly FormProblem[];
}

/** Parses a token. It never throws. */
export async function parseToken(token: string): Promise<ParsedToken> {
  const [jwt = "", ...encodedDisclosures] = token.startsWith("eyJ") ? token.split("~") : [token];
  const parts = jwt.split(".");
  const header = decodePart("header", parts[0]!);
  const claims = decodePart("claims", parts[1] ?? "");
  if (header.members === undefined && claims.members === undefined && !jwt.startsWith("eyJ")) {
    return { form: "opaque", jwt, disclosures: [], problems: [] };
  }
  if (parts.length === 5) {
    return { form: "encrypted", jwt, header: header.members, disclosures: [], problems: header.problems };
  }
  const problems = [...parts.length === 3 ? [] : [wrongPartCount(parts.length)], ...header.problems];
  if (parts.length > 1) problems.push(...claims.problems);
  if (problems.length === 0 && parts[2] !== "" && findFormProblem(jwt) !== undefined) problems.push(notCanonical);
  return {
    form: "signed",
    jwt,
    header: header.members,
    claims: claims.members,
    disclosures: await readDisclosures(encodedDisclosures, claims.members),
    problems,
  };
}

function wrongPartCount(count: number): FormProblem {
  return {
    expected: "three parts separated by dots: header, claims, signature",
    received: count === 1 ? "one part" : `${count} parts`,
    fix: count < 3 ? "Copy the whole token: its end is missing." : "Copy the token alone, without text around it.",
  };
}

const notCanonical: FormProblem = {
  expected: "base64url without padding, whose unused bits are zero",
  received: "another encoding of the same bytes",
  fix: "Send the token as it was issued, character for character.",
};

interface DecodedPart {
  readonly members?: Members;
  readonly problems: readonly FormProblem[];
}

/** Decodes standard base64, too: what the part contains helps the reader, even if no verifier accepts it. */
function decodePart(name: string, part: string): DecodedPart {
  const problem = (expected: string, received: string, fix: string): DecodedPart => ({
    problems: [{ expected: `${name}: ${expected}`, received, fix }],
  });
  const isRedacted = part.includes("…");
  const encoded = part.replaceAll("+", "-").replaceAll("/", "_").replace(/(?<!=)=+$/, "");
  let text: string;
  try {
    text = new TextDecoder("utf-8", { fatal: true }).decode(decodeBase64url(encoded));
  } catch (error) {
    if (error instanceof SyntaxError) {
      const foreign = /[^\w-]/.exec(encoded)?.[0];
      return isRedacted
        ? problem(
          "base64url",
          "a redacted text, with … in it",
          "Show the secrets on the page that you copied the token from, then copy the whole token.",
        )
        : foreign === undefined
        ? problem(
          "base64url",
          `${encoded.length} characters, a length that base64url cannot have`,
          "Copy the whole token.",
        )
        : problem("base64url", `the character ${JSON.stringify(foreign)}`, "Encode the part as base64url.");
    }
    return problem("JSON as UTF-8", "bytes that are not UTF-8", "Copy the whole token; encode its JSON as UTF-8.");
  }
  const members = parseJsonObject(text);
  if (members === undefined) {
    return problem(
      "a JSON object",
      describeText(text),
      "Copy the whole token. Header and claims must each be one JSON object.",
    );
  }
  if (encoded === part) return { members, problems: [] };
  return {
    members,
    ...problem(
      "base64url without padding (RFC 7515 §2)",
      "standard base64, with +, / or =",
      "Encode with the URL-safe alphabet, and remove each = at the end.",
    ),
  };
}

function describeText(text: string): string {
  if (text === "") return "nothing";
  return /^\s*\{/.test(text) ? "JSON that breaks off or is malformed" : "other text";
}

/** The disclosures of an SD-JWT; what does not decode, such as the JWT of a key binding, is left out. */
async function readDisclosures(encoded: readonly string[], claims: Members = {}): Promise<Disclosure[]> {
  const listed = JSON.stringify(claims);
  const disclosures = await Promise.all(encoded.map(async (text): Promise<Disclosure[]> => {
    try {
      const array: unknown = JSON.parse(new TextDecoder().decode(decodeBase64url(text)));
      if (!Array.isArray(array) || array.length < 2 || array.length > 3) return [];
      const hash = await digest(text);
      const [name, value] = array.length === 3 ? [String(array[1]), array[2]] : [undefined, array[1]];
      return [{ name, value, isListed: listed.includes(JSON.stringify(hash)) }];
    } catch {
      return [];
    }
  }));
  return disclosures.flat();
}
