/** Browser sessions of a web application (OWASP Session Management; RFC 9700 §4.7). */

import { parseJsonObject } from "../../platform/http/json_body.ts";
import type { Exchange } from "../../recorder/exchange.ts";
import { decodeJwtPart } from "../../platform/http/jwt_part.ts";
import { findParam } from "../../recorder/record_request.ts";
import type { CookieJar } from "../../testing/browser/cookie_jar.ts";
import { editAuthorizationResponse } from "../../testing/faults/edit_authorization_response.ts";
import type { Fault } from "../../testing/faults/fault.ts";
import { error } from "../../testing/faults/mod.ts";
import { type Attack, type Conclusion, defineAttack } from "../define_attack.ts";
import { type ClientSession, LoginLimitError } from "../driver.ts";
import { hostileUri, markup } from "../markers.ts";
import { oneOf } from "./parameters.ts";
import { conclude, unclear } from "./conclusions.ts";
import { concludeFixation, findSecondUser, setCookies } from "./open_logins.ts";
import { withChange } from "../../testing/faults/with_change.ts";

/** The users of the userinfo responses since an exchange. */
function usersOfUserinfo(exchanges: readonly Exchange[], since: number): readonly unknown[] {
  return exchanges.slice(since).flatMap(({ endpoint, response }) =>
    endpoint === "userinfo" && response?.status === 200 ? [parseJsonObject(response.body ?? "{}")?.sub] : []
  );
}

/** The users to whom the refresh tokens belong that were sent since an exchange. */
function usersOfRefreshes(exchanges: readonly Exchange[], since: number): readonly unknown[] {
  const issued = exchanges.filter(({ endpoint }) => endpoint === "token").map(({ response }) =>
    parseJsonObject(response?.body ?? "{}")
  );
  return exchanges.slice(since).flatMap(({ request }) => {
    const sent = findParam(request, "refresh_token");
    const source = sent === undefined ? undefined : issued.find((members) => members?.refresh_token === sent);
    return source === undefined ? [] : decodeJwtPart(String(source.id_token), 1).sub ?? [];
  });
}

/** Where a text of the server can appear in a page. */
const markedPlaces = [
  ...["error_description", "error", "error_uri", "state", "iss", "token error", "name", "claims", "sub"],
];

/** Claims of a user that a page can show. */
const shownClaims = [
  ...[
    "name",
    "given_name",
    "family_name",
    "middle_name",
    "nickname",
    "preferred_username",
    "email",
    "gender",
    "locale",
  ],
  ...["zoneinfo", "birthdate", "phone_number"],
];

/** A fault that describes a user with other claims. */
function markedClaims(claims: Readonly<Record<string, unknown>>): Fault {
  return {
    name: "markup in claims",
    waitsFor: "signed an ID token",
    extend: (server, context) => ({
      ...server,
      claimChange: withChange(server, (kind, overridden) => {
        if (kind === "id_token") context.consume();
        return kind === "id_token" || kind === "userinfo" ? { ...overridden, ...claims } : overridden;
      }),
    }),
  };
}

/** At most so many characters of a session id that an attacker can guess differ from those of the id before. */
const maxGuessedChars = 8;

/** Whether texts differ only in their first number, which grows in small steps. */
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

/** The attacks of the category `session`. */
export const browserSessionAttacks: readonly Attack[] = [
  defineAttack({
    id: "session/two-users",
    title: "Two users are logged in at the same time, each in their own browser.",
    correctClient: "The client keeps the user and the tokens of each browser apart.",
    journey: "session",
    needs: ["journeyBrowser", "namesUser", "secondUser"],
    sources: ["RFC 6749 §10.3", "OpenID Connect Core §5.3.2"],
    async perform({ as, driver, openBrowser, session, expectedSub }) {
      const [first, second] = await as.users.list();
      if (second === undefined) return unclear("the server has one user");
      const fail = (harm: string): Conclusion => conclude(`the client ${harm}`, "", "mixed", harm);
      const other = await driver.logIn!(openBrowser({ as: second.sub }));
      if (other.sub === expectedSub) return fail("gave the second browser the user of the first");
      const user = session!.currentUser === undefined ? session!.sub : await session!.currentUser();
      if (user !== expectedSub) return fail("gave the first browser another user after the login in the second");
      for (const [act, token] of [[session!.request, usersOfUserinfo], [session!.refresh, usersOfRefreshes]] as const) {
        const earlier = as.log.unmasked.exchanges.length;
        await act?.().catch(() => {});
        const users = token(as.log.unmasked.exchanges, earlier);
        if (users.some((sub) => sub !== first!.sub)) return fail("used a token of the second browser in the first");
      }
      return { outcome: "rejected", passed: true, because: "each browser has its own user and tokens" };
    },
  }),
  defineAttack({
    id: "session/markup",
    title:
      "A parameter of the authorization response, an error of the token endpoint or the user's name has HTML markup.",
    correctClient: "The client escapes all text in its pages, and links only to https URLs.",
    endpoints: ["authorize", "token", "userinfo"],
    needs: ["visits"],
    sources: ["RFC 6749 §4.1.2.1", "CWE-79"],
    ...oneOf("where", markedPlaces),
    start({ as }, { where }) {
      if (where === "token error") {
        return void as.on("token").once(error("invalid_grant", { description: markup("token_error") }));
      }
      const claims = (names: readonly string[]) => Object.fromEntries(names.map((name) => [name, markup(name)]));
      if (where === "name" || where === "sub") return void as.on("any").always(markedClaims(claims([where])));
      if (where === "claims") {
        const links = ["profile", "picture", "website"].map((name) => [name, hostileUri(name)]);
        const address = { formatted: markup("address"), country: markup("country") };
        return void as.on("any").always(
          markedClaims({ ...claims(shownClaims), ...Object.fromEntries(links), address }),
        );
      }
      const marked = where === "error_uri" ? hostileUri(where) : markup(where);
      as.on("authorize").once(editAuthorizationResponse(`markup in ${where}`, (fields) => [
        ...fields.filter(([name]) => name !== where && (name !== "code" || where === "state" || where === "iss")),
        ...where === "error" || where === "state" || where === "iss" ? [] : [["error", "access_denied"] as const],
        [where, marked],
      ]));
    },
    async perform({ driver, journey }) {
      await driver.logIn!(journey).catch((thrown: unknown) => {
        if (thrown instanceof LoginLimitError) throw thrown;
      });
      return conclude(undefined, "no page has the text as HTML markup");
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
      if (values.size === 0) return unclear("the application sets no cookie");
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
      if (start === undefined) return unclear("the application does not redirect the browser to the server");
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
