/** The login page, drawn for one request in one browser. */

import type { Context } from "../app/context.ts";
import type { LoginProps } from "../ui/login.tsx";
import { readSession } from "../app/session_cookie.ts";
import type { HttpResponse } from "../http/message.ts";
import { htmlWithForms } from "../http/responses.ts";
import { usableSession } from "../oauth/authorize/openid.ts";
import type { Params } from "../oauth/params.ts";
import { pagePath } from "./start_interaction.ts";
import { withCsrfToken } from "./csrf_form.ts";
import type { CsrfBinding } from "./csrf_form.ts";
import type { PendingAuthorization } from "./pending.ts";
import { accountsToOffer, hasPassword, toUserSummary } from "./account_picker.ts";

/** Why the page is shown again. */
export interface LoginRetry {
  readonly status: number;
  /** What was wrong; absent where something is still to be typed. */
  readonly error?: string;
  /** Where in the page. */
  readonly part: NonNullable<LoginProps["retry"]>["part"];
  readonly headers?: Readonly<Record<string, string>>;
}

/** Shows it; `params` are what was sent, from which the page takes what was typed. */
export async function showLogin(
  context: Context,
  pending: PendingAuthorization,
  openLogin: boolean,
  params: Params,
  { status, error, part, headers }: LoginRetry = { status: 200, part: "password" },
): Promise<HttpResponse> {
  const { server, site } = context;
  const { client, loginRequirements } = pending.request;
  const previousSession = await readSession(context);
  const currentSession = usableSession(server, loginRequirements, previousSession);
  const accounts = await accountsToOffer(context, pending, previousSession, openLogin);
  const usersWithPassword = server.users.allCached().filter(hasPassword);
  const selectedSub = params.get("sub") ?? params.get("as");
  // A password manager wants somebody in the field. Whom the client means may stand there, but not be looked up.
  const suggestedSub = [...accounts, ...openLogin ? usersWithPassword : []].find(hasPassword)?.sub;
  const sub = selectedSub ?? (openLogin ? undefined : loginRequirements.loginHint) ?? suggestedSub ?? "";
  const pages = await context.pages();
  return htmlWithForms(
    status,
    pages.login({
      ...site,
      client: { id: client.id, name: client.name },
      fields: await withCsrfToken(context, [["interaction", pending.id]], loginCsrfBinding(pending)),
      accounts: accounts.map((user) => {
        const isCurrent = currentSession?.sub === user.sub;
        const needsPassword = !isCurrent && (hasPassword(user) || !openLogin);
        const href = `${pagePath(context, "login", pending.id)}&as=${encodeURIComponent(user.sub)}`;
        return { ...toUserSummary(user), current: isCurrent, passwordHref: needsPassword ? href : undefined };
      }),
      passwordForm: usersWithPassword.length > 0 || !openLogin ? { sub } : undefined,
      guestForm: openLogin && loginRequirements.expectedSubs === undefined
        ? { subject: params.get("subject") ?? "", claims: params.get("claims") ?? "" }
        : undefined,
      isReauthentication: previousSession !== undefined && currentSession === undefined,
      retry: error !== undefined || selectedSub !== undefined ? { part, fault: error } : undefined,
    }),
    headers,
  );
}

/** What the forms of the page are for. */
export function loginCsrfBinding({ id, browser }: PendingAuthorization): CsrfBinding {
  return { name: `login ${id}`, holder: browser! };
}
