/** Secrets in the pages, cookies and URLs of a web application. */

import { parseJsonObject } from "../../platform/http/json_body.ts";
import type { CookieJar } from "../../testing/browser/cookie_jar.ts";
import type { TestLatchkey } from "../../testing/test_latchkey.ts";
import { type Attack, defineAttack } from "../define_attack.ts";
import type { ClientSession } from "../driver.ts";
import { setCookies } from "./browser_session.ts";
import { conclude, undecided } from "./conclusions.ts";
import { concludeFixation, findSecondUser } from "./open_logins.ts";

const tokenNames = ["access_token", "refresh_token", "id_token"] as const;

/** The tokens that were issued, by name, oldest first. */
export function issuedTokens({ log }: TestLatchkey): readonly (readonly [name: string, token: string])[] {
  return log.unmasked.filter("token").flatMap(({ response }) => {
    const members = parseJsonObject(response?.body ?? "{}") ?? {};
    return tokenNames.flatMap((name) => {
      const token = members[name];
      return typeof token === "string" ? [[name, token] as const] : [];
    });
  });
}

/** At most so many characters of a session id that an attacker can guess differ from those of the id before. */
const maxGuessedChars = 8;

/** Whether texts are one text with a number that counts. */
function isCounting(values: readonly string[]): boolean {
  const numbers = values.map((value) => Number(/\d+/.exec(value)?.[0] ?? NaN));
  return new Set(values.map((value) => value.replace(/\d+/, "#"))).size === 1 &&
    numbers.slice(1).every((number, index) => number > numbers[index]! && number - numbers[index]! <= 100);
}

/** Whether texts are as long as each other, grow, and differ in a few characters at the end: a clock. */
function isClock(values: readonly string[]): boolean {
  return values.slice(1).every((value, index) => {
    const before = values[index]!;
    const rest = [...value].findIndex((char, place) => char !== before[place]);
    return value.length === before.length && value > before && value.length - rest <= maxGuessedChars;
  });
}

/** The attacks of the category `session` on secrets in a browser. */
export const pageSecretAttacks: readonly Attack[] = [
  defineAttack({
    id: "session/id-predictable",
    title: "Three users log in one after the other, and an attacker knows one of the session cookies.",
    correctClient: "The client creates random session ids.",
    needs: ["visits", "currentUser", "cookieSession"],
    sources: ["CWE-330", "OWASP ASVS 7.2.3", "RFC 6749 §10.10"],
    async perform({ driver, openBrowser }) {
      const values = new Map<string, string[]>();
      let last: { readonly cookies: CookieJar; readonly session: ClientSession } | undefined;
      for (let login = 0; login < 3; login++) {
        const journey = openBrowser();
        const { cookies } = journey.browser;
        last = { cookies, session: await driver.logIn!(journey) };
        for (const { name, value } of cookies.all()) values.set(name, [...values.get(name) ?? [], value]);
      }
      if (values.size === 0) return undecided("the application sets no cookie");
      const { cookies, session } = last!;
      const all = cookies.all();
      for (const [name, each] of values) {
        if (each.length < 3 || !isCounting(each) && !isClock(each)) continue;
        setCookies(cookies, all.filter((cookie) => cookie.name === name));
        // The value of another cookie logs no user in.
        const user = await session.currentUser!();
        if (user === undefined) continue;
        const because = `the cookie ${name} is a counter or a clock: ${each.join(", ")}`;
        return conclude(because, "", "mixed", `lets an attacker who guesses the cookie ${name} act as ${user}`);
      }
      return conclude(undefined, "no cookie that names a session is a counter or a clock");
    },
  }),
  defineAttack({
    id: "session/login-url-fixed",
    title: "An attacker begins a login and sends a user the URL of the application that redirects to the server.",
    correctClient: "The client logs in the browser of the user or no browser, never that of the attacker.",
    needs: ["visits", "receive", "receiveCallback", "currentUser", "namesUser", "cookieSession", "secondUser"],
    sources: [
      "draft-ietf-oauth-security-topics-update-03 §2.3",
      "RFC 9700 §4.7",
    ],
    async perform(stage) {
      const { as, driver, journey, openBrowser, startLogin } = stage;
      const attacker = await findSecondUser(as);
      const began = openBrowser({ as: attacker.sub });
      await startLogin(began);
      const isAtServer = (url = "") => url.startsWith(`${as.issuer}/`);
      const start = began.browser.visits.find(({ location }) => isAtServer(location))?.url;
      if (start === undefined) return undecided("the application does not redirect the browser to the server");
      const { headers } = await driver.receive!(journey, new Request(start));
      const location = headers.get("location") ?? "";
      if (!isAtServer(location)) return conclude(undefined, `${start} begins no login in another browser`);
      await driver.receiveCallback!(journey, await journey.authorize(location)).catch(() => undefined);
      return await concludeFixation(
        stage,
        began,
        conclude(undefined, "the browser that began the login is not logged in as another user"),
      );
    },
  }),
];
