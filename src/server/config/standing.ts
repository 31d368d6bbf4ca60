/**
 * Standing: who made a client known to this server, and what the client may do because of it. Any party can register a
 * client or publish a metadata document, so everything is open to configured clients only unless it is declared open:
 * the members of the client metadata by `open` of `server/config/client_fields.ts`, a grant type by its member
 * `standing`, and the rest in `permissions`. Limits are elsewhere: of fetches in `server/fetching/`, of the size of
 * metadata in `server/extensions/registration/metadata.ts`.
 *
 * `configured`: the operator made it known (file, option, page). `approved`: it registered with an initial access
 * token, or authenticates with a key in a verified software statement. `unknown`: it registered itself, has only a
 * metadata document, or is not registered at all (`server/clients/unregistered_clients.ts`).
 *
 * Software statements are public. One without a key approves only the members of the metadata that it contains: see
 * {@link standingFor}.
 */

import type { Standing } from "../../core/clients/clients.ts";
import type { HostedClient } from "./client_metadata.ts";
import type { RuleId } from "../../core/rules/mod.ts";
import type { GrantType as CoreGrantType } from "../../core/server.ts";
import type { Allowances } from "../../core/http/test_hosts.ts";

/** @internal The standing that something requires. Without a requirement, it is open to configured clients only. */
export interface StandingRequirement {
  readonly from: Standing;
  /** The lowest standing if the issuer is on a test host. Default: `from`. */
  readonly onTestHosts?: Standing;
  /** The member of the metadata that it depends on: a software statement with this member approves it. */
  readonly member?: string;
}

/** A client, as far as requirements depend on it. */
export type StandingHolder = Pick<HostedClient, "standing" | "approvedMembers">;

/** @internal A grant type that a server supports, as far as the metadata of clients depends on it. */
export interface SupportedGrantType {
  readonly type: string;
  /** The standing that a client needs for it. Default: only configured clients may use it. */
  readonly standing?: StandingRequirement;
}

/** @internal What pages show of the requests for a grant type. */
export interface ShownGrantType {
  /** The title of its requests on pages, such as `Refresh`. Default: that of the token endpoint. */
  readonly title?: string;
  /** The rules of its checks in order; after a rejection, pages list later ones as not checked. Default: none. */
  readonly checks?: readonly RuleId[];
}

/** One grant type. */
export interface GrantType extends CoreGrantType, SupportedGrantType, ShownGrantType {}

/**
 * The standing for grant types without a user, or in which the client itself names the user: on a real host the
 * operator, or an issuer that the operator trusts, must know the client.
 */
export const withoutUser: StandingRequirement = { from: "approved", onTestHosts: "unknown" };

/** What the core does not know of its grant types. */
const coreGrantTypes: ReadonlyMap<string, ShownGrantType & Required<Omit<SupportedGrantType, "type">>> = new Map([
  ["authorization_code", {
    standing: { from: "unknown" },
    title: "Code exchange",
    checks: ["TK-06", "TK-16", "CI-05", "TK-15", "PK-09", "CI-02", "CI-11", "LO-05", "LO-06", "RT-09", "CI-06"],
  }],
  ["refresh_token", {
    standing: { from: "unknown" },
    title: "Refresh",
    checks: ["TK-06", "RT-02", "CI-11", "LO-05", "LO-06", "RT-07", "RT-09", "RT-06", "RT-04"],
  }],
  ["client_credentials", { standing: withoutUser, title: "Client credentials" }],
]);

/** Adds to a grant type of the core what the core does not know of it. Others stay the objects that they are. */
export function describeGrantType(grantType: CoreGrantType): GrantType {
  const known = coreGrantTypes.get(grantType.type);
  return known === undefined ? grantType : { ...known, ...grantType };
}

const ranks: Readonly<Record<Standing, number>> = { unknown: 0, approved: 1, configured: 2 };

/** The standing that each permission requires. Members of the client metadata and grant types have their own. */
export const permissions = {
  /**
   * Errors are sent to its redirect URI before a user has logged in (open redirect, OAuth 2.1 §7.13.2). On a test host
   * every client may, so that its handling of errors can be tested.
   */
  redirectBeforeLogin: { from: "approved", onTestHosts: "unknown", member: "redirect_uris" },
  /** Pages of other sites start automatic logins that send it codes. */
  loginFromOtherSites: { from: "approved", member: "redirect_uris" },
  /** Pages of the origins of its redirect URIs use the server like pages on this machine. */
  haveTrustedPages: { from: "configured" },
  requestOwnScope: { from: "approved" },
  /** Logout continues at its redirect URI without an ID token of a session of this browser. */
  redirectAfterLogoutWithoutHint: { from: "approved", member: "post_logout_redirect_uris" },
  /** It inspects access tokens of other clients, for the default audience or for what it serves, and exchanges them. */
  inspectTokensOfOthers: { from: "approved" },
  /** It uses an entry of `trustedIssuers` or `resourceAuthorizationServers` that lists no clients. */
  useUnrestrictedIssuers: { from: "configured" },
  /** Login and consent show its logo, which the browser of the user fetches from its host. */
  showLogo: { from: "approved", member: "logo_uri" },
  /** It has streams of security events. */
  receiveEvents: { from: "approved" },
  /** Its records in the store are not limited if it authenticates (`server/stored/bounded_records.ts`). */
  writeWithoutBound: { from: "approved" },
} as const satisfies Readonly<Record<string, StandingRequirement>>;

/** Whether a client has at least this standing. */
export function hasStanding({ standing }: { readonly standing: Standing }, from: Standing): boolean {
  return ranks[standing] >= ranks[from];
}

/** The standing of a client for a member of its metadata: a software statement approves only the members in it. */
export function standingFor({ standing, approvedMembers }: StandingHolder, member: string): Standing {
  if (approvedMembers === undefined) return standing;
  return approvedMembers.includes(member) ? "approved" : "unknown";
}

function meetsRequirement(
  client: StandingHolder,
  { from, onTestHosts = from, member }: StandingRequirement,
  { allows }: { readonly allows: Allowances },
): boolean {
  const holder = member === undefined ? client : { standing: standingFor(client, member) };
  return hasStanding(holder, from) || (hasStanding(holder, onTestHosts) && allows.unknownClients);
}

export function requirementOf({ type, standing }: SupportedGrantType): StandingRequirement {
  return standing ?? coreGrantTypes.get(type)?.standing ?? { from: "configured" };
}

/** Whether a client may do something, or use a grant type that it is registered for. */
export function isPermitted(
  { policy }: { readonly policy: { readonly allows: Allowances } },
  client: StandingHolder,
  permission: keyof typeof permissions | SupportedGrantType,
): boolean {
  const requirement = typeof permission === "string"
    ? permissions[permission]
    : { ...requirementOf(permission), member: "grant_types" };
  return meetsRequirement(client, requirement, policy);
}
