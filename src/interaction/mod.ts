/**
 * Login and consent by pages (`login: "interactive"`): what a person goes through between the request and the code.
 *
 * ```
 *  GET, POST /oauth2/authorize ── a POST without a session is parked, and comes back by GET with its cookies
 *        │
 *        ├── session and consent suffice ─────────────────────────────► code
 *        ├── prompt=none, and they do not ────────────────────────────► error
 *        │   the request is sealed, for the browser to carry
 *        ▼
 *  /oauth2/login ◄── another account ── /oauth2/consent
 *        │  └── cancelled ──────────────────► │ ├── denied ───────────► access_denied
 *        │ logged in                          │ │
 *        ├── consent is needed ─────────────► ┘ └── allowed ──┐
 *        └── consent suffices ──────────────────────────────┴─ finished ► code
 * ```
 *
 * Nothing of this is kept in memory: every step may be answered by another instance on the same store. Nor does the store
 * keep anything before somebody has logged in, but for a bounded number of marks of what was cancelled.
 */

import type { Decide } from "../endpoints/authorize.ts";
import type { Desk, Endpoint } from "../endpoints/endpoint.ts";
import type { NavigationLink } from "../endpoints/pages.ts";
import { accountEndpoint } from "./account.ts";
import { arrive } from "./arrival.ts";
import { consentEndpoint } from "./consent.ts";
import { loginEndpoint } from "./login.ts";
import { passwordProof } from "./password.ts";

/** What asks people, put together. */
export interface Interaction {
  /** Answers authorization requests. */
  readonly decide: Decide;
  /** The pages that it sends people to. */
  readonly endpoints: readonly Endpoint[];
}

/** Where a person sees what they have allowed. */
export const accountLink: NavigationLink = { label: "Account", path: "/account" };

/** Puts it together. */
export function interaction(desk: Desk): Interaction {
  const open = desk.server.openLogin === true;
  return {
    decide: arrive,
    endpoints: [
      loginEndpoint(desk, { open, prove: passwordProof() }),
      consentEndpoint(desk, open),
      accountEndpoint(desk, open),
    ],
  };
}
