/** Forms that change the server, or try something at it: only a page of this server may send one, from the browser it was shown in. */

import { readForm } from "../http/form.ts";
import type { Incoming } from "../http/message.ts";
import { refuseElsewhere } from "../http/same_origin.ts";
import { OAuthError } from "../oauth/errors.ts";
import { readParams } from "../oauth/params.ts";
import type { Params } from "../oauth/params.ts";
import { equalInConstantTime } from "../oauth/secrets.ts";
import { formToken } from "../oauth/session/session.ts";
import { recogniseBrowser } from "./browser_cookie.ts";
import type { Browser } from "./browser_cookie.ts";
import type { Soon } from "../oauth/maybe_promise.ts";
import type { Desk } from "./endpoint.ts";

/** As many clients, and as many users, there may be before these forms add another one: nobody reads a longer list. */
export const longestList = 1000;

/** What such forms carry, so that {@link readEdit} knows them. */
export function editToken({ server }: Desk, browser: Browser): Soon<string> {
  return formToken(server, browser.secret, "directory");
}

/**
 * The fields of such a form.
 *
 * @param mayBeNull Whether its page sends no referrer, so that some browsers send `Origin: null`. Default: false.
 * @throws {OAuthError} 403, where it was made for another browser.
 * @throws {HttpFault} Where it is no form, or was sent by a page elsewhere.
 */
export async function readEdit(desk: Desk, request: Incoming, mayBeNull = false): Promise<Params> {
  refuseElsewhere(request, new URL(desk.server.issuer).origin, mayBeNull);
  const params = readParams(await readForm(request));
  const sent = params.get("form_token") ?? "";
  if (equalInConstantTime(sent, await editToken(desk, await recogniseBrowser(desk, request)))) return params;
  throw new OAuthError("access_denied", "this form was not made for this browser", {
    rule: "UI-04",
    status: 403,
    expected: "the form of the page that this browser was shown last",
    received: sent === "" ? "a form without its token" : "the token of another form",
  });
}
