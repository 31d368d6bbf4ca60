/** User decisions: which user logs in to a test server, and which users deny, or allow less than requested. */

import { detailsSlot } from "../server/token/authorization_details.ts";
import type { ApproverContext } from "../core/authorize/approver.ts";
import type { Approval, Approver } from "../server/login/approver.ts";
import { autoApprover } from "../server/login/auto_approver.ts";
import { clientValues } from "../server/config/server_policy.ts";
import { knownUserForHint, userForHint } from "../server/clients/login_hint.ts";
import type { Users } from "../core/clients/clients.ts";
import type { AuthorizationRequest } from "../core/authorize/authorization_request.ts";
import { listNames } from "../core/policy/suggest.ts";
import { OAuthError } from "../core/rules/errors.ts";
import { splitScope } from "../core/http/params.ts";
import type { HostedServer } from "../server/hosted_server.ts";
import type { Session } from "../core/sessions/session.ts";
import { assertArgument } from "./options.ts";
import { deferredPersona, parsePersona, type Persona, personaHeader } from "./persona.ts";
import { emptyHeadResponse } from "../core/http/message.ts";

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
  /** This user allows only objects of these types in `authorization_details` from now on; without types, none. */
  limitDetails(sub: string, ...types: string[]): void;
  /**
   * New logins of this user reach only this authentication level from now on, a value of `acrValues`. If a request
   * requires another one, the client receives `unmet_authentication_requirements`. Has no effect on login pages.
   *
   * @throws {TypeError} If the server has no such user or level.
   */
  limitAcr(sub: string, acr: string): void;
  /**
   * From now on requests of devices (RFC 8628) and backchannel authentication requests (CIBA) are not approved
   * immediately: their users decide later, by `as.device(userCode)`, by `as.backchannel(authReqId)` or in a browser.
   * With login pages users always decide later.
   */
  deferRequests(): void;
  /**
   * This user allows everything and reaches every level from now on, which is the initial state. Default: every user.
   */
  allowAll(sub?: string): void;
}

/** User decisions, with what the server needs. */
interface ManagedUserDecisions extends UserDecisions {
  /** Wraps the approver, which decides about requests without a decision about the user. */
  approve(next: Approver): Approver;
  /**
   * Wraps the approver of login pages: a user whom a test has decided on, by a call or by {@link personaHeader}, is
   * logged in, and every user denies who was decided to deny, without a page.
   */
  approvePages(next: Approver): Approver;
  /**
   * The persona of a browser that is shown pages.
   *
   * @param as The user who logs in. Default: the next one, who is removed from the queue.
   */
  persona(as?: string): Persona;
  /** Returns to the initial state. */
  reset(): void;
}

/** The key of the decision for users without an individual decision. */
const anyUser = "";

/**
 * Creates the user decisions of one server.
 *
 * @param server Its users and scopes at this moment.
 */
export function userDecisions(server: () => Pick<HostedServer, "users" | "policy" | "levels">): ManagedUserDecisions {
  const queue: string[] = [];
  let defersRequests = false;
  let defaultSub: string | undefined;
  /** The scope values that a user allows, by `sub`; `nothing` for a user who denies. */
  const scopeLimits = new Map<string, readonly string[] | "nothing">();
  /** The types of authorization details that a user allows, by `sub`. */
  const detailLimits = new Map<string, readonly string[]>();
  /** The level that new logins of a user reach, by `sub`. */
  const acrLimits = new Map<string, string>();

  /** The `sub` of the user that a test names, also by e-mail address or `preferred_username`. */
  function assertKnown(name: string): string {
    const { users } = server();
    const user = knownUserForHint({ users }, name);
    if (user !== undefined) return user.sub;
    throw unknownUserError(users, name);
  }

  function assertKnownLevel(acr: string): string {
    const values = server().levels?.all.map(({ value }) => value) ?? [];
    if (values.includes(acr)) return acr;
    throw new TypeError(`acr: expected a value of acrValues (${values.join(", ") || "none"}), received ${acr}`);
  }

  function takeNextSub(): string | undefined {
    return queue.shift() ?? defaultSub;
  }

  function applyDecision(
    request: AuthorizationRequest,
    approved: Approval,
    persona: Persona | undefined,
    session: Session | undefined,
  ): Approval {
    const acr = persona?.acr ?? acrLimits.get(approved.user.sub);
    const isNewLogin = session?.sub !== approved.user.sub || session.authTime !== approved.authTime;
    const approval = acr !== undefined && isNewLogin ? { ...approved, acr, amr: undefined } : approved;
    const limit = scopeLimits.get(approval.user.sub) ?? scopeLimits.get(anyUser);
    if (persona?.deny || limit === "nothing") throw denialError(request, approval.user.sub);
    const scope = approval.scope.filter((value) =>
      limit?.includes(value) !== false && persona?.denyScopes?.includes(value) !== true
    );
    const types = detailLimits.get(approval.user.sub);
    const items = detailsSlot.of(approval)?.filter(({ type }) =>
      types?.includes(type) !== false && persona?.denyDetails?.includes(type) !== true
    );
    return detailsSlot.put({ ...approval, scope }, items);
  }

  return {
    loginNext: (sub) => void queue.push(assertKnown(sub)),
    loginAs: (sub) => void (defaultSub = assertKnown(sub)),
    deny: (sub = anyUser) => void scopeLimits.set(sub && assertKnown(sub), "nothing"),
    limitScope(sub, scope) {
      const hint = 'Write the values in one string: "openid read".';
      assertArgument(typeof scope === "string", "limitScope, scope", "a string", scope, hint);
      scopeLimits.set(assertKnown(sub), splitScope(scope));
    },
    limitDetails: (sub, ...types) => void detailLimits.set(assertKnown(sub), types),
    limitAcr: (sub, acr) => void acrLimits.set(assertKnown(sub), assertKnownLevel(acr)),
    allowAll(sub = anyUser) {
      for (const limits of [scopeLimits, detailLimits, acrLimits]) {
        sub === anyUser ? limits.clear() : limits.delete(knownUserForHint(server(), sub)?.sub ?? sub);
      }
    },
    deferRequests: () => void (defersRequests = true),
    approve: (next) => async (request, context) => {
      const isStarted = context.context.endpoint?.caller === "client";
      const defers = defersRequests || context.httpRequest.headers.get(personaHeader) === deferredPersona;
      // A response instead of an approval leaves the decision to the page.
      if (isStarted && defers) return emptyHeadResponse;
      const persona = parsePersona(context.httpRequest);
      // prompt=none uses the session, and no queued decision.
      const silent = request.loginRequirements.prompt.includes("none");
      const sub = silent ? undefined : persona?.as ?? takeNextSub();
      const isDecided = persona !== undefined || scopeLimits.get(anyUser) === "nothing";
      const decision =
        await (sub === undefined
          ? next(isDecided ? withoutSelection(request) : request, context)
          : approveAs(await assertPresent(context.users, sub), request, context));
      return "user" in decision ? applyDecision(request, decision, persona, context.session) : decision;
    },
    approvePages: (next) => async (request, context) => {
      const persona = parsePersona(context.httpRequest);
      const silent = request.loginRequirements.prompt.includes("none");
      // Devices are decided on by their own pages.
      if (silent || context.context.endpoint?.name !== "authorize") return await next(request, context);
      const sub = persona?.as ?? takeNextSub();
      if (sub === undefined && (persona?.deny || scopeLimits.get(anyUser) === "nothing")) {
        throw denialError(request, "a user");
      }
      if (sub === undefined) return await next(request, context);
      const decision = await approveAs(await assertPresent(context.users, sub), request, context);
      return "user" in decision ? applyDecision(request, decision, persona, context.session) : decision;
    },
    persona(as = takeNextSub()) {
      const { users, policy } = server();
      // The pages offer the first user first.
      const first = [...users.known().values()][0]?.sub ?? anyUser;
      const sub = as === undefined ? first : knownUserForHint({ users }, as)?.sub ?? as;
      const { scopes } = policy;
      const limit = scopeLimits.get(sub) ?? scopeLimits.get(anyUser) ?? scopes;
      if (limit === "nothing") return { as, deny: true };
      const types = detailLimits.get(sub);
      const { authorization_details_types: knownTypes = [] } = clientValues(policy);
      const denyDetails = knownTypes.filter((type) => types?.includes(type) === false);
      return { as, denyScopes: scopes.filter((value) => !limit.includes(value)), denyDetails };
    },
    reset() {
      defersRequests = false;
      queue.length = 0;
      defaultSub = undefined;
      scopeLimits.clear();
      detailLimits.clear();
      acrLimits.clear();
    },
  };
}

/** The request without the demand for a page that lists the users: the test has decided. */
function withoutSelection(request: AuthorizationRequest): AuthorizationRequest {
  const prompt = request.loginRequirements.prompt.filter((value) => value !== "select_account");
  return { ...request, loginRequirements: { ...request.loginRequirements, prompt } };
}

/** Approves as this user, whichever user the client expects. */
function approveAs(loginHint: string, request: AuthorizationRequest, context: ApproverContext): Promise<Approval> {
  const loginRequirements = { ...request.loginRequirements, loginHint, demandedSubs: undefined };
  return autoApprover({ ...request, loginRequirements }, context);
}

/** The `sub` of the user that a test names. */
async function assertPresent(users: Users, sub: string): Promise<string> {
  const user = await userForHint({ users }, sub);
  if (user !== undefined) return user.sub;
  throw new OAuthError("access_denied", "the server has no such user", {
    rule: "AZ-21",
    expected: listNames(users.known().keys()) || "a user",
    received: sub,
    fix: "Name a user of the server, or add this one before: on the page /users, or in a test by " +
      `as.users.set({ sub: ${JSON.stringify(sub)} }).`,
  });
}

export function unknownUserError(users: Users, sub: string): TypeError {
  const subs = listNames(users.known().keys(), ", ") || "none";
  return new TypeError(`The server has no user ${JSON.stringify(sub)}. Its users: ${subs}.`);
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
