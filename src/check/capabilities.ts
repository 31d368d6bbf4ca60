/**
 * The capabilities of a client: what the check can do with it, and what it does by itself, as logins without an attack
 * show. Every attack names those that it needs ({@link Attack.needs}), and the report prints them.
 */

import type { Exchange } from "../recorder/exchange.ts";
import { decodeJwtPart } from "../platform/http/jwt_part.ts";
import { findParam } from "../recorder/record_request.ts";
import { lacksVerifier, requestedParam } from "./requested_param.ts";

/** @internal Something that the check can do with a client, or that a client does by itself. */
export type Capability =
  | "logIn"
  | "logInDevice"
  | "logInBackchannel"
  | "requestResource"
  | "acceptToken"
  | "refresh"
  | "showsRefresh"
  | "request"
  | "currentUser"
  | "claims"
  | "logInSilently"
  | "logOut"
  | "receiveCallback"
  | "receive"
  | "backChannelLogout"
  | "frontChannelLogout"
  | "visits"
  | "cookieSession"
  | "secondUser"
  | "journeyBrowser"
  | "clock"
  | "ages"
  | "severalIssuers"
  | "anyOrigin"
  | "httpsIssuer"
  | "timeLimits"
  | "dpopScheme"
  | "checksSignature"
  | "namesUser"
  | "limitsLogins"
  | "showsLogout"
  | "requestsTokens"
  | "state"
  | "nonce"
  | "pkce"
  | "injectableCode"
  | "plainResponse"
  | "jarm"
  | "silentFirst"
  | "par"
  | "jar"
  | "maxAge"
  | "essentialAcr"
  | "basic"
  | "secretInBody"
  | "assertion"
  | "dpop"
  | "idToken"
  | "readsIdToken"
  | "refreshToken"
  | "userinfo"
  | "usesAccessToken"
  | "registration";

interface CapabilityDescription {
  /** What a client without it does, or why attacks that need it are skipped; one sentence without a full stop. */
  readonly missing: string;
  /** What a client with it does; follows "the client". Absent: the report does not mention it. */
  readonly seen?: string;
  /** Whether the report mentions that a client lacks it. Default: false. */
  readonly isUsual?: boolean;
  /** Whether an exchange without an attack shows it. Default: the driver or the check has it. */
  isSeenIn?(exchange: Exchange): boolean;
  /** The member of the driver, or the option of the check, that provides it. */
  readonly member?: string;
  /** The flag of `latchkey check` that provides it. */
  readonly flag?: string;
}

const isTokenRequest = ({ endpoint }: Exchange) => endpoint === "token";

/** Something that a driver lets the check do; `does` follows "the check cannot". */
const driven = (does: string, member: string, flag?: string): CapabilityDescription => ({
  missing: `the check cannot ${does}`,
  member,
  flag,
});

const capabilities: Readonly<Record<Capability, CapabilityDescription>> = {
  logIn: driven("start a login", "ClientDriver.logIn"),
  logInDevice: driven("start a login on a device", "ClientDriver.logInDevice"),
  logInBackchannel: driven("start a login by backchannel authentication (CIBA)", "ClientDriver.logInBackchannel"),
  requestResource: driven("request a resource without a token", "ClientDriver.requestResource"),
  acceptToken: driven("send an access token to the client", "ClientDriver.acceptToken", "--token-in"),
  refresh: { ...driven("refresh the tokens", "ClientSession.refresh", "--refresh-url"), seen: "refreshes its tokens" },
  showsRefresh: { missing: "a refresh that the server rejects looks like one that succeeds" },
  request: driven("use the access token", "ClientSession.request", "--api-url"),
  currentUser: driven("read who is logged in", "ClientSession.currentUser"),
  claims: driven("read the claims of a session", "ClientSession.claims"),
  logInSilently: driven("log in without pages", "ClientSession.logInSilently"),
  logOut: driven("log out", "ClientSession.logOut", "--logout-url"),
  receiveCallback: driven("deliver a response itself", "ClientDriver.receiveCallback"),
  receive: driven("open another URL of the client", "ClientDriver.receive"),
  backChannelLogout: driven(
    "send a logout token",
    "ClientDriver.receive and client.backchannel_logout_uri",
    "backchannel_logout_uri to the client in --config",
  ),
  frontChannelLogout: driven(
    "open a logout page",
    "ClientDriver.receive and client.frontchannel_logout_uri",
    "frontchannel_logout_uri to the client in --config",
  ),
  visits: driven("see the pages of the client", "ClientDriver.recordsVisits"),
  cookieSession: { missing: "the application keeps its session outside cookies" },
  journeyBrowser: {
    missing: "the driver opens a browser, where the check neither chooses the user nor withholds a response",
  },
  secondUser: { missing: "the check saw no second user who can log in" },
  clock: driven("set the clock of the client", "ClientDriver.readsClock"),
  ages: driven("let days pass for the client", "ClientSession.passTime"),

  severalIssuers: { missing: "the client is configured with one issuer", seen: "uses several issuers", isUsual: true },
  anyOrigin: { missing: "the attack names hosts of internal networks" },
  httpsIssuer: { missing: "the issuer is not an https URL" },
  timeLimits: {
    missing: "the attack waits for the time limits of the client",
    member: "timeLimits: true",
    flag: "--time-limits on",
  },
  dpopScheme: {
    missing: "the resource server does not name DPoP in the challenge to a token that it rejects",
    seen: "names DPoP in its challenge",
  },
  checksSignature: {
    missing:
      "the client does not verify the signature of the ID token, for which OpenID Connect Core §3.1.3.7 lets it " +
      "rely on TLS",
    seen: "verifies the signature of the ID token",
    isUsual: true,
  },
  namesUser: {
    missing: "the application does not show the user: set the text that names this user (loggedInText, " +
      "--logged-in-text)",
    seen: "shows the user",
    isUsual: true,
  },

  showsLogout: { missing: "no page that the check saw has a logout link or form" },
  limitsLogins: { missing: "the client does not limit logins", seen: "limits logins" },
  requestsTokens: { missing: "the client requests no tokens", isSeenIn: isTokenRequest },
  state: {
    missing: "the client sends no state; a code verifier or a nonce can bind a response to its login (RFC 9700 §2.1)",
    seen: "sends state",
    isUsual: true,
    isSeenIn: (exchange) => requestedParam(exchange, "state") !== undefined,
  },
  nonce: {
    missing: "the client sends no nonce; with a code challenge (PKCE) it needs none",
    seen: "sends a nonce",
    isUsual: true,
    // The server repeats it, however the client sent it.
    isSeenIn: ({ endpoint, response }) => endpoint === "token" && nonceOf(response?.body) !== undefined,
  },
  pkce: {
    missing: "the client sends no code challenge; a confidential client may rely on its nonce (RFC 9700 §2.1.1)",
    seen: "sends a code challenge (PKCE)",
    isUsual: true,
    isSeenIn: (exchange) => requestedParam(exchange, "code_challenge") !== undefined,
  },
  injectableCode: {
    missing: "the client sends no nonce, and its code verifier prevents the injection at the token endpoint",
    isSeenIn: (exchange) => capabilities.nonce.isSeenIn!(exchange) || lacksVerifier(exchange),
  },
  plainResponse: {
    missing: "the client requests signed authorization responses (JARM)",
    isSeenIn: ({ response }) => response?.authorizationResponse?.params.every(([name]) => name !== "response") ?? false,
  },
  jarm: {
    missing: "the client requests no signed authorization response",
    seen: "requests signed authorization responses (JARM)",
    isSeenIn: ({ response }) => response?.authorizationResponse?.params.some(([name]) => name === "response") ?? false,
  },
  silentFirst: {
    missing: "the client does not begin a login without pages",
    seen: "first tries a login without pages (prompt=none)",
    isSeenIn: (exchange) => requestedParam(exchange, "prompt") === "none",
  },
  par: {
    missing: "the client pushes no authorization request",
    seen: "pushes its authorization requests (PAR)",
    isSeenIn: ({ endpoint }) => endpoint === "par",
  },
  jar: {
    missing: "the client signs no authorization request",
    seen: "signs its authorization requests (JAR)",
    isSeenIn: ({ request }) => findParam(request, "request") !== undefined,
  },
  maxAge: {
    missing: "the client sends no max_age",
    seen: "sends max_age",
    isSeenIn: ({ request }) => findParam(request, "max_age") !== undefined,
  },
  essentialAcr: {
    missing: "the client does not request acr as an essential claim",
    seen: "requests acr as an essential claim",
    isSeenIn: ({ request }) => {
      const claims = findParam(request, "claims");
      return claims !== undefined && JSON.parse(claims)?.id_token?.acr?.essential === true;
    },
  },
  basic: {
    missing: "the client does not authenticate with HTTP Basic",
    seen: "authenticates with HTTP Basic (client_secret_basic)",
    isSeenIn: ({ endpoint, request }) => endpoint === "token" && /^basic /i.test(request.headers.authorization ?? ""),
  },
  secretInBody: {
    missing: "the client sends no secret in the body of a request",
    seen: "authenticates with a secret in the body (client_secret_post)",
    isSeenIn: (exchange) => isTokenRequest(exchange) && findParam(exchange.request, "client_secret") !== undefined,
  },
  assertion: {
    missing: "the client does not authenticate with a JWT",
    seen: "authenticates with a JWT for",
    isSeenIn: (exchange) => isTokenRequest(exchange) && findParam(exchange.request, "client_assertion") !== undefined,
  },
  dpop: {
    missing: "the client sends no DPoP proof",
    seen: "sends DPoP proofs",
    isSeenIn: ({ request }) => request.headers.dpop !== undefined,
  },
  idToken: {
    missing: "the client requests no ID token",
    seen: "receives ID tokens",
    isUsual: true,
    isSeenIn: (exchange) => isTokenRequest(exchange) && /"id_token"/.test(exchange.response?.body ?? ""),
  },
  readsIdToken: {
    missing: "the client accepts any text as an ID token, so it does not read it (id-token/payload-shape)",
    seen: "reads the ID token",
    isUsual: true,
  },
  refreshToken: {
    missing: "the client receives no refresh token: its grant_types have no refresh_token, or it lacks offline_access",
    isUsual: true,
    isSeenIn: (exchange) => isTokenRequest(exchange) && /"refresh_token"/.test(exchange.response?.body ?? ""),
  },
  userinfo: {
    missing: "the client sends no request to userinfo",
    seen: "requests userinfo",
    isUsual: true,
    isSeenIn: ({ endpoint }) => endpoint === "userinfo",
  },
  usesAccessToken: {
    missing: "the client does not use its access token",
    seen: "uses its access token",
    isSeenIn: ({ request }) => /^(?:bearer|dpop) /i.test(request.headers.authorization ?? ""),
  },
  registration: {
    missing: "the client does not register itself",
    seen: "registers itself",
    isSeenIn: ({ endpoint }) => endpoint === "register",
  },
};

const names = Object.keys(capabilities) as Capability[];

/** A nonce and a code challenge excuse the absence of each other only if the client sends one of them. */
const unboundText =
  "sends neither a nonce nor a code challenge (PKCE), so nothing binds the code to the login of the browser";

const isUnbound = (has: ReadonlySet<Capability>): boolean => has.has("logIn") && !has.has("nonce") && !has.has("pkce");

/** The nonce of the ID token in a token response. */
function nonceOf(body = ""): unknown {
  return decodeJwtPart(/"id_token":\s*"([^"]+)"/.exec(body)?.[1] ?? "", 1).nonce;
}

/**
 * Why an attack is skipped; `undefined` if the client has each capability that it needs.
 *
 * @param hasDriver Whether the reader has a driver, which may get further members. Default: true.
 */
export function missingCapability(
  needs: readonly Capability[],
  has: ReadonlySet<Capability>,
  hasDriver = true,
): string | undefined {
  // A client without ID tokens reads none.
  const all = needs.flatMap((capability): Capability[] =>
    capability === "readsIdToken" ? ["idToken", capability] : [capability]
  );
  const missing = all.filter((capability) => !has.has(capability)).map((capability) => capabilities[capability]);
  const lacking = missing.filter(({ member }) => member !== undefined);
  if (lacking.length === 0) {
    const isBinding = missing[0] === capabilities.nonce || missing[0] === capabilities.pkce;
    return isBinding && isUnbound(has) ? `the client ${unboundText}` : missing[0]?.missing;
  }
  return lacking.map(({ missing, member, flag }) => {
    if (hasDriver) return `${missing} (add ${member})`;
    // A single-page application is driven only by scripts, so flags about pages have no effect.
    if (has.has("logIn") && !has.has("receive") && flag !== capabilities.timeLimits.flag) {
      return `${missing} in a browser`;
    }
    return flag === undefined ? `${missing} through pages and redirects` : `${missing} (add ${flag})`;
  }).join(", and ");
}

/** Whether an attack is about what only some clients do by themselves. */
export function isAboutFeature({ needs }: { readonly needs: readonly Capability[] }): boolean {
  return needs.some((capability) => capabilities[capability].isSeenIn !== undefined || capability === "readsIdToken");
}

/** What the client does by itself, as its exchanges without an attack show. */
export function capabilitiesIn(exchanges: readonly Exchange[]): Capability[] {
  return names.filter((name) => exchanges.some((exchange) => capabilities[name].isSeenIn?.(exchange)));
}

/** What a client with a capability does; follows "the client". */
export const seenText = (capability: Capability): string => capabilities[capability].seen ?? capability;

/** What was seen of a client, and what it usually lacks: clauses that follow "the client". */
export function describeCapabilities(has: ReadonlySet<Capability>, exchanges: readonly Exchange[]): readonly string[] {
  const audiences = exchanges.flatMap(({ request }) => {
    const { aud } = decodeJwtPart(findParam(request, "client_assertion") ?? "", 1);
    return aud === undefined ? [] : [[aud].flat().join(" and ")];
  });
  return names.flatMap((name) => {
    const { seen, missing, isUsual, isSeenIn } = capabilities[name];
    // Each journey may have an issuer of its own.
    const found = name === "assertion" ? audiences.slice(0, 1) : [];
    if (has.has(name)) return seen === undefined ? [] : [[seen, ...found].join(" ")];
    // A client without ID tokens reads none.
    const isRead = name === "readsIdToken" ? has.has("idToken") : name !== "checksSignature" || has.has("readsIdToken");
    // A resource server does not log in.
    const isOfKind = isSeenIn === undefined || has.has("requestsTokens");
    if (!isUsual || !isRead || !isOfKind) return [];
    if (isUnbound(has) && name === "state") return ["sends no state"];
    if (isUnbound(has) && name === "nonce") return [unboundText];
    if (isUnbound(has) && name === "pkce") return [];
    return [missing.replace("the client ", "")];
  });
}
