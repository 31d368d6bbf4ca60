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

import type { AuthorizationHandler } from "../endpoints/authorize.ts";
import type { App, Endpoint } from "../app/endpoint.ts";
import type { NavigationLink } from "../ui/layout.tsx";
import { accountEndpoint } from "./account.ts";
import { startInteraction } from "./start_interaction.ts";
import { consentEndpoint } from "./consent.ts";
import { loginEndpoint } from "./login.ts";
import { passwordVerifier } from "./password.ts";

/** What asks people, put together. */
interface Interaction {
  /** Answers authorization requests. */
  readonly handleAuthorization: AuthorizationHandler;
  /** The pages that it sends people to. */
  readonly endpoints: readonly Endpoint[];
}

/** Where a person sees what they have allowed. */
export const accountLink: NavigationLink = { label: "Account", path: "/account" };

/** Puts it together. */
export function interaction(app: App): Interaction {
  const openLogin = app.server.openLogin === true;
  return {
    handleAuthorization: startInteraction,
    endpoints: [
      loginEndpoint(app, { openLogin, verifyPassword: passwordVerifier() }),
      consentEndpoint(app, openLogin),
      accountEndpoint(app, openLogin),
    ],
  };
}
