/** Several logins that are open at the same time: whose session and whose values each gets. */

import { sha256 } from "../../core/keys/crypto.ts";
import { parseJsonObject } from "../../platform/http/json_body.ts";
import { findParam } from "../../recorder/record_request.ts";
import type { User } from "../../core/clients/client.ts";
import type { Cookie, CookieJar } from "../../testing/browser/cookie_jar.ts";
import type { TestLatchkey } from "../../testing/test_latchkey.ts";
import type { Conclusion, Stage } from "../attack.ts";
import { type ClientJourney, UndecidedError } from "../driver.ts";
import { conclude } from "./conclusions.ts";
import { sleep } from "../../core/http/timers.ts";

/** The step and the limit of the wait for requests of the client, in milliseconds. */
const [stepMs, maxMs] = [10, 200] as const;

/** Waits until the client has sent its requests, or for {@link maxMs}; then one more step, for what follows. */
export async function waitUntil(isSent: () => boolean): Promise<void> {
  for (let waited = 0; !isSent() && waited < maxMs; waited += stepMs) await sleep(stepMs);
  await sleep(stepMs);
}

/** The second user of a server. @throws {UndecidedError} If the server has one user. */
export async function findSecondUser({ users }: TestLatchkey): Promise<User> {
  const [, second] = await users.list();
  if (second === undefined) throw new UndecidedError("the server has one user");
  return second;
}

/** Replaces the cookies of a browser. */
export function setCookies(jar: CookieJar, cookies: readonly Cookie[]): void {
  jar.clear();
  for (const { name, value, origin, path, secure } of cookies) {
    const line = `${name}=${value}; Path=${path}${secure ? "; Secure" : ""}`;
    jar.storeFrom(`${origin}${path}`, new Headers({ "set-cookie": line }));
  }
}

/** Finds out who is logged in, in the browser that began a login but did not complete it. */
async function userOfBeginner(stage: Stage, began: ClientJourney): Promise<string | undefined> {
  const { driver, openBrowser, capabilities } = stage;
  if (driver.recordsVisits) {
    if (!capabilities.has("cookieSession")) return undefined;
    const other = openBrowser();
    const { currentUser } = await driver.logIn!(other);
    setCookies(other.browser.cookies, began.browser.cookies.all());
    return await currentUser?.();
  }
  const authorize = () => Promise.reject(new Error("the browser of the attacker opens no other URL"));
  return (await driver.logIn!({ ...began, authorize }).catch(() => undefined))?.sub;
}

/** Whether the browser that began a login is logged in as the user who completed it (session fixation). */
export async function concludeFixation(stage: Stage, began: ClientJourney, delivered: Conclusion): Promise<Conclusion> {
  const user = await userOfBeginner(stage, began);
  return user !== stage.expectedSub ? delivered : conclude(
    `the browser that began the login is logged in as ${JSON.stringify(user)}`,
    "",
    "otherUser",
    `logged in the browser of an attacker as ${JSON.stringify(user)}`,
  );
}

/** Whether a code was sent with the verifier of another login, although the response had the state of its own. */
export async function hasVerifierOfOther({ as }: Stage): Promise<boolean> {
  const { unmasked } = as.log;
  const requests = unmasked.filter("authorize");
  for (const { request } of unmasked.filter("token", { grant_type: "authorization_code" })) {
    const [code, verifier] = [findParam(request, "code"), findParam(request, "code_verifier")];
    const login = requests.find(({ response }) =>
      response?.authorizationResponse?.params.some(([name, value]) => name === "code" && value === code)
    );
    const challenge = login && findParam(login.request, "code_challenge");
    const state = login && findParam(login.request, "state");
    // Without a state of its own a response cannot name its login.
    const isShared = requests.some((other) => other !== login && findParam(other.request, "state") === state);
    if (verifier === undefined || challenge === undefined || isShared) continue;
    if (await sha256(verifier) !== challenge) return true;
  }
  return false;
}

/** A parameter that must be fresh in each authorization request, and that two requests share. */
export function sharedParameter({ as }: Stage): string | undefined {
  const requests = as.log.unmasked.exchanges.filter(({ endpoint }) => endpoint === "authorize" || endpoint === "par");
  return ["code_challenge", "nonce"].find((name) => {
    const byState = new Map(requests.map(({ request }) => [findParam(request, "state"), findParam(request, name)]));
    const values = [...byState].flatMap(([state, value]) => state === undefined ? [] : value ?? []);
    return values.length > new Set(values).size;
  });
}

const tokenNames = ["access_token", "refresh_token", "id_token"] as const;

/** The tokens that were issued, by name, oldest first. */
export function loggedTokens({ log }: TestLatchkey): readonly (readonly [name: string, token: string])[] {
  return log.unmasked.filter("token").flatMap(({ response }) => {
    const members = parseJsonObject(response?.body ?? "{}") ?? {};
    return tokenNames.flatMap((name) => {
      const token = members[name];
      return typeof token === "string" ? [[name, token] as const] : [];
    });
  });
}
