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

/** The form and the button of a page, with their classes. */
const prompt = (form: string, button: string) => ({
  attributes: { class: `form ${form}`, "data-form-primary": "true" },
  button: () => (
    <button {...{ type: "submit", name: "action", value: "default", class: button }} data-action-button-primary="true">
      Continue
    </button>
  ),
});

const error = { text: "Wrong email or password", id: "error-element-password", class: "ulp-input-error-message" };

const universal = {
  ...prompt("_form-login _form-login-id", "_button-login _button-login-id"),
  title: ({ client }: ScreenProps) => `Log in | ${client}`,
  above: [() => <h1>Welcome</h1>, purpose],
  hidden: [{ type: "hidden", name: "state" }],
  username: { label: "Email address*", labelAttributes: { id: "username-label" }, id: "username", name: "username" },
  password: { label: "Password*", labelAttributes: { id: "password-label" }, id: "password", name: "password" },
  fault: { ...error, empty: "Password is required", emptyId: "error-cs-password-required" },
  inside: (fields: VNode, button: VNode) => (
    <>
      {fields}
      <a href="#password">Forgot password?</a>
      {button}
      <a href="#username">Sign up</a>
    </>
  ),
};

const { username, password, fault, ...common } = universal;

/** @param field The first field: the e-mail address, or the user name, of a database that requires one. */
function lockPage(field: Field): ProviderPage {
  const block = "field auth0-lock-input-block auth0-lock-input-";
  const wrap = (input: VNode) => <div class="auth0-lock-input-wrap auth0-lock-input-wrap-with-icon">{input}</div>;
  return loginPage("state", {
    path: () => "/login",
    title: "Sign In with Auth0",
    frame: (content) => <div class="auth0-lock-container auth0-lock-widget-container">{content}</div>,
    attributes: { class: "form auth0-lock-widget" },
    top: ({ realm }) => <h1 class="auth0-lock-name">{realm}</h1>,
    inside: (fields, button) => (
      <>
        <div class="form auth0-lock-form">
          {fields}
          <a class="auth0-lock-alternative-link" href="#1-password">Don't remember your password?</a>
        </div>
        {button}
      </>
    ),
    username: { ...field, id: `1-${field.name}`, class: "auth0-lock-input", box: { class: block + field.name }, wrap },
    password: {
      ...{ id: "1-password", name: "password", placeholder: "your password", autocomplete: "off" },
      ...{ "aria-label": "Password", class: "auth0-lock-input", box: { class: "auth0-lock-input-show-password" } },
      wrap: (input) => <div class={`${block}password`}>{wrap(input)}</div>,
    },
    fault: {
      ...{ text: "Wrong email or password.", as: "span", at: "top" },
      boxes: [{ class: "auth0-global-message auth0-global-message-error" }],
    },
    button: () => (
      <button id="1-submit" class="auth0-lock-submit" name="submit" type="submit" aria-label="Log In">
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
      inside: (fields, button) => (
        <>
          {fields}
          {button}
          <a href="#username">Sign up</a>
        </>
      ),
      username,
      fault: { ...error, text: "Please enter an email address", id: "error-cs-username-required" },
    },
    {
      ...common,
      ...prompt("_form-login-password", "_button-login-password"),
      path: () => "/u/login/password",
      title: ({ client }) => `Enter Your Password | ${client}`,
      above: [() => <h1>Enter Your Password</h1>, purpose],
      top: (props) => <span class="ulp-authenticator-selector-text">{props.username}</span>,
      repeatedUsername: "username",
      password,
      fault,
    },
  ),
};
