/**
 * What an attacker can change in the requests of a browser: a table of cookies and header fields. After each change the
 * check looks who is logged in, and whether another site can read the page.
 */

import { decodeBase64url, encodeBase64url } from "../../core/keys/crypto.ts";
import type { User } from "../../core/clients/client.ts";
import { decodeFormValue } from "../../recorder/record_request.ts";
import type { Cookie } from "../../testing/browser/cookie_jar.ts";
import { type Attack, type Conclusion, defineAttack, type Stage } from "../define_attack.ts";
import type { Seen } from "../effects.ts";
import { conclude } from "./conclusions.ts";
import { LoginLimitError, UndecidedError } from "../driver.ts";
import { inventedUsers } from "../user_texts.ts";
import { setCookies } from "./open_logins.ts";

/** A login, and what the browser had. */
interface Login {
  /** The cookies with which the login began. */
  readonly before: readonly Cookie[];
  /** The cookies after the login without which the user is not logged in. */
  readonly session: readonly Cookie[];
  readonly all: readonly Cookie[];
  readonly user: User;
  readonly other: User;
  readonly origin: string;
  readonly attacker: string;
}

/** What the browser sends instead of what it should send. */
interface Change {
  /** What it sends; follows "with". */
  readonly what: string;
  readonly cookies: readonly Cookie[];
  /** Default: none. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Whether the user stays logged in. Default: no one is logged in. */
  readonly keepsUser?: boolean;
}

interface Row extends Pick<Attack, "id" | "title" | "correctClient" | "sources" | "fix"> {
  /** Default: `must-reject`. */
  readonly level?: "should-reject";
  /** What was seen if a user is logged in. */
  readonly seen: Seen;
  /** What is wrong before any change. Default: nothing. */
  readonly flaw?: (login: Login) => string | undefined;
  /** Default: none. */
  readonly changes?: (login: Login) => readonly Change[];
}

/** Header fields in which proxies send the user whom they have authenticated. */
const userHeaders = [
  ...["x-forwarded-user", "x-forwarded-preferred-username", "x-forwarded-email", "x-auth-request-user", "remote-user"],
  ...["x-auth-request-email", "x-remote-user", "x-webauth-user", "x-authenticated-user", "x-user", "x-user-id"],
  "x-ms-client-principal-name",
];

/** The claims of a user replaced by those of another user. */
function replaceUser(text: string, { user, other }: Login): string {
  const names = ["sub", "email", "name", "preferred_username"] as const;
  const known = names.filter((name) => typeof user[name] === "string" && typeof other[name] === "string");
  return known.reduce((changed, name) => changed.replaceAll(String(user[name]), String(other[name])), text);
}

/** A text in base64 or base64url changed; `undefined` if it is neither. */
function changeBase64(text: string, change: (text: string) => string): string | undefined {
  try {
    const plain = text.replaceAll("+", "-").replaceAll("/", "_").replace(/={1,2}$/, "");
    const changed = encodeBase64url(change(new TextDecoder("utf-8", { fatal: true }).decode(decodeBase64url(plain))));
    return text.endsWith("=") ? changed.padEnd(Math.ceil(changed.length / 4) * 4, "=") : changed;
  } catch {
    return undefined;
  }
}

/** A cookie value with another user in each form that it can have, also as a JWT without a signature. */
function withOtherUser(value: string, login: Login): readonly string[] {
  const plain = decodeFormValue(value);
  const change = (text: string) => replaceUser(text, login);
  const [header = "", payload = "", signature] = plain.split(".");
  const changed = changeBase64(payload, change);
  const unsigned = changeBase64(header, (text) => text.replace(/"alg":"[^"]*"/, '"alg":"none"'));
  const tries = [
    ...[change(plain), change(encodeURIComponent(plain)), changeBase64(plain, change)],
    ...signature === undefined || changed === undefined
      ? []
      : [`${header}.${changed}.${signature}`, unsigned && `${unsigned}.${changed}.`],
  ];
  const written = tries.flatMap((text) =>
    text === undefined ? [] : value === plain ? [text] : [encodeURIComponent(text)]
  );
  return [...new Set(written)].filter((text) => text !== value && decodeFormValue(text) !== plain);
}

/** Each cookie with a changed value, among all others. */
const eachCookie = (
  what: string,
  cookies: readonly Cookie[],
  write: (value: string) => readonly string[],
  others: readonly Cookie[],
) =>
  cookies.flatMap((cookie) =>
    write(cookie.value).map((value): Change => ({
      what: `${what} in the cookie ${cookie.name}`,
      cookies: [...others.filter((other) => other !== cookie), { ...cookie, value }],
    }))
  );

const rows: readonly Row[] = [
  {
    id: "session/fixed",
    fix: "Create a new random session id when the user is logged in, and end the session of the old one.",
    title: "An attacker knows the session cookies that a browser had before the login (session fixation).",
    correctClient: "The client creates a new session id at login, so that the old cookies have no session.",
    sources: ["CWE-384", "OWASP ASVS 7.2.4"],
    seen: "mixed",
    changes: ({ before }) => [{ what: "the cookies from before the login", cookies: before }],
  },
  {
    id: "session/cookie-forged",
    fix:
      "Sign or encrypt the content of the cookie and reject a cookie that does not verify, or keep the content on the server.",
    title: "A user writes the claims of another user into the session cookie, in whatever form it is encoded.",
    correctClient: "The client signs or encrypts what it keeps in cookies, or keeps it on the server.",
    sources: ["CWE-565", "OWASP ASVS 9.1.1"],
    seen: "otherUser",
    changes(login) {
      const { all, session } = login;
      const write = (value: string) => withOtherUser(value, login);
      const what = "the claims of another user";
      return [...eachCookie(what, all, write, []), ...eachCookie(what, session, write, all)];
    },
  },
  {
    id: "session/cookie-flags",
    fix: "Set the session cookie with HttpOnly, Secure and SameSite=Lax or Strict.",
    level: "should-reject",
    title: "A script, an http connection or another site can read or use the session cookie.",
    correctClient:
      "The client sets the session cookie with HttpOnly, with Secure if it uses https, and without SameSite=None.",
    sources: ["RFC 6265 §8.3", "RFC 10017 §6.1.3.2", "OWASP ASVS 3.3"],
    seen: "exposed",
    flaw({ session }) {
      const lacking = session.flatMap(({ name, httpOnly, secure, sameSite, origin }) => [
        ...httpOnly ? [] : [`${name} without HttpOnly`],
        ...secure || !origin.startsWith("https:") ? [] : [`${name} without Secure`],
        .../^none$/i.test(sameSite ?? "") ? [`${name} with SameSite=None`] : [],
      ]);
      return lacking.length === 0 ? undefined : `the application sets the cookie ${lacking.join(", and ")}`;
    },
  },
  {
    id: "session/user-header",
    fix: "Read the user from such header fields only in requests of your own proxy, which removes them from others.",
    title: "A browser without cookies sends the header fields in which proxies name the user.",
    correctClient: "The client accepts these header fields only from its own proxy.",
    sources: ["CWE-290", "CWE-348"],
    seen: "otherUser",
    changes: ({ user }) => [{
      what: "a header field of a proxy",
      cookies: [],
      headers: Object.fromEntries(
        userHeaders.map((name) => [name, name.endsWith("email") ? String(user.email ?? user.sub) : user.sub]),
      ),
    }],
  },
  {
    id: "session/read-by-other-site",
    fix: "Send Access-Control-Allow-Credentials only to origins of your own, compared as a whole.",
    title: "A script of another site requests a page of the user, with the cookies (CORS).",
    correctClient: "The client lets no other site read pages with credentials.",
    sources: ["CWE-942", "RFC 10017 §6.1.3.3"],
    seen: "exposed",
    changes: ({ all, attacker, origin }) =>
      [attacker, "null", `${origin}.${new URL(attacker).host}`].map((site) => ({
        ...{ what: `the origin ${site}`, cookies: all, keepsUser: true },
        headers: { origin: site, "sec-fetch-site": "cross-site", "sec-fetch-mode": "cors" },
      })),
  },
];

/** Logs in, makes each change, and checks who is logged in and who can read the page. */
async function tamper(
  { as, journey, startLogin, trap, expectedSub }: Stage,
  { seen, flaw, changes }: Row,
): Promise<Conclusion> {
  const { cookies, visits } = journey.browser;
  const headers: Record<string, string> = {};
  const { callback, session, respond } = await startLogin({ ...journey, headers });
  const before = cookies.all();
  respond(callback);
  const { currentUser } = await session;
  const all = cookies.all();
  const needed: Cookie[] = [];
  for (const cookie of all) {
    setCookies(cookies, all.filter((other) => other !== cookie));
    if (await currentUser!() === undefined) needed.push(cookie);
  }
  const [user = { sub: expectedSub }, other = inventedUsers[0]] = await as.users.list();
  const { origin } = new URL(journey.redirectUri);
  const login = { before, session: needed, all, user, other, origin, attacker: trap.origin };
  const wrong = flaw?.(login);
  if (wrong !== undefined) return conclude(wrong, "", seen);
  for (const change of changes?.(login) ?? []) {
    setCookies(cookies, change.cookies);
    for (const name of Object.keys(headers)) delete headers[name];
    Object.assign(headers, change.headers);
    // A changed cookie can lead to an error.
    const found = await currentUser!().catch((thrown: unknown) => {
      if (!(thrown instanceof UndecidedError) || thrown instanceof LoginLimitError) throw thrown;
      return undefined;
    });
    const { headers: response = {} } = visits.at(-1)!;
    const allowed = response["access-control-allow-origin"];
    if (found !== undefined && !change.keepsUser) {
      const harm = `let a sender of ${change.what} act as ${found}`;
      return conclude(`with ${change.what}, ${found} is logged in`, "", seen, harm);
    }
    if (allowed === headers.origin && response["access-control-allow-credentials"] === "true") {
      return conclude(
        `a script of ${allowed} can read the page`,
        "",
        "exposed",
        `let ${allowed} read a page of a user`,
      );
    }
  }
  return conclude(undefined, "no one is logged in by what an attacker sends, and no other site reads the page");
}

/** The attacks of the category `session` on what a browser sends. */
export const tamperingAttacks: readonly Attack[] = [
  ...rows.map((row) => {
    const { seen: _, flaw: __, changes: ___, ...attack } = row;
    return defineAttack({
      ...attack,
      needs: ["visits", "currentUser", "cookieSession"],
      perform: (stage) => tamper(stage, row),
    });
  }),
];
