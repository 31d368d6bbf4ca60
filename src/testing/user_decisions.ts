/** The people in front of a server under test: who logs in next, who says no, who allows less than was asked. */

import { autoApprover } from "../app/approver.ts";
import type { Approver } from "../app/approver.ts";
import type { UserRepository } from "../oauth/clients/repository.ts";
import type { Approval, AuthorizationRequest } from "../oauth/authorize/authorization_request.ts";
import { OAuthError } from "../oauth/errors.ts";
import { splitScope } from "../oauth/authorize/scope.ts";
import type { Server } from "../oauth/server.ts";
import { parsePersona } from "./persona.ts";
import type { Persona } from "./persona.ts";

/** Decides for the people who are asked to log in and to consent. */
export interface UserDecisions {
  /**
   * Who logs in at the next authorization request that asks somebody, once; several calls queue. Whoever is logged in
   * before makes way, as if the account had been switched.
   *
   * @throws {TypeError} When the server has no such user.
   */
  loginNext(sub: string): void;
  /** Who logs in from now on, whenever nobody is named by {@link UserDecisions.loginNext}. @throws {TypeError} As there. */
  loginAs(sub: string): void;
  /** This user says no from now on, which the client is told as `access_denied`. Left out: everybody does. */
  deny(sub?: string): void;
  /** Of what is asked for, this user allows these scope values alone from now on, space-separated. */
  limitScope(sub: string, scope: string): void;
  /** Back to allowing everything, which is how all of them begin. Left out: everybody. */
  allowAll(sub?: string): void;
}

/** The same, from behind the scenes. */
export interface ManagedUserDecisions extends UserDecisions {
  /** Answers authorization requests where nobody is shown a page. */
  readonly approver: Approver;
  /**
   * Who sits in front of a browser that is shown pages.
   *
   * @param as Who logs in there. Default: the next one, who is taken out of the queue.
   */
  persona(as?: string): Persona;
  /** Forgets everything that was decided. */
  reset(): void;
}

/** Stands for whoever has no entry of their own. */
const anyUser = "";

/**
 * Makes the people of one server.
 *
 * @param server Its users and scopes at the moment.
 * @param fallback Answers where nothing was decided here. Default: {@link autoApprover}.
 */
export function userDecisions(
  server: () => Pick<Server, "users" | "scopes">,
  fallback: Approver = autoApprover,
): ManagedUserDecisions {
  const queue: string[] = [];
  let defaultSub: string | undefined;
  /** What each of them allows; nothing at all for those who deny. */
  const scopeLimits = new Map<string, readonly string[] | "nothing">();

  function assertKnown(sub: string): string {
    const { users } = server();
    if (users.find(sub) !== undefined) return sub;
    const subs = users.all().map((user) => user.sub).join(", ");
    throw new TypeError(`The server has no user ${JSON.stringify(sub)}. Its users: ${subs || "none"}.`);
  }

  function takeNextSub(): string | undefined {
    return queue.shift() ?? defaultSub;
  }

  function applyDecision(request: AuthorizationRequest, approval: Approval, persona: Persona | undefined): Approval {
    const limit = scopeLimits.get(approval.user.sub) ?? scopeLimits.get(anyUser);
    if (persona?.deny || limit === "nothing") throw denialError(request, approval.user.sub);
    const scope = approval.scope.filter((value) =>
      limit?.includes(value) !== false && persona?.denyScopes?.includes(value) !== true
    );
    return scope.length === approval.scope.length ? approval : { ...approval, scope };
  }

  return {
    loginNext: (sub) => void queue.push(assertKnown(sub)),
    loginAs: (sub) => void (defaultSub = assertKnown(sub)),
    deny: (sub = anyUser) => void scopeLimits.set(sub && assertKnown(sub), "nothing"),
    limitScope: (sub, scope) => void scopeLimits.set(assertKnown(sub), splitScope(scope)),
    allowAll(sub = anyUser) {
      if (sub === anyUser) scopeLimits.clear();
      else scopeLimits.delete(sub);
    },
    async approver(request, context) {
      const persona = parsePersona(context.httpRequest);
      // Where nobody may be asked, nobody comes to the door: the session goes on, or there is none.
      const silent = request.loginRequirements.prompt.includes("none");
      const sub = silent ? undefined : persona?.as ?? takeNextSub();
      const decision =
        await (sub === undefined
          ? fallback(request, context)
          : autoApprover(withLoginHint(assertPresent(context.users, sub), request), context));
      return decision instanceof Response ? decision : applyDecision(request, decision, persona);
    },
    persona(as = takeNextSub()) {
      const { users, scopes } = server();
      // Where nobody was named, the pages offer the first one first.
      const limit = scopeLimits.get(as ?? users.all()[0]?.sub ?? anyUser) ?? scopeLimits.get(anyUser) ?? scopes;
      return limit === "nothing"
        ? { as, deny: true }
        : { as, denyScopes: scopes.filter((value) => !limit.includes(value)) };
    },
    reset() {
      queue.length = 0;
      defaultSub = undefined;
      scopeLimits.clear();
    },
  };
}

/** The request as the automatic login answers it for this user, whomever the client would have liked. */
function withLoginHint(loginHint: string, request: AuthorizationRequest): AuthorizationRequest {
  return { ...request, loginRequirements: { ...request.loginRequirements, loginHint, expectedSubs: undefined } };
}

function assertPresent(users: UserRepository, sub: string): string {
  if (users.find(sub) !== undefined) return sub;
  throw new OAuthError("access_denied", "the server has no such user", {
    rule: "AZ-21",
    expected: users.all().map((user) => user.sub).join(" or ") || "a user",
    received: sub,
  });
}

function denialError({ loginRequirements }: AuthorizationRequest, sub: string): OAuthError {
  // Who would say no has not said yes before, and here nobody may be asked (OpenID Connect Core §3.1.2.6).
  if (loginRequirements.prompt.includes("none")) {
    return new OAuthError("consent_required", "user interaction is required, but prompt=none forbids it", {
      rule: "OI-03",
      expected: "a user who has consented",
      received: `${sub}, who denies`,
    });
  }
  return new OAuthError("access_denied", "the user denied the request", {
    rule: "AZ-21",
    expected: "a user who allows it",
    received: `${sub}, who denies`,
  });
}
