/** @jsxImportSource preact */
/**
 * GitHub's login, whose hidden fields programs send back to `/session`, and the page that authorizes an application:
 * redhat-developer/rhdh e2e-tests/playwright/utils/common.ts (handleGitHubPopupLogin) has ids and buttons;
 * https://docs.github.com/en/apps/oauth-apps/using-oauth-apps/authorizing-oauth-apps has the second page.
 */

import type { VNode } from "preact";
import { Document } from "./document.tsx";
import { loginPage } from "./login_screen.tsx";
import type { ProviderPage, ScreenProps } from "./provider_page.ts";

// Suites take the first `button[name=authorize]`.
function Authorize(props: ScreenProps): VNode {
  const { action, username, client, scope } = props;
  return (
    <Document props={props} title="Authorize application">
      <h1>Authorize {client}</h1>
      <p>{client} wants to access your {username} account</p>
      <ul>{scope.map((value) => <li key={value}>{value}</li>)}</ul>
      <form class="ways" action={action} method="post">
        <button
          {...{ type: "submit", name: "authorize", value: "1", id: "js-oauth-authorize-btn" }}
          class="btn btn-primary js-oauth-authorize-btn"
          data-octo-click="oauth_application_authorization"
        >
          Authorize {client}
        </button>
        <button type="submit" name="authorize" value="0" data-secondary>Cancel</button>
      </form>
    </Document>
  );
}

const noConsent = loginPage("return_to", {
  path: () => "/login",
  action: () => "/session",
  title: "Sign in to GitHub · GitHub",
  frame: (content) => (
    <div id="login">
      <h1>Sign in to GitHub</h1>
      <div class="auth-form-body mt-3">{content}</div>
    </div>
  ),
  hidden: [{ type: "hidden", name: "authenticity_token" }, { type: "hidden", name: "return_to" }],
  inside: (fields, button) => (
    <>
      {fields}
      <a id="forgot-password" href="#password">Forgot password?</a>
      <div class="position-relative">{button}</div>
    </>
  ),
  username: { label: "Username or email address", id: "login_field", name: "login", class: "js-login-field" },
  password: { label: "Password", id: "password", name: "password", class: "js-password-field" },
  fault: {
    text: "Incorrect username or password.",
    class: "flash flash-full flash-error",
    at: "above",
    ...{ boxes: [{ id: "js-flash-container" }], hasEmptyBoxes: true },
  },
  button: () => (
    <input type="submit" name="commit" value="Sign in" class="btn btn-primary btn-block js-sign-in-button" />
  ),
});

export const githubPages = {
  github: {
    ...noConsent,
    approval: {
      path: (base) => `${base}/authorize/confirm`,
      ...{ isConsent: true, deny: ["authorize", "0"], Page: Authorize },
    },
  },
  "github-no-consent": noConsent,
} satisfies Record<string, ProviderPage>;
