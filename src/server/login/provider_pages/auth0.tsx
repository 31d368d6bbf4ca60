/** @jsxImportSource preact */
/**
 * Auth0: Universal Login on one page and identifier first, as auth0/nextjs-auth0 e2e/helpers.ts and Cypress's guide of
 * Auth0 (cypress-io/cypress-realworld-app cypress/support/auth-provider-commands/auth0.ts) fill it in, and the classic
 * page with auth0/lock src/ui/box/container.jsx, src/field/email/email_pane.jsx.
 */

import type { VNode } from "preact";
import { type Field, type LoginForm, loginPage } from "./login_screen.tsx";
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

const universal = {
  ...prompt("_form-login _form-login-id", "_button-login _button-login-id"),
  rejectsMalformed: true,
  errorStatus: 400,
  title: ({ client }: ScreenProps) => `Log in | ${client}`,
  above: [() => <h1>Welcome</h1>, purpose],
  hidden: [{ type: "hidden", name: "state" }],
  username: {
    ...{ label: "Email address*", labelAttributes: { id: "username-label" }, id: "username", name: "username" },
    faults: {
      empty: { class: "ulp-error-info", id: "error-cs-username-required", text: "Please enter an email address" },
      malformed: { class: "ulp-error-info", id: "error-cs-email-invalid", text: "Email is not valid." },
    },
  },
  password: {
    ...{ label: "Password*", labelAttributes: { id: "password-label" }, id: "password", name: "password" },
    faults: { empty: { class: "ulp-error-info", id: "error-cs-password-required", text: "Password is required" } },
  },
  fault: {
    ...{ text: "Wrong email or password", as: "span" },
    boxes: [{
      ...{ as: "span", id: "error-element-password", class: "ulp-input-error-message" },
      "data-error-code": "wrong-email-credentials",
    }],
  },
  inside: (fields, button) => (
    <>
      {fields}
      <a href="#password">Forgot password?</a>
      {button}
      <a href="#username">Sign up</a>
    </>
  ),
} satisfies Omit<LoginForm, "path">;

const { username, password, ...common } = universal;

/** @param label What the first field asks for: the user name if the database requires one. */
function lockPage(label: "Email" | "Username", field: Field): ProviderPage {
  const input = (name: string, what: string, malformed?: string) => {
    const hint = (text: string) => ({
      text,
      as: "span",
      boxes: [
        { id: `auth0-lock-error-msg-${name}`, class: "auth0-lock-error-msg", role: "alert" },
        { class: "auth0-lock-error-invalid-hint" },
      ],
    } as const);
    return {
      ...{ id: `1-${name}`, name, class: "auth0-lock-input", "aria-label": what },
      faults: { empty: hint(`${what} can't be blank`), ...malformed && { malformed: hint(malformed) } },
      wrap: (content: VNode, fault: VNode | undefined) => (
        <div class={`auth0-lock-input-block auth0-lock-input-${name}`}>
          <div class="field auth0-lock-input-wrap auth0-lock-input-wrap-with-icon">{content}</div>
          {fault}
        </div>
      ),
    };
  };
  const { id, ...username } = input(field.name, label, field.type && "Email is invalid");
  return loginPage("state", {
    path: () => "/login",
    title: "Sign In with Auth0",
    rejectsMalformed: field.type === "email",
    frame: (content) => (
      <div class="auth0-lock-container">
        <div id="auth0-lock-container-1" class="auth0-lock">
          <div class="auth0-lock-center">{content}</div>
        </div>
      </div>
    ),
    above: [({ realm }) => <h1 class="auth0-lock-name">{realm}</h1>],
    attributes: { class: "auth0-lock-widget" },
    inside: (fields, button) => (
      <div class="form auth0-lock-widget-container">
        <div class="form auth0-lock-content-body-wrapper">
          <ul class="auth0-lock-tabs">
            <li class="auth0-lock-tabs-current">
              <span>Log In</span>
            </li>
            <li class="">
              <a href={`#${id}`}>Sign Up</a>
            </li>
          </ul>
          <div class="form auth0-lock-form">
            {fields}
            <a class="auth0-lock-alternative-link" href="#1-password">Don't remember your password?</a>
          </div>
        </div>
        {button}
      </div>
    ),
    username: { ...username, ...field, id },
    password: {
      ...{ ...input("password", "Password"), placeholder: "your password", autocomplete: "off" },
      box: { class: "auth0-lock-input-show-password" },
    },
    fault: {
      ...{ text: `Wrong ${label.toLowerCase()} or password.`, as: "span", at: "top" },
      boxes: [
        { class: "auth0-global-message auth0-global-message-error" },
        { as: "span", class: "animated fadeInUp" },
      ],
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
  "auth0-classic": lockPage("Email", { name: "email", type: "email", placeholder: "yours@example.com" }),
  "auth0-classic-username": lockPage("Username", {
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
    },
  ),
};
