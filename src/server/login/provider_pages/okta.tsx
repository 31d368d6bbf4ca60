/** @jsxImportSource preact */
/**
 * Okta: the sign-in widget of the identity engine (okta/okta-auth-js test/e2e/pageobjects/OktaLogin.js, signinOIE), on
 * one page and identifier first, and the classic one (the same file, signinLegacy).
 */

import { type LoginForm, loginPage } from "./login_screen.tsx";

/** A field, by its id and its name. */
type Field = readonly [id: string, name: string];

/** One page: the id of its form, if any, its heading, fields and button. */
interface Widget {
  readonly path?: string;
  readonly form?: string;
  readonly heading?: string;
  readonly username?: Field;
  readonly password?: Field;
  readonly submit: { readonly id?: string; readonly value: string };
}

function widget({ path = "/signin", form, heading = "Sign In", username, password, submit }: Widget): LoginForm {
  const field = ([id, name]: Field, label: string) => ({ id, name, label, box: { "data-se": `o-form-input-${name}` } });
  return {
    path: () => path,
    isInPlace: true,
    title: ({ realm }) => `${realm} - Sign In`,
    frame: (content) => <div id="okta-sign-in" class="auth-container">{content}</div>,
    attributes: { id: form, class: "o-form", "data-se": "o-form" },
    top: (props) => (
      <>
        <h2 class="okta-form-title o-form-head" data-se="o-form-head" aria-level={1}>{heading}</h2>
        {username === undefined && <p class="identifier" data-se="identifier">{props.username}</p>}
      </>
    ),
    inside: (fields, button) => (
      <>
        <div class="form o-form-content">{fields}</div>
        <div class="o-form-button-bar">{button}</div>
      </>
    ),
    username: username && field(username, "Username"),
    password: password && { ...field(password, "Password"), class: "password-with-toggle", autocomplete: "off" },
    fault: {
      text: "Unable to sign in",
      as: "p",
      at: "top",
      wrap: (fault) =>
        fault && (
          <div class="o-form-error-container" data-se="o-form-error-container">
            <div class="okta-form-infobox-error infobox infobox-error">{fault}</div>
          </div>
        ),
    },
    button: () => <input type="submit" data-type="save" {...submit} class="button button-primary" />,
  };
}

const form = "form20";
const username = ["input28", "identifier"] as const;
const passcode = "credentials.passcode";

export const oktaPages = {
  okta: loginPage(
    "stateToken",
    widget({ form, username, password: ["input36", passcode], submit: { value: "Sign in" } }),
  ),
  "okta-classic": loginPage(
    "stateToken",
    widget({
      username: ["okta-signin-username", "username"],
      password: ["okta-signin-password", "password"],
      submit: { id: "okta-signin-submit", value: "Sign in" },
    }),
  ),
  "okta-identifier-first": loginPage(
    "stateToken",
    widget({ form, username, submit: { value: "Next" } }),
    widget({
      ...{ path: "/signin/verify", form: "form53", heading: "Verify with your password" },
      ...{ password: ["input61", passcode], submit: { value: "Verify" } },
    }),
  ),
};
