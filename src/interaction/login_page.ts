/** The login page, drawn for one request in one browser. */

import type { Desk } from "../app/endpoint.ts";
import type { LoginProps } from "../app/pages.ts";
import { readSession } from "../app/session_cookie.ts";
import type { Incoming, Reply } from "../http/message.ts";
import { htmlWithForms } from "../http/responses.ts";
import { usableSession } from "../oauth/authorize/openid.ts";
import type { Params } from "../oauth/params.ts";
import { pathOf } from "./start.ts";
import { formFields } from "./form.ts";
import type { FormPurpose } from "./form.ts";
import type { Pending } from "./pending.ts";
import { hasPassword, offeredPeople, personOf } from "./account_picker.ts";

/** Why the page is shown again. */
export interface Retry {
  readonly status: number;
  /** What was wrong; absent where something is still to be typed. */
  readonly fault?: string;
  /** Where in the page. */
  readonly part: NonNullable<LoginProps["retry"]>["part"];
  readonly headers?: Readonly<Record<string, string>>;
}

/** Shows it; `params` are what was sent, from which the page takes what was typed. */
export async function showLogin(
  here: Desk,
  http: Incoming,
  pending: Pending,
  open: boolean,
  params: Params,
  { status, fault, part, headers }: Retry = { status: 200, part: "password" },
): Promise<Reply> {
  const { server, site } = here;
  const { client, wishes } = pending.asked;
  const former = await readSession(here, http);
  const current = usableSession(server, wishes, former);
  const people = await offeredPeople(here, pending, former, open);
  const secured = server.users.all().filter(hasPassword);
  const picked = params.get("sub") ?? params.get("as");
  // A password manager wants somebody in the field. Whom the client means may stand there, but not be looked up.
  const likely = [...people, ...open ? secured : []].find(hasPassword)?.sub;
  const sub = picked ?? (open ? undefined : wishes.loginHint) ?? likely ?? "";
  const pages = await here.pages();
  return htmlWithForms(
    status,
    pages.login({
      ...site,
      client: { id: client.id, name: client.name },
      fields: await formFields(here, [["interaction", pending.id]], loginPurpose(pending)),
      people: people.map((user) => {
        const isCurrent = current?.sub === user.sub;
        const asks = !isCurrent && (hasPassword(user) || !open);
        const href = `${pathOf(here, "login", pending.id)}&as=${encodeURIComponent(user.sub)}`;
        return { ...personOf(user), current: isCurrent, passwordHref: asks ? href : undefined };
      }),
      password: secured.length > 0 || !open ? { sub } : undefined,
      stranger: open && wishes.expectedSubs === undefined
        ? { subject: params.get("subject") ?? "", claims: params.get("claims") ?? "" }
        : undefined,
      again: former !== undefined && current === undefined,
      retry: fault !== undefined || picked !== undefined ? { part, fault } : undefined,
    }),
    headers,
  );
}

/** What the forms of the page are for. */
export function loginPurpose({ id, browser }: Pending): FormPurpose {
  return { name: `login ${id}`, holder: browser! };
}
