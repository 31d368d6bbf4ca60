/** @jsxImportSource preact */
/**
 * Google, two pages: the ids and names that public suites fill in (`#identifierId`, `#identifierNext button`,
 * `input[name=Passwd]`, `#passwordNext`), of which Cypress's guide "Google Authentication" says that Google changes them.
 */

import type { VNode } from "preact";
import { loginPage } from "./login_screen.tsx";

const title = "Sign in - Google Accounts";

function next(id: string): VNode {
  return (
    <div id={id} class="fit">
      <div>
        <button type="submit">
          <span>Next</span>
        </button>
      </div>
    </div>
  );
}

export const google = loginPage(
  "TL",
  {
    path: () => "/v3/signin/identifier",
    rejectsUnknown: true,
    title,
    above: [
      () => <h1 id="headingText">Sign in</h1>,
      ({ client }) => <p id="headingSubtext">to continue to {client}</p>,
    ],
    username: { label: "Email or phone", id: "identifierId", name: "identifier", type: "email" },
    fault: { text: "Couldn’t find your Google Account" },
    button: () => next("identifierNext"),
  },
  {
    path: () => "/v3/signin/challenge/pwd",
    title,
    above: [
      () => <h1 id="headingText">Welcome</h1>,
      ({ username }) => <div id="profileIdentifier" data-email={username}>{username}</div>,
    ],
    password: { name: "Passwd", "aria-label": "Enter your password", box: { id: "password" } },
    fault: { text: "Wrong password. Try again or click Forgot password to reset it." },
    button: () => next("passwordNext"),
  },
);
