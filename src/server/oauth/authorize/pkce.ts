/** Proof Key for Code Exchange (RFC 7636, OAuth 2.1 §4.1.1): S256 only. */

import { byProfile } from "../../config/profile.ts";
import { OAuthError } from "../errors.ts";
import type { MaybePromise } from "../../../platform/maybe_promise.ts";
import { decodeBase64url, digestBytes, encodeBase64url } from "../../../platform/runtime/crypto.ts";
import { warn } from "../notes.ts";
import { hasCode } from "./response_type.ts";
import { constantTimeEqual, digest } from "../secrets.ts";
import { policyOf } from "../clients/policy.ts";
import type { Client } from "../clients/repository.ts";
import type { CodeRecord } from "../../../platform/store/store.ts";
import type { PartRequest, Server } from "../server.ts";
import type { RuleExplanation } from "../trace.ts";
import type { AuthorizationRequest } from "./authorization_request.ts";

/** The supported code challenge methods. */
export const challengeMethods = ["S256"] as const;

const s256Challenge = /^[A-Za-z0-9_-]{43}$/;
const verifierSyntax = /^[A-Za-z0-9._~-]{43,128}$/;

const missingMethod: RuleExplanation = {
  rule: "PK-05",
  reason: "code_challenge_method is missing; by the standard it defaults to plain, but this server supports only S256",
  expected: "code_challenge_method=S256",
  received: "no code_challenge_method",
};

/** Reads the code challenge of an authorization request; `undefined` if it has none and needs none. */
export function readCodeChallenge(
  { server, client, params }: PartRequest,
  { scope = [], responseType }: Partial<AuthorizationRequest>,
): MaybePromise<string | undefined> {
  if (!hasCode(responseType)) return undefined;
  const challenge = params.get("code_challenge");
  const method = params.get("code_challenge_method");
  const { pkce } = policyOf(server, client);
  if (method === "plain" && pkce.insecureAllowPlain && challenge !== undefined && verifierSyntax.test(challenge)) {
    return digest(challenge);
  }
  if (method !== undefined && method !== "S256") {
    throw new OAuthError("invalid_request", "code_challenge_method is not supported, only S256 is", {
      rule: "PK-04",
      expected: "code_challenge_method=S256",
      received: `code_challenge_method=${method}`,
    });
  }
  if (challenge === undefined) {
    if (method !== undefined) {
      throw new OAuthError("invalid_request", "code_challenge_method was sent without code_challenge", {
        rule: "PK-06",
        expected: "code_challenge with code_challenge_method",
        received: "no code_challenge",
      });
    }
    const { requireForConfidential, acceptNonce } = pkce;
    const active = policyOf(server, client).profile;
    const bySettings = (client.confidential || client.isUnregistered === true) && !client.metadata.require_pkce;
    const acceptsNonce = bySettings && acceptNonce;
    const hasNonce = scope.includes("openid") && params.get("nonce") !== undefined;
    if (bySettings && !requireForConfidential || acceptsNonce && hasNonce) {
      server.passed?.("PK-02");
      return undefined;
    }
    if (mayOmitChallenge(server, client)) return undefined;
    const profile = bySettings ? byProfile(active, "pkce.requireForConfidential") : "";
    throw new OAuthError("invalid_request", `code_challenge is missing, and this client must send one${profile}`, {
      rule: client.confidential ? "PK-02" : "PK-01",
      reason: client.confidential
        ? `the configuration requires PKCE of this confidential client${profile}`
        : "a public client must send a code_challenge",
      expected: "code_challenge=BASE64URL(SHA-256(code_verifier)) and code_challenge_method=S256" +
        (acceptsNonce ? ", or the scope openid with a nonce" : ""),
      received: "no code_challenge",
    });
  }
  if (!s256Challenge.test(challenge)) {
    throw new OAuthError("invalid_request", "code_challenge is not an S256 challenge of 43 base64url characters", {
      rule: "PK-07",
      expected: "43 characters of A-Z a-z 0-9 - _, without padding",
      received: `${challenge.length} ${
        /^[0-9a-f]+$/i.test(challenge)
          ? "hexadecimal digits"
          : /[+/=]/.test(challenge)
          ? "characters of standard base64"
          : "characters"
      }`,
    });
  }
  if (method === undefined && pkce.requireMethod) {
    const profile = byProfile(policyOf(server, client).profile, "pkce.requireMethod");
    throw new OAuthError("invalid_request", `code_challenge_method is missing, it must be S256${profile}`, {
      ...missingMethod,
      reason: missingMethod.reason + profile,
    });
  }
  server.passed?.("PK-07", challenge);
  return challenge;
}

/** Whether a public client may leave the code challenge out, because of `pkce.insecureAllowMissing`. */
function mayOmitChallenge(server: Pick<Server, "settings">, client: Client): boolean {
  return policyOf(server, client).pkce.insecureAllowMissing && !client.confidential && !client.metadata.require_pkce;
}

/** Warns about an accepted request whose code challenge or its method is missing or `plain`. */
export function warnChallenge({ server, client, params }: PartRequest, { responseType }: AuthorizationRequest): void {
  if (!hasCode(responseType)) return;
  const challenge = params.get("code_challenge");
  const method = params.get("code_challenge_method");
  if (method === "S256") return;
  if (challenge !== undefined && method === undefined) return warn(server, client.id, missingMethod);
  if (challenge === undefined && (client.confidential || client.isUnregistered)) return;
  const letsPass = (setting: string) =>
    `${server.settings.providers.join(", ") || `pkce.${setting}`} lets this pass; OAuth 2.1 does not`;
  warn(
    server,
    client.id,
    challenge === undefined
      ? {
        rule: "PK-01",
        reason: `a public client sent no code_challenge: ${letsPass("insecureAllowMissing")}`,
        expected: "code_challenge and code_challenge_method=S256",
        received: "no code_challenge",
      }
      : {
        rule: "PK-04",
        reason: `code_challenge is the code_verifier itself, which the address of the page shows: ${
          letsPass("insecureAllowPlain")
        }`,
        expected: "code_challenge_method=S256",
        received: "code_challenge_method=plain",
      },
  );
}

/** Remembers the challenge of an issued code, and warns if an earlier code that may still be valid has the same one. */
export function warnReusedChallenge(server: Server, client: Client, challenge: string): void {
  const { recentChallenges } = server;
  const key = `${client.id} ${challenge}`;
  const now = server.now();
  const until = recentChallenges.get(key);
  if (until !== undefined && until > now) {
    warn(server, client.id, {
      rule: "PK-14",
      reason: "code_challenge repeats that of an earlier authorization request whose code may still be valid",
      expected: "a new code_verifier for each authorization request",
      received: "a repeated code_challenge",
    });
  }
  recentChallenges.set(key, now + policyOf(server, client).lifetimes.code * 1000);
}

/**
 * Verifies that the client that exchanges a code also requested it (RFC 7636 §4.6).
 *
 * @throws {OAuthError} `invalid_grant` if the verifier is missing, not expected, or does not match; `invalid_request`
 *   if it is malformed.
 */
export async function verifyCodeVerifier(
  server: Server,
  client: Client,
  code: CodeRecord,
  verifier: string | undefined,
): Promise<void> {
  if (code.codeChallenge === undefined) {
    if (verifier === undefined && (client.confidential || client.isUnregistered || mayOmitChallenge(server, client))) {
      return;
    }
    if (verifier === undefined) {
      throw new OAuthError(
        "invalid_grant",
        "code_verifier is missing, and the code was issued without code_challenge",
        {
          rule: "PK-10",
          reason: "a public client cannot exchange a code without code_challenge",
          expected: "a code requested with a code_challenge",
          received: "a code that was issued while the client was confidential",
        },
      );
    }
    throw new OAuthError(
      "invalid_grant",
      "code_verifier was sent, but the authorization request had no code_challenge",
      {
        rule: "PK-11",
        expected: "no code_verifier, or a code_challenge in the authorization request",
        received: "a code_verifier",
      },
    );
  }
  if (verifier === undefined) {
    throw new OAuthError("invalid_grant", "code_verifier is missing", {
      rule: "PK-10",
      expected: "the code_verifier of the code_challenge in the authorization request",
      received: "no code_verifier",
    });
  }
  if (!verifierSyntax.test(verifier)) {
    throw new OAuthError("invalid_request", "code_verifier is not 43 to 128 unreserved characters", {
      rule: "PK-08",
      expected: "43 to 128 characters of A-Z a-z 0-9 - . _ ~",
      received: `${verifier.length} characters${/^"|%/.test(verifier) ? ", JSON-encoded or URL-encoded" : ""}`,
    });
  }
  const { codeChallenge } = code;
  const computed = await digest(verifier);
  if (constantTimeEqual(computed, codeChallenge)) return server.passed?.("PK-09", codeChallenge);
  const explanation = await explainVerifier(server, client, codeChallenge, verifier, computed);
  throw new OAuthError("invalid_grant", "code_verifier does not match code_challenge", explanation);
}

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
 * @param codeChallenge The challenge of the authorization request.
 * @param computed The challenge of the verifier.
 */
async function explainVerifier(
  server: Server,
  client: Client,
  codeChallenge: string,
  verifier: string,
  computed: string,
): Promise<RuleExplanation> {
  for (const { challenge, ...texts } of mistakes) {
    if (await challenge(verifier) !== codeChallenge) continue;
    // With the method plain, the challenge is the verifier itself: a secret.
    return {
      rule: "PK-09",
      ...texts,
      expected: "the code_verifier of this code_challenge",
      received: "another code_verifier",
    };
  }
  const values = {
    rule: "PK-09",
    expected: `code_challenge ${codeChallenge}`,
    received: `code_challenge ${computed}, computed from code_verifier`,
  } as const;
  const until = server.recentChallenges.get(`${client.id} ${computed}`);
  if (until === undefined) {
    return { ...values, reason: "code_verifier does not match the code_challenge of the authorization request" };
  }
  return {
    ...values,
    reason: "code_verifier belongs to another authorization request of this client, such as one in a second tab",
    fix: "Store the code_verifier of each login under its state, and look it up by the state of the response.",
  };
}
