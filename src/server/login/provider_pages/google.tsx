/** @jsxImportSource preact */
/**
 * Google, two pages: the ids and names that public suites fill in (`#identifierId`, `#identifierNext button`,
 * `input[name=Passwd]`, `#passwordNext`), of which Cypress's guide "Google Authentication" says that Google changes them.
 */

import type { VNode } from "preact";
import { Document, LoginFault } from "./document.tsx";
import type { ProviderPage, ScreenProps } from "./provider_page.ts";

function Next({ id }: { readonly id: string }): VNode {
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

function Identifier(props: ScreenProps): VNode {
  const { action, username, client, error, reason = "Couldn’t find your Google Account" } = props;
  return (
    <Document props={props} title="Sign in - Google Accounts">
      <h1 id="headingText">Sign in</h1>
      <p id="headingSubtext">to continue to {client}</p>
      <form class="form" action={action} method="post" novalidate>
        <div class="field">
          <label for="identifierId">Email or phone</label>
          <input
            {...{ id: "identifierId", name: "identifier", type: "email", value: username, autocomplete: "username" }}
            autofocus
          />
          {error && <LoginFault>{reason}</LoginFault>}
        </div>
        <Next id="identifierNext" />
      </form>
    </Document>
  );
}

const wrongPassword = "Wrong password. Try again or click Forgot password to reset it.";

function Password(props: ScreenProps): VNode {
  const { action, username, error, reason = wrongPassword } = props;
  return (
    <Document props={props} title="Sign in - Google Accounts">
      <h1 id="headingText">Welcome</h1>
      <div id="profileIdentifier" data-email={username}>{username}</div>
      <form class="form" action={action} method="post" novalidate>
        <div id="password" class="field">
          <input
            {...{ name: "Passwd", type: "password", value: "", autocomplete: "current-password", autofocus: true }}
            aria-label="Enter your password"
          />
          {error && <LoginFault>{reason}</LoginFault>}
        </div>
        <Next id="passwordNext" />
      </form>
    </Document>
  );
}

export const google: ProviderPage = {
  state: "TL",
  screens: [
    { path: () => "/v3/signin/identifier", username: "identifier", rejectsUnknown: true, Page: Identifier },
    { path: () => "/v3/signin/challenge/pwd", password: "Passwd", Page: Password },
  ],
};
