/**
 * Login and consent by pages (`login: "interactive"`), between an authorization request and its response.
 *
 * 1. `/oauth2/authorize` asks `pagesApprover`. If session and consent suffice, it approves; with `prompt=none` it
 *    rejects.
 * 2. Otherwise the request becomes an `Interaction`, which the browser carries, and the browser is redirected to a
 *    page.
 * 3. `/oauth2/login` authenticates the user and starts the session; Cancel sends `access_denied`.
 * 4. `/oauth2/consent` stores what the user allows; Deny sends `access_denied`. A stored consent skips this page.
 * 5. `completeAuthorization` (`core/authorize/authorize.ts`) sends the code. An interaction works only once.
 *
 * ```text
 * /oauth2/authorize ── session and consent suffice ──────────────────────────────► code
 *         │
 *         ▼ page needed
 * /oauth2/login ── consent is stored ────────────────────────────────────────────► code
 *         │  └──── Cancel ───────────────────────────────────────────────────────► access_denied
 *         ▼ consent needed
 * /oauth2/consent ── Allow ──────────────────────────────────────────────────────► code
 *            └────── Deny ───────────────────────────────────────────────────────► access_denied
 * ```
 *
 * With `login: "auto"` only `select_account.ts` is used: the list of users for `prompt=select_account`.
 *
 * `/account` lists the consents of a user and revokes them. No interaction is kept in memory: any instance on the same
 * store can handle any step. Before a login the store contains only a bounded number of cancelled requests.
 */

export { accountHandlers } from "./account.ts";
export { consentHandlers } from "./consent.ts";
export { loginHandlers } from "./login.ts";
export { pagesApprover, repeatWithCookies } from "./pages_approver.ts";
export { screenHandlers, withPostedForms } from "./provider_login.ts";
