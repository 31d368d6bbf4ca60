/** @jsxImportSource preact */
/**
 * GitHub's login and the page that authorizes an application: redhat-developer/rhdh
 * e2e-tests/playwright/utils/common.ts (handleGitHubPopupLogin) has ids and buttons;
 * https://docs.github.com/en/apps/oauth-apps/using-oauth-apps/authorizing-oauth-apps has the second page.
 */

import type { VNode } from "preact";
import { Document } from "./document.tsx";
import type { ProviderPage, ScreenProps } from "./provider_page.ts";

function Login(props: ScreenProps): VNode {
  const { action, username, error, reason = "Incorrect username or password." } = props;
  return (
    <Document props={props} title="Sign in to GitHub · GitHub">
      <h1>Sign in to GitHub</h1>
      <div id="js-flash-container">
        {error && <div class="flash flash-full flash-error fault" role="alert">{reason}</div>}
      </div>
      <div id="login">
        <form action={action} method="post" novalidate>
          <div class="form auth-form-body mt-3">
            <div class="field">
              <label for="login_field">Username or email address</label>
              <input
                {...{ id: "login_field", name: "login", type: "text", value: username, autocomplete: "username" }}
                class="js-login-field"
                autofocus
              />
            </div>
            <div class="field">
              <label for="password">Password</label>
              <input
                {...{ id: "password", name: "password", type: "password", value: "", autocomplete: "current-password" }}
                class="js-password-field"
              />
            </div>
            <input
              type="submit"
              name="commit"
              value="Sign in"
              class="btn btn-primary btn-block js-sign-in-button"
            />
          </div>
        </form>
      </div>
    </Document>
  );
}

function Authorize(props: ScreenProps): VNode {
  const { action, username, client, scope } = props;
  return (
    <Document props={props} title="Authorize application">
      <h1>Authorize {client}</h1>
      <p>{client} wants to access your {username} account</p>
      <ul>{scope.map((value) => <li key={value}>{value}</li>)}</ul>
      <form class="ways" action={action} method="post">
        <button type="submit" name="authorize" value="0" data-secondary>Cancel</button>
        <button
          {...{ type: "submit", name: "authorize", value: "1", id: "js-oauth-authorize-btn" }}
          class="btn btn-primary js-oauth-authorize-btn"
        >
          Authorize {client}
        </button>
      </form>
    </Document>
  );
}

export const github: ProviderPage = {
  state: "return_to",
  screens: [{
    path: () => "/login",
    action: () => "/session",
    ...{ username: "login", password: "password", Page: Login },
  }],
  approval: {
    path: (base) => `${base}/authorize/confirm`,
    ...{ isConsent: true, deny: ["authorize", "0"], Page: Authorize },
  },
};
