/** Forms that change the server, or try something at it: only a page of this server may send one, from the browser it was shown in. */

import { readForm } from "../http/form.ts";
import { rejectCrossOrigin } from "../http/same_origin.ts";
import { OAuthError } from "../oauth/errors.ts";
import { paramsFromFields } from "../oauth/params.ts";
import type { Params } from "../oauth/params.ts";
import { constantTimeEqual } from "../oauth/secrets.ts";
import { csrfToken } from "../oauth/session/session.ts";
import { ensureBrowserCookie } from "./browser_cookie.ts";
import type { BrowserCookie } from "./browser_cookie.ts";
import type { MaybePromise } from "../oauth/maybe_promise.ts";
import type { Context } from "./context.ts";

/** As many clients, and as many users, there may be before these forms add another one: nobody reads a longer list. */
export const maxListLength = 1000;

/** What such forms carry, so that {@link readProtectedForm} knows them. */
export function browserCsrfToken({ server }: Context, browser: BrowserCookie): MaybePromise<string> {
  return csrfToken(server, browser.secret, "directory");
}

/**
 * The fields of such a form.
 *
 * @param allowNullOrigin Whether its page sends no referrer, so that some browsers send `Origin: null`. Default: false.
 * @throws {OAuthError} 403, where it was made for another browser.
 * @throws {HttpError} Where it is no form, or was sent by a page elsewhere.
 */
export async function readProtectedForm(context: Context, allowNullOrigin = false): Promise<Params> {
  rejectCrossOrigin(context.request, new URL(context.server.issuer).origin, allowNullOrigin);
  const params = paramsFromFields(await readForm(context.request));
  const received = params.get("form_token") ?? "";
  if (constantTimeEqual(received, await browserCsrfToken(context, await ensureBrowserCookie(context)))) return params;
  throw new OAuthError("access_denied", "the form was not made for this browser", {
    rule: "UI-04",
    status: 403,
    expected: "the CSRF token of the page that this browser loaded last",
    received: received === "" ? "no CSRF token" : "another CSRF token",
  });
}
