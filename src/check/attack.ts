/**
 * What an attack is: what a server does wrong in one journey of a client ({@link Attack}), what it can use
 * ({@link Stage}), what is seen of the client ({@link Observation}), and what it concludes ({@link Assessment}).
 */

import type { Exchange } from "../recorder/exchange.ts";
import { decodeJwtPart } from "../platform/http/jwt_part.ts";
import { findParam } from "../recorder/record_request.ts";
import type { Callback } from "../testing/browser/callback.ts";
import type { Fault } from "../testing/faults/fault.ts";
import type { FaultParameter } from "../testing/faults/parameters.ts";
import type { TestClient } from "../testing/clients.ts";
import type { Persona } from "../testing/persona.ts";
import type { TestResource } from "../testing/resource.ts";
import type { TestLatchkey } from "../testing/test_latchkey.ts";
import type { ClientDriver, ClientJourney, ClientSession, SessionStart, TokenJourney } from "./driver.ts";
import type { Accepted, Seen } from "./effects.ts";
import type { MarkerPlace, Sighting, Value } from "./markers.ts";
import type { Capability } from "./capabilities.ts";
import type { Trap } from "./trap.ts";

/** @internal What is expected of a client. */
export type AttackLevel =
  /** The client must not accept what it receives. */
  | "must-reject"
  /** The client should not accept it; a specification leaves it to the client. */
  | "should-reject"
  /** The response is unusual and correct: the client must accept it. */
  | "must-tolerate"
  /** The journey may fail, but it must end by itself, and the next one must succeed. */
  | "must-recover";

/** @internal A MUST of a specification for clients, or its rule for a value that a client itself writes or compares. */
export interface Requirement {
  /** The section that has it. */
  readonly source: string;
  /** The capabilities of the clients that it binds; another client gets a warning. Default: it binds every client. */
  readonly binds?: readonly Capability[];
  /** Capabilities of which each releases a client. Default: none does. */
  readonly unless?: readonly Capability[];
}

/** @internal The journey of the client while the attack is active. No fault applies to the steps before it. */
export type Journey =
  /** It logs in. */
  | "login"
  /** It logs in for the second time, after a logout if it has one, with data that it cached, such as keys. */
  | "second login"
  /** It logs in again without pages (`prompt=none`). */
  | "silent login"
  /** It logs in after a login at another, honest issuer. */
  | "second issuer"
  /** It refreshes the tokens of a login. */
  | "refresh"
  /** It logs out. */
  | "logout"
  /** It does something else in the session of a login; see {@link Attack.perform}. */
  | "session";

/** @internal The point at which a correct client stops: requests that must not follow the attack. */
export type Stop =
  /** No authorization request follows. */
  | "discovery"
  /** No token request follows. */
  | "callback"
  /** The tokens are not used: no userinfo request follows. */
  | "token";

/** A login whose response has not reached the client. */
export interface PendingLogin {
  /** What the redirect URI would receive. */
  readonly callback: Callback;
  /** The session of the login, once {@link PendingLogin.respond} was called. */
  readonly session: Promise<ClientSession>;
  /** Sends a response to the client. */
  respond(callback: Callback): void;
}

/** @internal What an attack can change and use: the server, the client, its driver and its environment. */
export interface Stage {
  /** The server of the journey. */
  readonly as: TestLatchkey;
  /** The client under test, as it is registered. */
  readonly client: TestClient;
  /** An origin that only records requests; nothing should arrive there. */
  readonly trap: Trap;
  /** Drives the client. */
  readonly driver: ClientDriver;
  /** The environment of the client, with the browser of the user. */
  readonly journey: ClientJourney;
  /** The session of the login before the attack, unless the journey is `login`. */
  readonly session?: ClientSession;
  /** The user who logs in with the browser of {@link Stage.journey}. */
  readonly expectedSub: string;
  /** What the client does without an attack, and what the check can do with it. */
  readonly capabilities: ReadonlySet<Capability>;
  /** The protected resource of the journey, if the client requests one. */
  readonly resource?: TestResource;
  /**
   * Begins a session in the way that the attack is about, by default with the browser of the user, or sends the token
   * of a {@link TokenJourney}. The client has the whole time limit for each call.
   *
   * @throws What the client throws.
   */
  begin(journey?: ClientJourney): Promise<ClientSession>;
  /** Issues an access token for a resource server, which may receive it several times. */
  issueToken(): Promise<TokenJourney>;
  /** Opens another browser of the same client. */
  openBrowser(persona?: Persona): ClientJourney;
  /**
   * Opens a second issuer, where the client is registered too. Faults of this issuer are allowed; it has its own log.
   */
  openOtherIssuer(): Promise<TestLatchkey>;
  /** Starts a login of the client, by default in the browser of the user, and withholds the response. */
  startLogin(journey?: ClientJourney): Promise<PendingLogin>;
  /** Advances the clock of the server, and with it that of a client that reads {@link ClientJourney.now}. */
  passTime(seconds: number): void;
}

/** What the fault of an attack can use: the hosts of the attacker, and the clock of the server. */
export interface Scene {
  readonly trap: Pick<Trap, "origin" | "addOrigin">;
  readonly as: { readonly clock: Pick<TestLatchkey["clock"], "now"> };
}

/** @internal Values, and the places where they must not appear. */
export interface Exposure {
  readonly values: readonly Value[];
  readonly places: readonly MarkerPlace[];
}

/** An attack. `JSON.stringify` leaves the functions out, so that the catalogue can be sent as it is. */
export interface Attack {
  /** Category and name: `id-token/alg-none`. Never changes. */
  readonly id: string;
  /** What the server does, one sentence. */
  readonly title: string;
  /** What a correct client does, one sentence. */
  readonly correctClient: string;
  /**
   * What to change in a client that fails, one sentence. Default: that of the effect. A client that crashes or does not
   * end needs the fix of that effect.
   */
  readonly fix?: string;
  /** What is expected of the client. */
  readonly level: AttackLevel;
  /** Where a correct client stops, if the level is `must-reject` or `should-reject`. Default: it only fails. */
  readonly stop?: Stop;
  /** What a client accepts if it does not reject the attack. */
  readonly accepts: Accepted;
  /** What a client must do by a specification. Absent: only harm that was seen fails a client. */
  readonly requirement?: Requirement;
  /** How the client begins the session; `any`: in the first way that its driver has. */
  readonly by: SessionStart | "any";
  /** What the client does while the attack is active, unless the parameter `journey` says something else. */
  readonly journey: Journey;
  /** The endpoints that the attack changes. */
  readonly endpoints: readonly string[];
  /** The specifications and reports that require it. */
  readonly sources: readonly string[];
  /** What the attack can vary. */
  readonly parameters: readonly FaultParameter[];
  /** The values that a check tries, each in a journey of its own. */
  readonly variants: readonly Readonly<Record<string, unknown>>[];
  /** Whether a correct client may request authorization again in the same login. */
  readonly allowsNewLogin: boolean;
  /** The capabilities without which the attack shows nothing, and is skipped. */
  readonly needs: readonly Capability[];
  /** Why a correct client may send no request that meets the attack, which then does not apply. Default: unclear. */
  readonly ifUnmet?: string;
  /**
   * Which values must not appear in which places, in any journey. An attack with this member has no journey of its own:
   * the scan of the others finds it.
   */
  readonly exposes?: readonly Exposure[];
  /** The endpoint of the fault, if it is none of those that the attack changes: `any`. */
  readonly on?: string;
  /**
   * Creates the fault of an attack that changes a response, for a test: `as.on("token").once(…)`. Absent if the attack
   * does something else.
   *
   * @throws {TypeError} If a parameter is unknown or its value has another type.
   */
  create?(values?: Readonly<Record<string, unknown>>): Fault;
  /**
   * Adds the faults.
   *
   * @throws {TypeError} If a parameter is unknown or its value has another type.
   */
  start(stage: Stage, values?: Readonly<Record<string, unknown>>): void | Promise<void>;
  /**
   * Does with the client what the journey consists of, such as the delivery of a response to another browser.
   *
   * @returns The session that the client reports, or a conclusion of its own. Default: what the journey is called.
   * @throws What the client throws.
   */
  perform?(stage: Stage, values?: Readonly<Record<string, unknown>>): Promise<ClientSession | Conclusion>;
  /** Assesses what the client did, instead of the level. `undefined`: the level decides. */
  assess?(observation: Observation): Assessment | undefined | Promise<Assessment | undefined>;
}

/** The members that have defaults by category (`attacks/categories.ts`). */
export type AttackDefaults = Partial<
  Omit<Attack, "id" | "title" | "sources" | "parameters" | "start" | "perform" | "assess">
>;

/** @internal How the journey ended for the client. */
export type JourneyOutcome =
  /** The client completed it. */
  | "accepted"
  /** The client reported an error. */
  | "rejected"
  /** The client threw an error that no code caught. */
  | "crashed"
  /** The client did not end within the time limit of the check. */
  | "hung";

/** @internal What was seen of the client in one journey: what a verdict rests on. */
export interface JourneyEvidence {
  /** How the journey ended; absent if there was none. */
  readonly outcome?: JourneyOutcome;
  /** The error of the client, if the outcome is `rejected` or `crashed`. */
  readonly error?: unknown;
  /** The exchanges of the journey, under an attack since it began; secrets included, oldest first. */
  readonly exchanges: readonly Exchange[];
  /** Whether a login succeeded in the journey after the attack had ended. Default: none was tried, or it failed. */
  readonly hasRecovered?: boolean;
}

/** @internal What the attack shows about the client. */
export interface Assessment {
  /** Whether the client behaves as a correct one. */
  readonly passed: boolean;
  /** What the client did, one sentence without a full stop. */
  readonly because: string;
  /** Whether a correct client can do the same, so that the attack shows nothing. Default: false. */
  readonly isUnclear?: boolean;
  /** Whether the attack does not apply to the client, as it turned out. Default: false. */
  readonly doesNotApply?: boolean;
  /** Whether the behaviour is safe: then it is only a warning, whatever the level of the attack. Default: false. */
  readonly isWarning?: boolean;
  /** What an attacker got, if this journey shows it; follows "the client": `sent the code to https://trap.test`. */
  readonly harm?: string;
  /**
   * What was seen, if the client failed. Default: that it crashed, hung, sent something to another host or logged in
   * another user; else the opposite of what the level expects.
   */
  readonly seen?: Seen;
}

/** @internal What an attack concludes itself. */
export interface Conclusion extends Assessment {
  /** How the client responded. */
  readonly outcome: "accepted" | "rejected";
}

/** A wait of a client on a device. */
export interface Wait {
  /** The number of the exchange before it. */
  readonly after: number;
  /** How long it would have taken, in milliseconds. */
  readonly milliseconds: number;
}

/** @internal What was seen while the attack was active, and what the attack can still find out. */
export interface Observation extends JourneyEvidence {
  /** How the journey ended. */
  readonly outcome: JourneyOutcome;
  /** Whether the client began the login again without end. */
  readonly isEndless: boolean;
  /** The session, if the outcome is `accepted` and the attack has no conclusion of its own. */
  readonly session?: ClientSession;
  /** What the attack concludes itself. */
  readonly conclusion?: Conclusion;
  /** The user who is logged in after the same journey without an attack. */
  readonly expectedSub: string;
  /** The texts that the application has from userinfo alone after a login without an attack, in lower case. */
  readonly usualOfUserinfo: readonly string[];
  /** The session of the login before the attack, if the journey has one. */
  readonly earlier?: ClientSession;
  /** What the client does without an attack, and what the check can do with it. */
  readonly capabilities: ReadonlySet<Capability>;
  /** The URLs that a client on a device opened, oldest first. */
  readonly opened: readonly string[];
  /** How long a client on a device waited without an advance of the clock, oldest first. */
  readonly waits: readonly Wait[];
  readonly trap: Trap;
  /** Searches what was seen in the journey. */
  readonly scan: () => readonly Sighting[];
  /** How many requests an endpoint has received until now. */
  readonly countRequests: (endpoint: string) => number;
  /** Whether the same client completes a login while the attack continues. */
  readonly logInAgain: () => Promise<boolean>;
  /** Ends the attack. Whether the same client then completes a login. */
  readonly recovers: () => Promise<boolean>;
  /** Ends the attack. Whether the session, which the journey had before it, then refreshes without a new login. */
  readonly refreshAgain: () => Promise<boolean>;
}

/**
 * Time between two logins, in seconds: longer than clients wait before they fetch keys again, which is five minutes in
 * some libraries, and shorter than they cache keys.
 */
export const secondsBetweenLogins = 330;

/** The category of an attack or a fault: the part of its id before the slash or the dot. */
export function categoryOf(id: string): string {
  return id.split(/[/.]/, 1)[0]!;
}

/** The ids that have a name after their category: `id-token/alg-none` for `alg-none`. */
export function idsNamed(name: string, ids: readonly string[]): readonly string[] {
  return name === "" ? [] : ids.filter((id) => id.slice(categoryOf(id).length + 1) === name);
}

const journeyNeeds: Readonly<Partial<Record<Journey, readonly Capability[]>>> = {
  "second issuer": ["severalIssuers", "logIn"],
  refresh: ["refresh"],
  logout: ["logOut"],
  "silent login": ["logInSilently"],
};

export function journeyOf({ journey }: Attack, values: Readonly<Record<string, unknown>>): Journey {
  return values.journey as Journey | undefined ?? journey;
}

/** Whether the client is to find new keys, for which it may need several logins. */
export const isPatient = ({ level, id }: Pick<Attack, "level" | "id">): boolean =>
  level === "must-tolerate" && id.startsWith("keys/");

/** Whether the server does in each login of the attack what it does in the first. */
export const mayBeginAgain = (attack: Pick<Attack, "level" | "id" | "allowsNewLogin">): boolean =>
  !attack.allowsNewLogin && !isPatient(attack);

/** What one variant needs; without it the variant is skipped. */
export function needsOf(attack: Attack, values: Readonly<Record<string, unknown>>): readonly Capability[] {
  const { by, needs, endpoints } = attack;
  // The response to an authorization request may have the tokens.
  const precedesTokens = endpoints.some((endpoint) => ["register", "par", "authorize"].includes(endpoint));
  return [
    ...by !== "any" ? [by] : precedesTokens ? [] : ["requestsTokens"] as const,
    ...needs,
    ...journeyNeeds[journeyOf(attack, values)] ?? [],
    ...values.how === "no response" ? ["timeLimits"] as const : [],
  ];
}

/** The further journeys in which a client checks the response to an authorization request. */
export const everyLogin = ["second login", "silent login"] as const;

/** Whether an authorization request without pages fails because it needs them. */
function needsPages({ response }: Exchange): boolean {
  return response?.authorizationResponse?.params.some(([name, value]) =>
    (name === "response" ? decodeJwtPart(value, 1).error : value) === "login_required"
  ) ?? false;
}

/**
 * The number of authorization requests, without those that only try, counted by `state`, because the pages of one login
 * repeat its request.
 */
export function countLogins(exchanges: readonly Exchange[]): number {
  const requests = exchanges.filter((exchange) => exchange.endpoint === "authorize" && !needsPages(exchange));
  const states = requests.map(({ number, request }) =>
    findParam(request, "state") ?? findParam(request, "request_uri") ?? number
  );
  return new Set(states).size;
}

/**
 * The exchanges before a second login begins, which shows in a surplus authorization request.
 *
 * @param usual The number of authorization requests in one login.
 */
export function exchangesOfOneLogin(exchanges: readonly Exchange[], usual: number): readonly Exchange[] {
  const end = exchanges.findIndex((_, index) => countLogins(exchanges.slice(0, index + 1)) > usual);
  return end < 0 ? exchanges : exchanges.slice(0, end);
}

export function exchangesOf({ exchanges }: Observation, endpoint: string): readonly Exchange[] {
  return exchanges.filter((exchange) => exchange.endpoint === endpoint);
}
