/** What a driver can do, what its client does by itself, and what an attack needs of both. */

import type { Exchange } from "../recorder/exchange.ts";
import { decodeJwtPart } from "../platform/http/jwt_part.ts";
import { findParam } from "../recorder/record_request.ts";
import { type ClientDriver, type ClientSession, type SessionStart, sessionStartsOf } from "./driver.ts";

/** @internal Something that a driver can do, or that its client does by itself. */
export type Ability =
  | SessionStart
  | "refresh"
  | "request"
  | "currentUser"
  | "logInSilently"
  | "logOut"
  | "receiveCallback"
  | "secondRedirectUri"
  | "initiatedLogin"
  | "backChannelLogout"
  | "frontChannelLogout"
  | "visits"
  | "clock"
  | Feature;

/** Something that a client does by itself: it pushes requests, signs them, or reads its registration, for example. */
export type Feature =
  | "idToken"
  | "readsIdToken"
  | "nonce"
  | "state"
  | "pkce"
  | "plainResponse"
  | "basic"
  | "userinfo"
  | "par"
  | "jar"
  | "jarm"
  | "dpop"
  | "registration"
  | "registrationManagement"
  | "clientDocument"
  | "maxAge"
  | "essentialAcr";

/** Something that a driver can do besides a way to begin a session. */
type DriverAbility = Exclude<Ability, SessionStart | Feature>;

/** What a driver lets the check do, by ability, with the member that does it. */
const driverAbilities: Readonly<Record<SessionStart | DriverAbility, AbilityDescription>> = {
  logIn: { does: "start a login", member: "ClientDriver.logIn" },
  logInDevice: { does: "start a login on a device", member: "ClientDriver.logInDevice" },
  requestResource: { does: "request a resource without a token", member: "ClientDriver.requestResource" },
  acceptToken: { does: "send an access token to the client", member: "ClientDriver.acceptToken" },
  refresh: { does: "refresh the tokens", member: "ClientSession.refresh", flag: "--refresh-url" },
  request: { does: "use the access token", member: "ClientSession.request" },
  currentUser: { does: "read who is logged in", member: "ClientSession.currentUser" },
  logInSilently: { does: "log in without pages", member: "ClientSession.logInSilently" },
  logOut: { does: "log out", member: "ClientSession.logOut" },
  receiveCallback: { does: "deliver a response itself", member: "ClientDriver.receiveCallback" },
  secondRedirectUri: { does: "use a second redirect URI", member: "ClientDriver.client.redirect_uris" },
  initiatedLogin: {
    does: "start a login for the issuer",
    member: "ClientDriver.receive and ClientDriver.initiateLoginUri",
  },
  backChannelLogout: {
    does: "send a logout token",
    member: "ClientDriver.receive and client.backchannel_logout_uri",
  },
  frontChannelLogout: {
    does: "open the logout page of the client",
    member: "ClientDriver.receive and client.frontchannel_logout_uri",
  },
  visits: { does: "see the pages of the client", member: "ClientDriver.recordsVisits" },
  clock: { does: "set the clock of the client", member: "ClientDriver.readsClock" },
};

interface AbilityDescription {
  /** Follows "the check cannot". */
  readonly does: string;
  readonly member: string;
  /** The flag of `latchkey check` that provides it. Default: none. */
  readonly flag?: string;
}

/** How it shows that a client does what only some clients do, and why attacks on it are skipped for the others. */
const features: Readonly<Record<Feature, FeatureDescription>> = {
  idToken: {
    missing: "the client requests no ID token",
    isSeenIn: ({ endpoint, response }) => endpoint === "token" && /"id_token"/.test(response?.body ?? ""),
  },
  readsIdToken: {
    missing: "the client accepts any text as an ID token, so it does not read it (id-token/payload-shape)",
    isSeenIn: () => false,
  },
  nonce: {
    missing: "the client sends no nonce, which the code flow with PKCE allows",
    // The server repeats it, however the client sent it.
    isSeenIn: ({ endpoint, response }) => endpoint === "token" && nonceOf(response?.body) !== undefined,
  },
  state: {
    missing: "the client sends no state; a code verifier or a nonce can bind a response to its login (RFC 9700 §2.1)",
    isSeenIn: (exchange) => requestedParam(exchange, "state") !== undefined,
  },
  pkce: {
    missing: "the client sends no code challenge; a confidential client may rely on its nonce (RFC 9700 §2.1.1)",
    isSeenIn: (exchange) => requestedParam(exchange, "code_challenge") !== undefined,
  },
  plainResponse: {
    missing: "the client requests signed authorization responses (JARM)",
    isSeenIn: ({ response }) => response?.authorizationResponse?.params.every(([name]) => name !== "response") ?? false,
  },
  basic: {
    missing: "the client does not authenticate by HTTP Basic",
    isSeenIn: ({ endpoint, request }) => endpoint === "token" && /^basic /i.test(request.headers.authorization ?? ""),
  },
  userinfo: {
    missing: "the client sends no request to userinfo",
    isSeenIn: ({ endpoint }) => endpoint === "userinfo",
  },
  par: {
    missing: "the client pushes no authorization request",
    isSeenIn: ({ endpoint }) => endpoint === "par",
  },
  jar: {
    missing: "the client signs no authorization request",
    isSeenIn: ({ request }) => findParam(request, "request") !== undefined,
  },
  jarm: {
    missing: "the client requests no signed authorization response",
    isSeenIn: ({ response }) => response?.authorizationResponse?.params.some(([name]) => name === "response") ?? false,
  },
  dpop: {
    missing: "the client sends no DPoP proof",
    isSeenIn: ({ request }) => request.headers.dpop !== undefined,
  },
  registration: {
    missing: "the client does not register itself",
    isSeenIn: ({ endpoint }) => endpoint === "register",
  },
  registrationManagement: {
    missing: "the client does not read or change its registration",
    isSeenIn: ({ endpoint }) => endpoint === "client_configuration",
  },
  clientDocument: {
    missing: "the client has no client ID metadata document",
    isSeenIn: ({ endpoint, client = "" }) => endpoint === "authorize" && client.startsWith("https://"),
  },
  maxAge: {
    missing: "the client sends no max_age",
    isSeenIn: ({ request }) => findParam(request, "max_age") !== undefined,
  },
  essentialAcr: {
    missing: "the client does not request acr as an essential claim",
    isSeenIn: ({ request }) => {
      const claims = findParam(request, "claims");
      return claims !== undefined && JSON.parse(claims)?.id_token?.acr?.essential === true;
    },
  },
};

interface FeatureDescription {
  /** One sentence without a full stop. */
  readonly missing: string;
  /** Whether an exchange without an attack shows it. */
  isSeenIn(exchange: Exchange): boolean;
}

/** A parameter that an authorization request has itself, pushed and signed ones included. */
export function requestedParam({ endpoint, request }: Exchange, name: string): unknown {
  if (endpoint !== "authorize" && endpoint !== "par") return undefined;
  return findParam(request, name) ?? decodeJwtPart(findParam(request, "request") ?? "", 1)[name];
}

/** The nonce of the ID token in a token response. */
function nonceOf(body = ""): unknown {
  const [, idToken = ""] = /"id_token":\s*"([^"]+)"/.exec(body) ?? [];
  return decodeJwtPart(idToken, 1).nonce;
}

const isFeature = (ability: Ability): ability is Feature => Object.hasOwn(features, ability);

/**
 * Why an attack is skipped; `undefined` if the driver has all abilities that it needs.
 *
 * @param hasDriver Whether the reader has a driver, which may get further members. Default: true.
 */
export function missingAbility(
  needs: readonly Ability[],
  has: ReadonlySet<Ability>,
  hasDriver = true,
): string | undefined {
  const missing = needs.filter((ability) => !has.has(ability));
  const lacking = missing.flatMap((ability) => isFeature(ability) ? [] : [driverAbilities[ability]]);
  if (lacking.length > 0) return lacking.map((ability) => describeLacking(ability, hasDriver)).join(", and ");
  return missing.flatMap((ability) => isFeature(ability) ? [features[ability].missing] : [])[0];
}

/** One sentence without a full stop. */
function describeLacking({ does, member, flag }: AbilityDescription, hasDriver: boolean): string {
  if (hasDriver) return `the check cannot ${does} (the driver has no ${member})`;
  return flag === undefined ? `the check cannot ${does} by pages and redirects` : `${flag} lets the check ${does}`;
}

/** Whether an attack is about what only some clients do by themselves. */
export function isAboutFeature({ needs }: { readonly needs: readonly Ability[] }): boolean {
  return needs.some(isFeature);
}

/** What the client does by itself, as its exchanges without an attack show. */
export function featuresIn(exchanges: readonly Exchange[]): Ability[] {
  const names = Object.keys(features) as Feature[];
  return names.filter((name) => exchanges.some((exchange) => features[name].isSeenIn(exchange)));
}

/** The abilities of a driver, as its members and one of its sessions show. */
export function abilitiesOf(driver: ClientDriver, session: ClientSession): ReadonlySet<Ability> {
  const { client = {}, receive, receiveCallback, initiateLoginUri, readsClock, recordsVisits } = driver;
  const has: Readonly<Record<DriverAbility, boolean>> = {
    refresh: session.refresh !== undefined,
    request: session.request !== undefined,
    currentUser: session.currentUser !== undefined,
    logInSilently: session.logInSilently !== undefined,
    logOut: session.logOut !== undefined,
    receiveCallback: receiveCallback !== undefined,
    secondRedirectUri: (client.redirect_uris?.length ?? 0) > 1,
    initiatedLogin: receive !== undefined && initiateLoginUri !== undefined,
    backChannelLogout: receive !== undefined && client.backchannel_logout_uri !== undefined,
    frontChannelLogout: receive !== undefined && client.frontchannel_logout_uri !== undefined,
    visits: recordsVisits === true,
    clock: readsClock === true,
  };
  const names = Object.keys(has) as DriverAbility[];
  return new Set([...sessionStartsOf(driver), ...names.filter((name) => has[name])]);
}
