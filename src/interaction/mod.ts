/**
 * Login and consent by pages (`login: "interactive"`): what a person goes through between the request and the code.
 *
 * ``` GET, POST /oauth2/authorize ── a POST without a session is parked, and comes back by GET with its cookies │ ├──
 * session and consent suffice ─────────────────────────────► code ├── prompt=none, and they do not
 * ────────────────────────────► error │   the request is sealed; the browser carries it ▼ /oauth2/login ◄── another
 * account ── /oauth2/consent │  └── cancelled ──────────────────► │ ├── denied ───────────► access_denied │ logged in
 * │ │ ├── consent is needed ─────────────► ┘ └── allowed ──┐ └── consent suffices ──────────────────────────────┴─
 * finished ► code ```
 *
 * None of this is kept in memory: any instance on the same store can handle any step. Before a login the store keeps
 * only a bounded number of marks for cancelled requests.
 */

import type { Handlers } from "../app/route.ts";
import { accountHandlers } from "./account.ts";
import { consentHandlers } from "./consent.ts";
import { loginHandlers } from "./login.ts";
import type { NavigationLink } from "../ui/layout.tsx";
import { passwordVerifier } from "./password.ts";

export { startInteraction } from "./start_interaction.ts";

/** The handlers of the pages. */
export interface InteractionHandlers {
  readonly login: Handlers;
  readonly consent: Handlers;
  readonly account: Handlers;
}

/** The link to the page that shows a user what they have allowed. */
export const accountLink: NavigationLink = { label: "Account", path: "/account" };

/**
 * Makes the handlers of the pages.
 *
 * @param openLogin Whether users without a password can log in.
 */
export function interactionHandlers(openLogin: boolean): InteractionHandlers {
  return {
    login: loginHandlers({ openLogin, verifyPassword: passwordVerifier() }),
    consent: consentHandlers(openLogin),
    account: accountHandlers(openLogin),
  };
}
