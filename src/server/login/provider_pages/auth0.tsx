/** @jsxImportSource preact */
/**
 * Auth0: Universal Login on one page and identifier first, as auth0/nextjs-auth0 e2e/helpers.ts and Cypress's guide of
 * Auth0 (cypress-io/cypress-realworld-app cypress/support/auth-provider-commands/auth0.ts) fill it in, and the classic
 * page with auth0/lock src/ui/box/container.jsx, src/field/email/email_pane.jsx.
 */

import type { VNode } from "preact";
import { Document, LoginFault } from "./document.tsx";
import type { ProviderPage, ScreenProps } from "./provider_page.ts";

/** A page of Universal Login with some of its two fields. */
function universalPage(asksName: boolean, asksPassword: boolean): (props: ScreenProps) => VNode {
  return function Login(props) {
    const { action, username, client, realm, error, reason = "Wrong email or password" } = props;
    const heading = asksName ? "Welcome" : "Enter Your Password";
    return (
      <Document props={props} title={`${asksName ? "Log in" : heading} | ${client}`}>
        <h1>{heading}</h1>
        <p>Log in to {realm} to continue to {client}.</p>
        <form class="form _form-login-id" action={action} method="post" novalidate data-form-primary="true">
          {asksName && (
            <div class="field">
              <label for="username">Email address*</label>
              <input
                {...{ id: "username", name: "username", type: "text", value: username, inputmode: "email" }}
                {...{ autocomplete: "username", autocapitalize: "none", autofocus: true }}
              />
              {error && !asksPassword && (
                <LoginFault id="error-element-username">Please enter an email address</LoginFault>
              )}
            </div>
          )}
          {!asksName && <span class="ulp-authenticator-selector-text">{username}</span>}
          {asksPassword && (
            <div class="field">
              <label for="password">Password*</label>
              <input
                {...{ id: "password", name: "password", type: "password", value: "" }}
                {...{ autocomplete: "current-password", autofocus: !asksName }}
              />
              {error && <LoginFault id="error-element-password" class="ulp-input-error-message">{reason}</LoginFault>}
            </div>
          )}
          <button
            {...{ type: "submit", name: "action", value: "default", class: "_button-login-id" }}
            data-action-button-primary="true"
          >
            Continue
          </button>
        </form>
      </Document>
    );
  };
}

const credentials = { username: "username", password: "password" };

export const auth0: ProviderPage = {
  state: "state",
  screens: [{ path: () => "/u/login", ...credentials, Page: universalPage(true, true) }],
};

export const auth0IdentifierFirst: ProviderPage = {
  state: "state",
  screens: [
    { path: () => "/u/login/identifier", username: "username", Page: universalPage(true, false) },
    { path: () => "/u/login/password", ...credentials, Page: universalPage(false, true) },
  ],
};

/** @param name The first field: the e-mail address, or the user name, of a database that requires one. */
function lockPage(name: "email" | "username"): ProviderPage {
  const field = name === "email"
    ? { type: "email", placeholder: "yours@example.com", autocomplete: "email", "aria-label": "Email" } as const
    : {
      type: "text",
      placeholder: "username/email",
      autocomplete: "username",
      "aria-label": "Username or email",
    } as const;
  function Lock(props: ScreenProps): VNode {
    const { action, username, error, reason = "Wrong email or password." } = props;
    return (
      <Document props={props} title="Sign In with Auth0">
        <div class="auth0-lock-widget-container">
          <form class="form auth0-lock-widget" action={action} method="post" novalidate>
            <h1 class="auth0-lock-name">{props.realm}</h1>
            {error && (
              <div class="auth0-global-message auth0-global-message-error">
                <LoginFault>{reason}</LoginFault>
              </div>
            )}
            <div class={`field auth0-lock-input-block auth0-lock-input-${name}`}>
              <input
                {...{ ...field, class: "auth0-lock-input", name, value: username, autofocus: true }}
              />
            </div>
            <div class="field auth0-lock-input-block auth0-lock-input-show-password">
              <input
                {...{ class: "auth0-lock-input", name: "password", type: "password", value: "" }}
                {...{ placeholder: "your password", autocomplete: "off", "aria-label": "Password" }}
              />
            </div>
            <button class="auth0-lock-submit" name="submit" type="submit" aria-label="Log In">
              <span class="auth0-label-submit">Log In</span>
            </button>
          </form>
        </div>
      </Document>
    );
  }
  return { state: "state", screens: [{ path: () => "/login", username: name, password: "password", Page: Lock }] };
}

export const auth0Classic = lockPage("email");

export const auth0ClassicUsername = lockPage("username");
