/** The people in front of a server under test: who logs in next, who says no, who allows less than was asked. */

import { autoApprover } from "../app/approver.ts";
import type { Approver } from "../app/approver.ts";
import type { Users } from "../oauth/clients/repository.ts";
import type { Approval, AuthorizationRequest } from "../oauth/authorize/authorization_request.ts";
import { OAuthError } from "../oauth/errors.ts";
import { splitScope } from "../oauth/authorize/scope.ts";
import type { Server } from "../oauth/server.ts";
import { readPerson } from "./persona.ts";
import type { Person } from "./persona.ts";

/** Decides for the people who are asked to log in and to consent. */
export interface People {
  /**
   * Who logs in at the next authorization request that asks somebody, once; several calls queue. Whoever is logged in
   * before makes way, as if the account had been switched.
   *
   * @throws {TypeError} When the server has no such user.
   */
  next(sub: string): void;
  /** Who logs in from now on, whenever nobody is named by {@link People.next}. @throws {TypeError} As there. */
  always(sub: string): void;
  /** This user says no from now on, which the client is told as `access_denied`. Left out: everybody does. */
  denies(sub?: string): void;
  /** Of what is asked for, this user allows these scope values alone from now on, space-separated. */
  allows(sub: string, scope: string): void;
  /** Back to allowing everything, which is how all of them begin. Left out: everybody. */
  agrees(sub?: string): void;
}

/** The same, from behind the scenes. */
export interface Crowd extends People {
  /** Answers authorization requests where nobody is shown a page. */
  readonly approver: Approver;
  /**
   * Who sits in front of a browser that is shown pages.
   *
   * @param as Who logs in there. Default: the next one, who is taken out of the queue.
   */
  person(as?: string): Person;
  /** Forgets everything that was decided. */
  reset(): void;
}

/** Stands for whoever has no entry of their own. */
const everybody = "";

/**
 * Makes the people of one server.
 *
 * @param server Its users and scopes at the moment.
 * @param otherwise Answers where nothing was decided here. Default: {@link autoApprover}.
 */
export function crowd(
  server: () => Pick<Server, "users" | "scopes">,
  otherwise: Approver = autoApprover,
): Crowd {
  const queue: string[] = [];
  let regular: string | undefined;
  /** What each of them allows; nothing at all for those who deny. */
  const limits = new Map<string, readonly string[] | "nothing">();

  function known(sub: string): string {
    const { users } = server();
    if (users.find(sub) !== undefined) return sub;
    const subs = users.all().map((user) => user.sub).join(", ");
    throw new TypeError(`The server has no user ${JSON.stringify(sub)}. Its users: ${subs || "none"}.`);
  }

  function takeNext(): string | undefined {
    return queue.shift() ?? regular;
  }

  function judge(request: AuthorizationRequest, approval: Approval, person: Person | undefined): Approval {
    const limit = limits.get(approval.user.sub) ?? limits.get(everybody);
    if (person?.deny || limit === "nothing") throw denial(request, approval.user.sub);
    const kept = approval.scope.filter((value) =>
      limit?.includes(value) !== false && person?.untick?.includes(value) !== true
    );
    return kept.length === approval.scope.length ? approval : { ...approval, scope: kept };
  }

  return {
    next: (sub) => void queue.push(known(sub)),
    always: (sub) => void (regular = known(sub)),
    denies: (sub = everybody) => void limits.set(sub && known(sub), "nothing"),
    allows: (sub, scope) => void limits.set(known(sub), splitScope(scope)),
    agrees(sub = everybody) {
      if (sub === everybody) limits.clear();
      else limits.delete(sub);
    },
    async approver(request, context) {
      const person = readPerson(context.http);
      // Where nobody may be asked, nobody comes to the door: the session goes on, or there is none.
      const silent = request.wishes.prompt.includes("none");
      const sub = silent ? undefined : person?.as ?? takeNext();
      const decision =
        await (sub === undefined
          ? otherwise(request, context)
          : autoApprover(comingAs(present(context.users, sub), request), context));
      return decision instanceof Response ? decision : judge(request, decision, person);
    },
    person(as = takeNext()) {
      const { users, scopes } = server();
      // Where nobody was named, the pages offer the first one first.
      const limit = limits.get(as ?? users.all()[0]?.sub ?? everybody) ?? limits.get(everybody) ?? scopes;
      return limit === "nothing"
        ? { as, deny: true }
        : { as, untick: scopes.filter((value) => !limit.includes(value)) };
    },
    reset() {
      queue.length = 0;
      regular = undefined;
      limits.clear();
    },
  };
}

/** The request as the automatic login answers it for this user, whomever the client would have liked. */
function comingAs(loginHint: string, request: AuthorizationRequest): AuthorizationRequest {
  return { ...request, wishes: { ...request.wishes, loginHint, expectedSubs: undefined } };
}

function present(users: Users, sub: string): string {
  if (users.find(sub) !== undefined) return sub;
  throw new OAuthError("access_denied", "the server has no such user", {
    rule: "AZ-21",
    expected: users.all().map((user) => user.sub).join(" or ") || "a user",
    received: sub,
  });
}

function denial({ wishes }: AuthorizationRequest, sub: string): OAuthError {
  // Who would say no has not said yes before, and here nobody may be asked (OpenID Connect Core §3.1.2.6).
  if (wishes.prompt.includes("none")) {
    return new OAuthError("consent_required", "the user would have to be asked, and prompt=none forbids it", {
      rule: "OI-03",
      expected: "a user who has consented",
      received: `${sub}, who denies`,
    });
  }
  return new OAuthError("access_denied", "the user said no", {
    rule: "AZ-21",
    expected: "a user who allows it",
    received: `${sub}, who denies`,
  });
}
