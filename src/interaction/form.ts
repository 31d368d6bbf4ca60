/** The forms of login, consent and account: only a page of this server may send one, in the browser it was shown in. */

import type { Desk } from "../app/endpoint.ts";
import type { HiddenFields } from "../app/pages.ts";
import { readForm } from "../http/form.ts";
import type { Incoming } from "../http/message.ts";
import { refuseElsewhere } from "../http/same_origin.ts";
import { OAuthError } from "../oauth/errors.ts";
import { readParams } from "../oauth/params.ts";
import type { Params } from "../oauth/params.ts";
import { equalInConstantTime } from "../oauth/secrets.ts";
import { formToken } from "../oauth/session/session.ts";

/** What a form is for: its name, and whom it was shown to, by something that only they hold. */
export interface FormPurpose {
  readonly name: string;
  readonly holder: string;
}

/** What the form carries, so that {@link requireOwnForm} knows it. */
export async function formFields(
  { server }: Desk,
  fields: HiddenFields,
  { name, holder }: FormPurpose,
): Promise<HiddenFields> {
  return [...fields, ["form_token", await formToken(server, holder, name)]];
}

/** Reads a form that a page of this origin has sent. */
export async function readOwnForm({ server }: Desk, http: Incoming): Promise<Params> {
  refuseElsewhere(http, new URL(server.issuer).origin);
  return readParams(await readForm(http));
}

/**
 * Refuses a form that was made for another purpose, or shown to somebody else.
 *
 * @throws {OAuthError} 403.
 */
export async function requireOwnForm({ server }: Desk, params: Params, { name, holder }: FormPurpose): Promise<void> {
  const sent = params.get("form_token") ?? "";
  if (equalInConstantTime(sent, await formToken(server, holder, name))) {
    return server.held?.("UI-04");
  }
  throw new OAuthError("access_denied", "this form was not made for who is logged in now, or for this request", {
    rule: "UI-04",
    status: 403,
    expected: "the form of the page that this browser was shown last",
    received: sent === "" ? "a form without its token" : "the token of another form",
  });
}
