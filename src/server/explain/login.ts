/** Explains a login that does not satisfy the authorization request. */

import { listNames } from "../../core/policy/suggest.ts";
import { decodedPlusFix } from "../clients/login_hint.ts";
import type { OldLogin, SilentLogin, UnusableSession, WrongUser } from "../../core/rules/openid.ts";
import type { WrongClaims } from "../extensions/requested_claims/rules.ts";
import { describeUnknownUser, type UnknownUser } from "../rules/login.ts";
import type { Server } from "../../core/server.ts";
import type { RejectionTexts } from "./rule_text.ts";

/** Explains a request with `prompt=none`. */
export function explainSilentLogin(facts: SilentLogin): RejectionTexts {
  if ("prompts" in facts) {
    return { expected: "none alone, or other values without none", received: facts.prompts.join(" ") };
  }
  if ("needs" in facts) return { expected: "a request that needs no page", received: "prompt=none" };
  const reason = describeSession(facts);
  return { reason, expected: "a session of this browser that the request may use", received: reason };
}

function describeSession(session: UnusableSession): string {
  switch (session.problem) {
    case "no session":
      return "this browser has no session";
    case "prompt=login":
      return "prompt=login asks for a new login";
    case "too old":
      return `the login is older than max_age=${session.maxAgeSeconds}`;
    case "unmet demand":
      return session.reason;
    case "other user":
      return "the logged-in user is not the requested user";
    case "other user approved":
      return "the approver returned a user who is not the logged-in user";
  }
}

/** Explains a wrong `max_age`, and a login that is too old. */
export function explainLogin(facts: { readonly maxAge: string } | OldLogin): RejectionTexts {
  if ("maxAge" in facts) {
    const { maxAge } = facts;
    return {
      expected: "digits",
      received: /^[-+.\d]{1,20}$/.test(maxAge) ? maxAge : `${maxAge.length} other characters`,
    };
  }
  const { authTime, maxAgeSeconds } = facts;
  return {
    expected: maxAgeSeconds === undefined
      ? "a new login, by prompt=login"
      : `a login at most ${maxAgeSeconds} seconds old, by max_age`,
    received: `a login of ${new Date(authTime).toISOString()}`,
  };
}

/** Explains `claims`, and a user that it or `id_token_hint` does not allow. */
export function explainClaims(facts: WrongClaims | WrongUser): RejectionTexts {
  if ("malformed" in facts) {
    return {
      expected: `an object whose userinfo and id_token members are objects, such as {"userinfo":{"name":null}}`,
      received: facts.malformed,
    };
  }
  if ("count" in facts) {
    return { expected: `at most ${facts.limit} values of sub`, received: String(facts.count) };
  }
  const [first = [], ...others] = facts.demandedSubs;
  const subs = first.filter((sub) => others.every((demand) => demand.includes(sub)));
  return { expected: `subject ${subs.join(" or ") || "of an existing user"}`, received: "another user" };
}

/** Explains a `login_hint` that names no user. */
export function explainUnknownUser(
  facts: UnknownUser,
  { users }: Server,
): RejectionTexts & { readonly reason: string } {
  const { hint, problem } = facts;
  const reason = describeUnknownUser(facts);
  const fix = decodedPlusFix(hint);
  if (problem === "plus") return { reason, expected: hint.replaceAll(" ", "+"), received: hint, fix };
  return { reason, expected: listNames(users.known().keys()) || "no hint", received: hint, fix };
}
