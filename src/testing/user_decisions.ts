/** User decisions: who logs in to a test server, who denies, and who allows less than requested. */

import { type Approver, type ApproverContext, autoApprover } from "../app/approver.ts";
import type { UserRepository } from "../oauth/clients/repository.ts";
import type { AuthorizationRequest } from "../oauth/authorize/authorization_request.ts";
import type { Approval } from "../oauth/authorize/code.ts";
import { OAuthError } from "../oauth/errors.ts";
import { splitScope } from "../oauth/authorize/scope_token.ts";
import type { Server } from "../oauth/server.ts";
import { parsePersona, type Persona } from "./persona.ts";

/** Decides for the users at login and consent. */
export interface UserDecisions {
  /**
   * The user of the next authorization request without `prompt=none`, once; several calls queue. This user replaces the
   * one with a session, as if the account had been switched.
   *
   * @throws {TypeError} If the server has no such user.
   */
  loginNext(sub: string): void;
  /** The user of all later requests without {@link UserDecisions.loginNext}. @throws {TypeError} As there. */
  loginAs(sub: string): void;
  /** This user denies from now on: the client receives `access_denied`. Default: every user. */
  deny(sub?: string): void;
  /** This user allows only these scope values from now on, space-separated. */
  limitScope(sub: string, scope: string): void;
  /** This user allows everything from now on, which is the initial state. Default: every user. */
  allowAll(sub?: string): void;
}

/** User decisions, with what the server needs. */
interface ManagedUserDecisions extends UserDecisions {
  /** Decides about authorization requests without login pages. */
  readonly approver: Approver;
  /**
   * The persona of a browser that is shown pages.
   *
   * @param as The user who logs in. Default: the next one, who is removed from the queue.
   */
  persona(as?: string): Persona;
  /** Returns to the initial state. */
  reset(): void;
}

/** The key of the decision for users without one of their own. */
const anyUser = "";

/**
 * Creates the user decisions of one server.
 *
 * @param server Its users and scopes at this moment.
 * @param fallback Decides for requests without a decision about the user. Default: {@link autoApprover}.
 */
export function userDecisions(
  server: () => Pick<Server, "users" | "scopes">,
  fallback: Approver = autoApprover,
): ManagedUserDecisions {
  const queue: string[] = [];
  let defaultSub: string | undefined;
  /** The scope values that a user allows, by `sub`; `nothing` for a user who denies. */
  const scopeLimits = new Map<string, readonly string[] | "nothing">();

  function assertKnown(sub: string): string {
    const { users } = server();
    if (users.findCached(sub) !== undefined) return sub;
    const subs = users.allCached().map((user) => user.sub).join(", ");
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
      // prompt=none uses the session, and no queued decision.
      const silent = request.loginRequirements.prompt.includes("none");
      const sub = silent ? undefined : persona?.as ?? takeNextSub();
      const decision =
        await (sub === undefined
          ? fallback(request, context)
          : approveAs(assertPresent(context.users, sub), request, context));
      return "user" in decision ? applyDecision(request, decision, persona) : decision;
    },
    persona(as = takeNextSub()) {
      const { users, scopes } = server();
      // The pages offer the first user first.
      const limit = scopeLimits.get(as ?? users.allCached()[0]?.sub ?? anyUser) ?? scopeLimits.get(anyUser) ?? scopes;
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

/** Approves as this user, whichever user the client expects. */
function approveAs(loginHint: string, request: AuthorizationRequest, context: ApproverContext): Promise<Approval> {
  const loginRequirements = { ...request.loginRequirements, loginHint };
  const pending = { ...context.pending, expectedSubs: undefined };
  return autoApprover({ ...request, loginRequirements }, { ...context, pending });
}

function assertPresent(users: UserRepository, sub: string): string {
  if (users.findCached(sub) !== undefined) return sub;
  throw new OAuthError("access_denied", "the server has no such user", {
    rule: "AZ-21",
    expected: users.allCached().map((user) => user.sub).join(" or ") || "a user",
    received: sub,
  });
}

function denialError({ loginRequirements }: AuthorizationRequest, sub: string): OAuthError {
  const received = `${sub}, who denies`;
  // The user has not consented, and prompt=none forbids the question (OpenID Connect Core §3.1.2.6).
  if (loginRequirements.prompt.includes("none")) {
    const reason = "user interaction is required, but prompt=none forbids it";
    const expected = "a user who has consented";
    return new OAuthError("consent_required", reason, { rule: "OI-03", expected, received });
  }
  const expected = "a user who allows it";
  return new OAuthError("access_denied", "the user denied the request", { rule: "AZ-21", expected, received });
}
