/** @jsxImportSource preact */
/**
 * Auth0: Universal Login on one page and identifier first, as auth0/nextjs-auth0 e2e/helpers.ts and Cypress's guide of
 * Auth0 (cypress-io/cypress-realworld-app cypress/support/auth-provider-commands/auth0.ts) fill it in, and the classic
 * page with auth0/lock src/ui/box/container.jsx, src/field/email/email_pane.jsx.
 */

import type { VNode } from "preact";
import { type Field, loginPage } from "./login_screen.tsx";
import type { ProviderPage, ScreenProps } from "./provider_page.ts";

const purpose = ({ realm, client }: ScreenProps) => <p>Log in to {realm} to continue to {client}.</p>;

const universal = {
  title: ({ client }: ScreenProps) => `Log in | ${client}`,
  above: [() => <h1>Welcome</h1>, purpose],
  attributes: { class: "form _form-login-id", "data-form-primary": "true" },
  hidden: [{ type: "hidden", name: "state" }],
  username: { label: "Email address*", labelAttributes: { id: "username-label" }, id: "username", name: "username" },
  password: { label: "Password*", labelAttributes: { id: "password-label" }, id: "password", name: "password" },
  fault: { text: "Wrong email or password", id: "error-element-password", class: "ulp-input-error-message" },
  inside: (fields: VNode, button: VNode) => (
    <>
      {fields}
      <a href="#password">Forgot password?</a>
      {button}
    </>
  ),
  button: () => (
    <button
      {...{ type: "submit", name: "action", value: "default", class: "_button-login-id" }}
      data-action-button-primary="true"
    >
      Continue
    </button>
  ),
};

const { username, password, fault, ...common } = universal;

/** @param field The first field: the e-mail address, or the user name, of a database that requires one. */
function lockPage(field: Field): ProviderPage {
  const block = "field auth0-lock-input-block auth0-lock-input-";
  return loginPage("state", {
    path: () => "/login",
    title: "Sign In with Auth0",
    frame: (content) => <div class="auth0-lock-widget-container">{content}</div>,
    attributes: { class: "form auth0-lock-widget" },
    top: ({ realm }) => <h1 class="auth0-lock-name">{realm}</h1>,
    username: { ...field, class: "auth0-lock-input", box: { class: block + field.name } },
    password: {
      ...{ name: "password", placeholder: "your password", autocomplete: "off", "aria-label": "Password" },
      ...{ class: "auth0-lock-input", box: { class: `${block}show-password` } },
    },
    fault: {
      text: "Wrong email or password.",
      at: "top",
      boxes: [{ class: "auth0-global-message auth0-global-message-error" }],
    },
    button: () => (
      <button class="auth0-lock-submit" name="submit" type="submit" aria-label="Log In">
        <span class="auth0-label-submit">Log In</span>
      </button>
    ),
  });
}

export const auth0Pages = {
  auth0: loginPage("state", { ...universal, path: () => "/u/login" }),
  "auth0-classic": lockPage({
    ...{ name: "email", type: "email", placeholder: "yours@example.com", autocomplete: "email", "aria-label": "Email" },
  }),
  "auth0-classic-username": lockPage({
    ...{ name: "username", placeholder: "username/email", "aria-label": "Username or email" },
  }),
  "auth0-identifier-first": loginPage(
    "state",
    {
      ...common,
      path: () => "/u/login/identifier",
      inside: undefined,
      username,
      fault: { ...fault, text: "Please enter an email address", id: "error-cs-username-required" },
    },
    {
      ...common,
      path: () => "/u/login/password",
      title: ({ client }) => `Enter Your Password | ${client}`,
      above: [() => <h1>Enter Your Password</h1>, purpose],
      top: (props) => <span class="ulp-authenticator-selector-text">{props.username}</span>,
      repeatedUsername: "username",
      password,
      fault: { ...fault, empty: "Password is required", emptyId: "error-cs-password-required" },
    },
  ),
};
