/** CSRF protection: a form must come from a page of this server, and its token binds it to one browser and purpose. */

import { readForm } from "../../core/http/form.ts";
import { rejectCrossOrigin } from "./same_origin.ts";
import { type Params, paramsFromFields } from "../../core/http/params.ts";
import { reject } from "../rules/mod.ts";
import type { Server } from "../../core/server.ts";
import { constantTimeEqual } from "../../core/keys/secrets.ts";
import { computeMac } from "../../core/sessions/session.ts";
import { rememberIssued } from "../redaction/issued_secrets.ts";
import { type BrowserCookie, ensureBrowserCookie } from "../../core/sessions/browser_cookie.ts";
import type { Context } from "../../core/http/context.ts";
import type { HiddenFields } from "./post_form.tsx";

/** Maximum number of clients, and of users, that forms may create. */
export const maxListLength = 1000;

/** The purpose and the holder to which a CSRF token is bound. */
export interface CsrfBinding {
  /** The action of the form. */
  readonly name: string;
  /** A secret of the browser or session that received the page. */
  readonly holder: string;
}

/**
 * The CSRF token of a form: a MAC.
 *
 * @param holder The secret of the browser, or the session, that the page was shown to.
 * @param purpose The action of the form.
 */
export async function csrfToken(server: Server, holder: string, purpose: string): Promise<string> {
  const token = await computeMac(server, `form ${purpose}`, holder);
  rememberIssued(token);
  return token;
}

/** Adds the CSRF token to the fields of a form. */
export async function withCsrfToken(
  { server }: Context,
  fields: HiddenFields,
  { name, holder }: CsrfBinding,
): Promise<HiddenFields> {
  return [...fields, ["form_token", await csrfToken(server, holder, name)]];
}

/**
 * Reads a form sent by a page of this origin.
 *
 * @param allowNullOrigin Whether the page sends no referrer, so that some browsers send `Origin: null`. Default: false.
 * @throws {HttpError} If a page of another origin sent it, or the body is not a form.
 */
export async function readSameOriginForm({ server, request }: Context, allowNullOrigin = false): Promise<Params> {
  rejectCrossOrigin(request, server.names.frontChannel, allowNullOrigin);
  return paramsFromFields(await readForm(request));
}

/**
 * Rejects a form without the CSRF token of this binding.
 *
 * @throws {OAuthError} 403.
 */
export async function assertCsrfToken(
  { server }: Context,
  params: Params,
  { name, holder }: CsrfBinding,
): Promise<void> {
  const received = params.get("form_token") ?? "";
  if (constantTimeEqual(received, await csrfToken(server, holder, name))) return server.passed("UI-04");
  throw reject("UI-04", { isMissing: received === "" }, { status: 403 });
}

/** The CSRF token of the forms that {@link readProtectedForm} reads. */
export async function browserCsrfToken({ server }: Context, browser: BrowserCookie): Promise<string> {
  const { holder, name } = browserBinding(browser);
  return await csrfToken(server, holder, name);
}

/**
 * Reads a form that changes clients or users, or sends the steps after `/authorized`.
 *
 * @param allowNullOrigin See {@link readSameOriginForm}.
 * @throws {HttpError} If a page of another origin sent it, or the body is not a form.
 * @throws {OAuthError} 403 if the CSRF token belongs to another browser.
 */
export async function readProtectedForm(context: Context, allowNullOrigin = false): Promise<Params> {
  const params = await readSameOriginForm(context, allowNullOrigin);
  await assertCsrfToken(context, params, browserBinding(await ensureBrowserCookie(context)));
  return params;
}

function browserBinding({ secret }: BrowserCookie): CsrfBinding {
  return { name: "directory", holder: secret };
}
