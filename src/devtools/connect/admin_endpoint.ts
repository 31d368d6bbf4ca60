/**
 * The pages that list and change clients and users. Validation is in `server/config/`, storage in `server/clients/`.
 *
 * 1. This file checks the host against DNS rebinding, and reads forms with their CSRF token.
 * 2. `clients.ts` and `users.ts` convert between form fields and client metadata or claims.
 * 3. The repositories validate and store the record; the page shows their issues beside the fields.
 * 4. `client_snippets/` generates settings for client libraries, shown on the page of a client.
 */

import { ensureBrowserCookie } from "../../core/sessions/browser_cookie.ts";
import { takeConfirmation } from "../../server/login/confirmation.ts";
import type { Context } from "../../core/http/context.ts";
import { browserCsrfToken } from "../../server/pages/csrf.ts";
import { rejectUntrustedHost } from "../../core/http/cross_site.ts";
import type { Handler, Handlers } from "../../core/route.ts";
import { HttpError, type HttpResponse } from "../../core/http/message.ts";
import { htmlWithForms } from "../../platform/http/response.ts";
import type { BoundedCache } from "../../platform/bounded_cache.ts";
import { computeMac } from "../../core/sessions/session.ts";
import { isObject } from "../../core/http/json_value.ts";
import { quote } from "../../server/config/config_issue.ts";
import { describeJsonSyntaxError } from "../../server/config/json_syntax_error.ts";
import type { EditForm, FieldError } from "../../server/pages/field.tsx";
import type { Repository } from "../../server/clients/repository.ts";
import type { ListPosition } from "../../server/pages/next_page.tsx";
import type { FindRecentFlows } from "../requests/pages/props.ts";
import type { HostedServer } from "../../server/hosted_server.ts";

/** Options of the admin pages. */
export interface DirectoryOptions {
  /** Whether visitors may change clients and users. */
  readonly edit: boolean;
  /** Whether users log in without a page. */
  readonly autoLogin: boolean;
  /** Secrets that a form generated, by client id. Filled on test hosts only. */
  readonly generatedSecrets: BoundedCache<string>;
  /** The last flows of a client. Absent if the server records no requests. */
  readonly recentFlows?: FindRecentFlows;
}

/** Creates the handlers of a page. GET shows it; POST changes records if `edit` is set. Both check the host. */
export function directoryHandlers(
  { show, change }: { readonly show: Handler<HostedServer>; readonly change?: Handler<HostedServer> },
): Handlers<HostedServer> {
  const withHostCheck = (handle: Handler<HostedServer>): Handler<HostedServer> => (context) => {
    rejectUntrustedHost(context.server, context.request, "DI-04");
    return handle(context);
  };
  return { GET: withHostCheck(show), ...change && { POST: withHostCheck(change) } };
}

/** Reports a change by a form to the log. */
export function traceChange({ server }: Context<HostedServer>, change: string): void {
  server.trace({ type: "changed_by_hand", at: server.now(), change });
}

/** The ID in a path after `prefix`; empty if it is not percent-encoded UTF-8. */
export function idFromPath({ site, target }: Context<HostedServer>, prefix: string): string {
  try {
    return decodeURIComponent(target.path.slice(site.base.length + prefix.length));
  } catch {
    return "";
  }
}

/** Number of entries on a page of a list. */
const pageSize = 50;

/** Reads the requested page of a list: `after` in the query is the ID of the last entry of the previous page. */
export async function readPage<Input, Item>(
  { target }: Context<HostedServer>,
  repository: Repository<Input, Item>,
  getId: (item: Item) => string,
): Promise<{ readonly entries: readonly Item[]; readonly position: ListPosition }> {
  const after = new URLSearchParams(target.query).get("after") ?? undefined;
  // Requests one entry more than a page shows, to know whether another page follows.
  const found = await repository.list({ after, limit: pageSize + 1 });
  const entries = found.slice(0, pageSize);
  const nextHref = found.length === entries.length
    ? undefined
    : `${target.path}?after=${encodeURIComponent(getId(entries.at(-1)!))}`;
  return { entries, position: { total: await repository.count(), isFirst: after === undefined, nextHref } };
}

/** The version of a record, for its form. It has a MAC, so that it does not help to guess a secret. */
export async function recordVersion(server: HostedServer, record: unknown): Promise<string> {
  return await computeMac(server, "version", JSON.stringify(record));
}

/** An object, or why the text of a field is none. */
export type JsonField = { readonly object: Readonly<Record<string, unknown>> } | { readonly error: FieldError };

/**
 * Reads the text of a field, which must be a JSON object.
 *
 * @param fixed The members that the field cannot set, each with the fix.
 */
export function readJsonField(
  field: string,
  text: string,
  fixed: Readonly<Record<string, string>>,
): JsonField {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return { error: { field, ...describeJsonSyntaxError(text) } };
  }
  if (!isObject(value)) {
    const received = Array.isArray(value) ? "an array" : quote(value);
    return { error: { field, expected: "a JSON object", received, hint: `Write it as {"name": "value"}.` } };
  }
  const name = Object.keys(fixed).find((one) => Object.hasOwn(value, one));
  if (name === undefined) return { object: value };
  const expected = `a JSON object without ${Object.keys(fixed).join(" and ")}`;
  return { error: { field, expected, received: quote(name), hint: fixed[name]! } };
}

/** The members of a form that {@link pageWithForm} does not add. */
export type FormFields = Omit<EditForm, "csrfToken" | "confirmation">;

/**
 * Renders a page with a form that changes records.
 *
 * @param fields The form without its token; `false`: visitors may not change records.
 * @param status Default: 400 if the form has errors, 409 if it is older than the record, otherwise 200.
 */
export async function pageWithForm<Form extends FormFields>(
  context: Context<HostedServer>,
  fields: Form | false,
  render: (form: (Form & EditForm) | undefined) => string,
  status: number = fields === false ? 200 : fields.errors.length > 0 ? 400 : fields.isOlder ? 409 : 200,
): Promise<HttpResponse> {
  const browser = await ensureBrowserCookie(context);
  const confirmation = await takeConfirmation(context);
  const form = fields === false ? undefined : {
    ...fields,
    csrfToken: await browserCsrfToken(context, browser),
    confirmation: fields.errors.length === 0 ? confirmation.text : undefined,
  };
  return htmlWithForms(status, render(form), { ...confirmation.headers, ...browser.headers });
}

/** The rejection of a form whose `action` is not one of its buttons. Nothing may be changed or removed by default. */
export function unknownAction(expected: string, received = "nothing"): HttpError {
  return new HttpError(400, "DI-03", "unknown value of action", { expected, received });
}
