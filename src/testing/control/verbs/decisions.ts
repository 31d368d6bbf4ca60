/** Verbs of decisions: which user logs in, and which users deny, or allow less than requested. */

import { list, object, text } from "../../../core/policy/field.ts";
import { defineVerb, noInput, type Verb } from "../verb.ts";

/** A user. */
interface DecidingUser {
  /** The subject of the user. */
  readonly sub: string;
}

/** A user, or all. */
interface DecidingUsers {
  /** The subject of the user. Default: every user. */
  readonly sub?: string;
}

/** The scope that a user allows. */
interface ScopeLimit extends DecidingUser {
  /** Scope values, separated by spaces. */
  readonly scope: string;
}

/** The authorization details that a user allows. */
interface DetailsLimit extends DecidingUser {
  /** The types that the user allows. Default: none. */
  readonly types?: readonly string[];
}

/** The authentication context class (`acr`) that a user reaches. */
interface LevelLimit extends DecidingUser {
  /** A value of the setting `acrValues`. */
  readonly acr: string;
}

const sub = text(["bob"]);
const user = object<DecidingUser>("DecidingUser", { sub }, { sub: "bob" }, { required: ["sub"] });
const users = object<DecidingUsers>("DecidingUsers", { sub }, { sub: "bob" });

/** A verb about one user. */
function aboutUser(name: "loginNext" | "loginAs", summary: string): Verb {
  return defineVerb<DecidingUser, void>({
    ...{ name: `decisions.${name}`, summary, input: user, args: ["sub"] },
    run: ({ control: { decisions } }, { sub }) => decisions[name](sub),
  });
}

/** A verb about one user or all. */
function aboutUsers(name: "deny" | "allowAll", summary: string): Verb {
  return defineVerb<DecidingUsers, void>({
    ...{ name: `decisions.${name}`, summary, input: users, args: ["sub"] },
    run: ({ control: { decisions } }, { sub }) => decisions[name](sub),
  });
}

/** What users decide at login and consent. */
export const decisionVerbs: readonly Verb[] = [
  aboutUser("loginNext", "The next authorization request logs in this user, once; several calls queue."),
  aboutUser("loginAs", "All later authorization requests log in this user."),
  aboutUsers("deny", "This user denies every request from now on: the client receives `access_denied`."),
  defineVerb<ScopeLimit, void>({
    name: "decisions.limitScope",
    summary: "This user allows only these scope values from now on.",
    input: object<ScopeLimit>("ScopeLimit", { sub, scope: text(["openid read"]) }, { sub: "bob", scope: "openid" }, {
      required: ["sub", "scope"],
    }),
    args: ["sub", "scope"],
    run: ({ control: { decisions } }, { sub, scope }) => decisions.limitScope(sub, scope),
  }),
  defineVerb<DetailsLimit, void>({
    name: "decisions.limitDetails",
    summary: "This user allows only `authorization_details` of these types from now on.",
    input: object<DetailsLimit>("DetailsLimit", { sub, types: list(text(["payment"]), [["payment"]]) }, {
      ...{ sub: "bob", types: ["payment"] },
    }, { required: ["sub"] }),
    args: ["sub", "...types"],
    run: ({ control: { decisions } }, { sub, types = [] }) => decisions.limitDetails(sub, ...types),
  }),
  defineVerb<LevelLimit, void>({
    name: "decisions.limitAcr",
    summary: "New logins of this user reach only this authentication level (`acr`) from now on.",
    input: object<LevelLimit>("LevelLimit", { sub, acr: text(["urn:example:mfa"]) }, {
      ...{ sub: "bob", acr: "urn:example:mfa" },
    }, { required: ["sub", "acr"] }),
    args: ["sub", "acr"],
    run: ({ control: { decisions } }, { sub, acr }) => decisions.limitAcr(sub, acr),
  }),
  defineVerb({
    name: "decisions.deferRequests",
    summary:
      "From now on, requests for device authorization (RFC 8628) and backchannel authentication (CIBA) wait until `device` or `backchannel` decides for the user.",
    ...noInput,
    run: ({ control: { decisions } }) => decisions.deferRequests(),
  }),
  aboutUsers("allowAll", "This user allows everything and reaches every level from now on."),
];
