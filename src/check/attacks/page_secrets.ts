/** Secrets in the pages, cookies and URLs of a web application. */

import { parseJsonObject } from "../../platform/http/json_body.ts";
import { decodeFormValue } from "../../recorder/record_request.ts";
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

/** The sources of the attacks on tokens in a browser. */
const sources = ["RFC 10017 §6.1", "RFC 9700 §4.16", "OWASP ASVS 3.3"];

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
    id: "session/token-in-url",
    title: "The URLs of a login appear in the browser history, in logs and in Referer headers.",
    correctClient: "The client puts no token into a URL.",
    needs: ["visits"],
    duty: "RFC 9700 §4.3.2",
    sources: ["RFC 6750 §5.3", "RFC 9700 §4.2"],
    async perform({ as, driver, journey }) {
      await driver.logIn!(journey);
      const urls = journey.browser.visits.flatMap(({ url, location }) => [url, location ?? ""]).map(decodeFormValue);
      const found = issuedTokens(as).find(([, token]) => urls.some((url) => url.includes(token)));
      return conclude(found && `a URL of the application has the ${found[0]}`, "no URL has a token", "exposed");
    },
  }),
  defineAttack({
    id: "session/token-in-page",
    level: "should-reject",
    title: "A script in a page of the application reads the page.",
    correctClient: "The client writes no token into its pages.",
    needs: ["visits"],
    sources,
    async perform({ as, driver, journey }) {
      await driver.logIn!(journey);
      const tokens = issuedTokens(as);
      const found = tokens.find(([, token]) => journey.browser.visits.some(({ html }) => html.includes(token)));
      return conclude(found && `a page of the application has the ${found[0]}`, "no page has a token", "exposed");
    },
  }),
  defineAttack({
    id: "session/token-in-cookie",
    level: "should-reject",
    title: "A script in a page of the application reads the cookies.",
    correctClient: "The client sets no cookie without HttpOnly that has a token.",
    needs: ["visits"],
    sources,
    async perform({ as, driver, journey }) {
      await driver.logIn!(journey);
      const readable = journey.browser.cookies.all().filter(({ httpOnly }) => !httpOnly);
      const tokens = issuedTokens(as);
      const found = tokens.find(([, token]) => readable.some(({ value }) => decodeFormValue(value).includes(token)));
      return conclude(
        found && `a cookie without HttpOnly has the ${found[0]}`,
        "no cookie for scripts has a token",
        "exposed",
      );
    },
  }),
  defineAttack({
    id: "session/code-in-url",
    level: "should-reject",
    title: "The page at which the login ends loads something from another host, which receives the URL as Referer.",
    correctClient: "The client redirects the browser to a URL without the code.",
    needs: ["visits"],
    sources: ["RFC 9700 §4.2.4", "RFC 9700 §4.3.1"],
    async perform({ driver, journey }) {
      await driver.logIn!(journey);
      const shown = journey.browser.visits.find(({ url, location, html }) =>
        location === undefined && html !== "" && new URL(url).searchParams.has("code")
      );
      return conclude(
        shown && "the page at the redirect URI has the code in its URL",
        "no page has the code in its URL",
        "exposed",
      );
    },
  }),
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
