/** The forms of login, consent and account: only a page of this server may send one, in the browser it was shown in. */

import type { Context } from "../app/context.ts";
import type { HiddenFields } from "../ui/post_form.tsx";
import { readForm } from "../http/form.ts";
import { rejectCrossOrigin } from "../http/same_origin.ts";
import { OAuthError } from "../oauth/errors.ts";
import { paramsFromFields } from "../oauth/params.ts";
import type { Params } from "../oauth/params.ts";
import { constantTimeEqual } from "../oauth/secrets.ts";
import { csrfToken } from "../oauth/session/session.ts";

/** What a form is for: its name, and whom it was shown to, by something that only they hold. */
export interface CsrfBinding {
  readonly name: string;
  readonly holder: string;
}

/** What the form carries, so that {@link assertCsrfToken} knows it. */
export async function withCsrfToken(
  { server }: Context,
  fields: HiddenFields,
  { name, holder }: CsrfBinding,
): Promise<HiddenFields> {
  return [...fields, ["form_token", await csrfToken(server, holder, name)]];
}

/** Reads a form that a page of this origin has sent. */
export async function readSameOriginForm({ server, request }: Context): Promise<Params> {
  rejectCrossOrigin(request, new URL(server.issuer).origin);
  return paramsFromFields(await readForm(request));
}

/**
 * Refuses a form that was made for another purpose, or shown to somebody else.
 *
 * @throws {OAuthError} 403.
 */
export async function assertCsrfToken(
  { server }: Context,
  params: Params,
  { name, holder }: CsrfBinding,
): Promise<void> {
  const received = params.get("form_token") ?? "";
  if (constantTimeEqual(received, await csrfToken(server, holder, name))) {
    return server.passed?.("UI-04");
  }
  throw new OAuthError("access_denied", "the form was not made for this user and request", {
    rule: "UI-04",
    status: 403,
    expected: "the CSRF token of the page that this browser loaded last",
    received: received === "" ? "no CSRF token" : "another CSRF token",
  });
}
