/** Explains a code challenge or a code verifier that was rejected (RFC 7636). */

import { decodeBase64url, encodeBase64url } from "../../core/keys/crypto.ts";
import type { WrongVerifier } from "../../core/rules/authorize.ts";
import type { RejectionTexts } from "./rule_text.ts";
import { digest } from "../../core/keys/secrets.ts";
import type { HostedServer } from "../hosted_server.ts";
import { isRecent } from "./recent_challenges.ts";

/** The characters of a malformed code challenge. */
export function describeChallenge(challenge: string): string {
  const kind = /^[0-9a-f]+$/i.test(challenge)
    ? "hexadecimal digits"
    : /[+/=]/.test(challenge)
    ? "characters of standard base64"
    : "characters";
  return `${challenge.length} ${kind}`;
}

/** The length of a malformed code verifier, and the characters that it must not have. */
export function describeVerifier(verifier: string): string {
  const kind = /^"|%/.test(verifier)
    ? ", JSON-encoded or URL-encoded"
    : /[+/=]/.test(verifier)
    ? ", some of standard base64: + / ="
    : /[^\w.~-]/.test(verifier)
    ? ", some of them not allowed"
    : "";
  return `${verifier.length} characters${kind}`;
}

/** A mistake that results in another challenge. */
interface Mistake {
  /** The challenge that the mistake results in; `undefined` if the verifier does not allow the mistake. */
  readonly challenge: (verifier: string) => string | undefined | Promise<string | undefined>;
  readonly reason: string;
  readonly fix: string;
}

const hashText = "Hash the characters of code_verifier as they are sent: BASE64URL(SHA-256(ASCII(code_verifier))).";

const mistakes: readonly Mistake[] = [
  {
    challenge: (verifier) => verifier,
    reason: "code_verifier equals code_challenge: the challenge is the unhashed verifier, as for plain",
    fix: "Send BASE64URL(SHA-256(code_verifier)) as code_challenge, and the verifier itself with the code.",
  },
  {
    challenge: (verifier) => digest(`${verifier}\n`),
    reason: "code_challenge is the hash of the verifier and a line break",
    fix: 'Hash the characters of code_verifier alone: in a shell, printf %s "$verifier" instead of echo.',
  },
  {
    challenge: (verifier) => digest(JSON.stringify(verifier)),
    reason: "code_challenge is the hash of the verifier as JSON, with quotation marks",
    fix: hashText,
  },
  {
    challenge: (verifier) => digest(encodeURIComponent(verifier).replaceAll("~", "%7E")),
    reason: "code_challenge is the hash of the URL-encoded verifier",
    fix: hashText,
  },
  {
    challenge: (verifier) => digest(verifier + "=".repeat((4 - verifier.length % 4) % 4)),
    reason: "code_challenge is the hash of the verifier with padding",
    fix: "Remove the padding of the verifier before both uses.",
  },
  {
    challenge: (verifier) => digest(verifier.replaceAll("-", "+").replaceAll("_", "/")),
    reason: "code_challenge is the hash of the verifier as standard base64, before it became base64url",
    fix: hashText,
  },
  {
    challenge: async (verifier) =>
      /^[\w-]*$/.test(verifier) && verifier.length % 4 !== 1
        ? encodeBase64url(new Uint8Array(await crypto.subtle.digest("SHA-256", decodeBase64url(verifier))))
        : undefined,
    reason: "code_challenge is the hash of the random bytes, not of their text",
    fix: hashText,
  },
];

/** Explains a verifier that does not match: a mistake of the client, or the verifier of another request. */
export async function explainVerifier(
  { clientId, challenge: codeChallenge, verifier, computed }: WrongVerifier,
  server: HostedServer,
): Promise<RejectionTexts> {
  for (const { challenge, ...texts } of mistakes) {
    if (await challenge(verifier) !== codeChallenge) continue;
    // With the method plain, the challenge is the verifier itself: a secret.
    return { ...texts, expected: "the code_verifier of this code_challenge", received: "another code_verifier" };
  }
  const values = {
    expected: `code_challenge ${codeChallenge}`,
    received: `code_challenge ${computed}, computed from code_verifier`,
  };
  if (!isRecent(server, clientId, computed)) {
    return { ...values, reason: "code_verifier does not match the code_challenge of the authorization request" };
  }
  return {
    ...values,
    reason: "code_verifier belongs to another authorization request of this client, such as one in a second tab",
  };
}
