/** Who is there, by what they sent from the login page: a session that goes on, a click, a password, or somebody made up. */

import type { Desk } from "../app/endpoint.ts";
import type { Target } from "../http/router.ts";
import type { User } from "../oauth/clients/client.ts";
import { usableSession } from "../oauth/authorize/openid.ts";
import type { Params } from "../oauth/params.ts";
import { findUser } from "../oauth/users/guest_user.ts";
import type { Session } from "../oauth/session/session.ts";
import type { Retry } from "./login_page.ts";
import type { ProvePassword } from "./password.ts";
import type { Pending } from "./pending.ts";
import { hasPassword, makeUp } from "./account_picker.ts";

/** How people prove who they are. */
export interface LoginRules {
  /** Whether users without a password are believed, and people may be made up. */
  readonly open: boolean;
  /** Judges passwords. */
  readonly prove: ProvePassword;
}

/** Somebody who is known now. */
export interface Identity {
  readonly user: User;
  /** The session that they simply go on with; absent where they have logged in just now. */
  readonly session?: Session;
}

/** Whom a form means; or why the page must be shown again. */
export async function identify(
  here: Desk,
  target: Target,
  { asked }: Pending,
  former: Session | undefined,
  params: Params,
  rules: LoginRules,
): Promise<Identity | Retry> {
  const found = params.get("new") !== undefined
    ? await newcomer(here, asked.wishes.expectedSubs === undefined && rules.open, params)
    : await acquaintance(here, target, asked, former, params, rules);
  if ("status" in found || asked.wishes.expectedSubs?.includes(found.user.sub) !== false) return found;
  // Told only now: whom a client asks for must not show, without a password, whether there is such a user.
  return { status: 403, fault: "The application asks for somebody else.", part: "password" };
}

async function newcomer({ server }: Desk, allowed: boolean, params: Params): Promise<Identity | Retry> {
  const made = allowed
    ? await makeUp(server, params.get("subject") ?? "", params.get("claims") ?? "")
    : "Nobody can be made up here.";
  return typeof made === "string" ? { status: 400, fault: made, part: "new" } : { user: made };
}

async function acquaintance(
  { server }: Desk,
  target: Target,
  { wishes, client }: Pending["asked"],
  former: Session | undefined,
  params: Params,
  { open, prove }: LoginRules,
): Promise<Identity | Retry> {
  const sub = params.get("sub") ?? "";
  // User enumeration: where user names are secret, no login queries the store; a query for unknown names only would
  // reveal them by its time.
  const user = open ? await findUser(server, sub) : server.users.find(sub);
  const session = usableSession(server, wishes, former);
  if (user !== undefined && session?.sub === sub) return { user, session };
  if (user !== undefined && open && !hasPassword(user)) return { user };
  const password = params.get("password");
  if (password === undefined) return { status: 200, part: "password" };
  const verdict = await prove(server, { sub, user, password, address: target.peer.address });
  if (verdict === "right") return { user: user! };
  const [status, reason, fault, headers] = verdict === "wrong"
    ? [403, "name or password is wrong", "The name or the password is wrong.", {}] as const
    : [429, "too many wrong passwords", `Too many attempts. Try again in ${verdict.wait} s.`, {
      "retry-after": String(verdict.wait),
    }] as const;
  server.trace({
    type: "refused",
    at: server.now(),
    endpoint: target.path,
    error: "access_denied",
    client: client.id,
    // What was typed is not told: it may be a password in the wrong field.
    why: { rule: "UI-12", reason, expected: "a user of this server, and that user's password" },
  });
  return { status, fault, part: "password", headers };
}
