/** Why a code verifier does not match: the mistakes that the values prove. Loaded with the first such rejection. */

import type { Client } from "../clients/repository.ts";
import type { RuleExplanation } from "../explanation.ts";
import type { MaybePromise } from "../maybe_promise.ts";
import { decodeBase64url, encodeBase64url } from "../../runtime/base64url.ts";
import { digestBytes } from "../../runtime/crypto.ts";
import { digest } from "../secrets.ts";
import type { Server } from "../server.ts";

/** A mistake that results in another challenge. */
interface Mistake {
  /** The challenge that the mistake results in; `undefined` if the verifier does not allow the mistake. */
  readonly challenge: (verifier: string) => MaybePromise<string | undefined>;
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
        ? encodeBase64url(await digestBytes("sha256", decodeBase64url(verifier)))
        : undefined,
    reason: "code_challenge is the hash of the random bytes, not of their text",
    fix: hashText,
  },
];

/**
 * Explains that a verifier does not match.
 *
 * @param codeChallenge That of the authorization request.
 * @param computed The challenge of the verifier.
 */
export async function explainVerifier(
  server: Server,
  client: Client,
  codeChallenge: string,
  verifier: string,
  computed: string,
): Promise<RuleExplanation> {
  for (const { challenge, ...texts } of mistakes) {
    if (await challenge(verifier) !== codeChallenge) continue;
    // With plain the challenge is the verifier, which is a secret.
    return {
      rule: "PK-09",
      ...texts,
      expected: "the code_verifier of this code_challenge",
      received: "a code_verifier",
    };
  }
  const values = {
    rule: "PK-09",
    expected: `code_challenge ${codeChallenge}`,
    received: `code_challenge ${computed}, computed from code_verifier`,
    isComputed: true,
  } as const;
  const until = server.recentChallenges.get(`${client.id} ${computed}`);
  if (until === undefined) {
    return { ...values, reason: "code_verifier does not match the code_challenge of the authorization request" };
  }
  return {
    ...values,
    reason: "code_verifier belongs to another authorization request of this client, such as one of a second tab",
    fix: "Store the code_verifier of each login under its state, and look it up by the state of the response.",
  };
}
