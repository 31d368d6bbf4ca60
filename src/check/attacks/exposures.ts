/**
 * Which value may appear where. The scan of every journey (`check/markers.ts`) searches for each value that was issued
 * or sent; a row names the places where it must not be. A place that no row names is legal, such as a cookie with
 * HttpOnly.
 */

import { type Attack, defineAttack } from "../define_attack.ts";

/** The tokens that belong to the server part of a web application. */
const tokens = ["access token", "refresh token", "ID token"] as const;

/** The sources of the rows on tokens in a browser. */
const sources = ["RFC 10017 §6.1", "RFC 9700 §4.16", "OWASP ASVS 3.3"];

/** The attacks of the category `session` that the scan of the other journeys finds. */
export const exposures: readonly Attack[] = [
  defineAttack({
    id: "session/token-in-url",
    fix: "Send tokens in the body or the header of a request, and redirect the browser to a URL without them.",
    title: "The URLs of a login appear in the browser history, in logs and in Referer headers.",
    correctClient: "The client puts no token into a URL.",
    needs: ["visits"],
    requirement: "RFC 9700 §4.3.2",
    sources: ["RFC 6750 §5.3", "RFC 9700 §4.2"],
    exposes: [{ values: tokens, places: ["URL"] }],
  }),
  defineAttack({
    id: "session/token-in-page",
    fix: "Keep tokens on the server, and write none into a page.",
    level: "should-reject",
    title: "A script in a page of the application reads the page.",
    correctClient: "The client writes no token into its pages.",
    needs: ["visits"],
    sources,
    exposes: [{ values: tokens, places: ["page"] }],
  }),
  defineAttack({
    id: "session/token-in-cookie",
    fix: "Set a cookie that has a token with HttpOnly, or keep the token on the server.",
    level: "should-reject",
    title: "A script in a page of the application reads the cookies.",
    correctClient: "The client sets no cookie without HttpOnly that has a token.",
    needs: ["visits"],
    sources,
    exposes: [{ values: tokens, places: ["cookie for scripts"] }],
  }),
  defineAttack({
    id: "session/code-in-url",
    fix: "After the token request, redirect the browser to a URL without the code.",
    level: "should-reject",
    title: "The page at which the login ends loads something from another host, which receives the URL as Referer.",
    correctClient: "The client redirects the browser to a URL without the code.",
    needs: ["visits"],
    sources: ["RFC 9700 §4.2.4", "RFC 9700 §4.3.1"],
    exposes: [{ values: ["code"], places: ["URL of a page"] }],
  }),
  defineAttack({
    id: "session/secret-exposed",
    fix:
      "Send the client secret, assertions and device codes only to the server, in the body or the header of a request.",
    title: "The user of the application reads everything that the browser receives and sends.",
    correctClient: "The client keeps its secret, its assertions and its device codes on the server.",
    requirement: "RFC 6749 §10.1",
    sources: ["RFC 6749 §2.3.1", "RFC 8628 §5.2"],
    exposes: [{
      values: ["client secret", "client assertion", "device code"],
      places: ["URL", "page", "data", "cookie", "cookie for scripts", "authorization request"],
    }],
  }),
  defineAttack({
    id: "session/verifier-exposed",
    fix: "Make state a random value of its own, and keep the code verifier and tokens out of every URL.",
    title: "An observer of the URLs of a login reads every parameter, in whatever form it is encoded.",
    correctClient:
      "The client sends the code verifier and its tokens in no authorization request, and in no other URL.",
    requirement: "RFC 7636 §7.1",
    sources: ["RFC 9700 §2.1.1", "RFC 9700 §4.2.4"],
    exposes: [
      { values: ["code verifier"], places: ["URL", "authorization request"] },
      { values: ["access token", "refresh token"], places: ["authorization request"] },
    ],
  }),
  defineAttack({
    id: "session/refresh-token-exposed",
    fix: "Keep refresh tokens and code verifiers on the server, and send scripts at most an access token.",
    level: "should-reject",
    title: "A script in a page of the application requests the responses that the page itself requests.",
    correctClient: "The client keeps refresh tokens on the server, and gives scripts at most access tokens.",
    needs: ["visits"],
    sources: ["RFC 10017 §6.2", "RFC 9700 §4.14.2"],
    exposes: [{ values: ["refresh token", "code verifier"], places: ["data"] }],
  }),
  defineAttack({
    id: "session/user-in-shared-cache",
    fix: "Send Cache-Control: no-store with pages that show the user or set cookies.",
    level: "should-reject",
    title: "A shared cache keeps what its headers allow, and sends it to the next user.",
    correctClient: "The client marks pages that show the user or set cookies as private or no-store.",
    needs: ["visits"],
    sources: ["RFC 9111 §3", "RFC 9111 §7.3", "CWE-525"],
    exposes: [{ values: ["user"], places: ["shared cache"] }],
  }),
];
