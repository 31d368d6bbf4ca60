/** @jsxImportSource preact */
/**
 * Okta: the sign-in widget of the identity engine (okta/okta-auth-js test/e2e/pageobjects/OktaLogin.js, signinOIE), on
 * one page and identifier first, and the classic one (the same file, signinLegacy). The classic one with routing rules is
 * identifier first too: okta/okta-signin-widget src/v1/controllers/IDPDiscoveryController.js. With passwordlessAuth, it
 * asks for the password on another page: src/v1/views/mfa-verify/PasswordForm.js. The third generation of the widget has
 * a `<button>`, and ids that are the names (`BUNDLE === "next"` in test/e2e of the same repository).
 */

import type { VNode } from "preact";
import { type LoginForm, loginPage } from "./login_screen.tsx";

type Field = readonly [id: string, name: string];

/** One page: the id of its form, if any, its heading, fields and button. */
interface Widget {
  readonly path?: string;
  readonly form?: string;
  readonly heading?: string;
  readonly username?: Field;
  readonly password?: Field;
  readonly submit: { readonly id?: string; readonly value: string };
  /** Whether it is of the third generation. Default: false. */
  readonly isThird?: boolean;
  /** The checkbox that keeps the login, and the link of a forgotten password. */
  readonly remember?: readonly [name: string, label: string];
  readonly forgot?: string;
}

function widget(
  { path = "/signin", form, heading = "Sign In", username, password, submit, isThird, ...words }: Widget,
): LoginForm {
  const [view, formClass] = username ? ["primary-auth", "primary-auth-form"] : ["mfa-verify", "mfa-verify-password"];
  const { remember: [remember, keep] = ["rememberMe", "Keep me signed in"], forgot = "Forgot password?" } = words;
  const field = ([id, name]: Field, label: string) => ({
    ...{ id, name, label },
    ...isThird && { "data-se": name },
    wrap: (input: VNode, fault: VNode | undefined) => (
      <>
        <span class={`o-form-input-name-${name} okta-form-input-field`} data-se={`o-form-input-${name}`}>{input}</span>
        {fault}
      </>
    ),
  });
  return {
    path: () => path,
    isInPlace: true,
    title: ({ realm }) => `${realm} - Sign In`,
    frame: (content) => (
      <>
        <div id="okta-sign-in" class={`auth-container siw-main-view ${view}`}>{content}</div>
        <p class="copyright">
          Powered by <a href="#okta-sign-in">Okta</a>
        </p>
      </>
    ),
    attributes: { id: form, class: `${formClass} o-form o-form-edit-mode`, "data-se": "o-form" },
    top: (props) => (
      <>
        <h2 class="okta-form-title o-form-head" data-se="o-form-head" aria-level={1}>{heading}</h2>
        {username === undefined && <p class="identifier" data-se="identifier">{props.username}</p>}
      </>
    ),
    inside: (fields, button) => (
      <>
        <div class="form o-form-content">
          {fields}
          {username && (
            <div class="choice custom-checkbox">
              <input type="checkbox" id={remember} name={remember} data-se={remember} />
              <label for={remember} data-se-for-name={remember}>{keep}</label>
            </div>
          )}
        </div>
        <div class="o-form-button-bar">{button}</div>
        {password && <a data-se="forgot-password" href={`#${password[0]}`}>{forgot}</a>}
      </>
    ),
    username: username && field(username, "Username"),
    password: password && { ...field(password, "Password"), class: "password-with-toggle", autocomplete: "off" },
    fault: {
      text: "Unable to sign in",
      as: "p",
      at: "top",
      boxes: [
        { class: "o-form-error-container o-form-has-errors", "data-se": "o-form-error-container" },
        // The widget has an element without attributes between these two.
        {},
        { class: "okta-form-infobox-error infobox infobox-error", role: "alert" },
      ],
    },
    button: () =>
      isThird
        ? <button type="submit" data-se="save">{submit.value}</button>
        : <input type="submit" data-type="save" {...submit} class="button button-primary" />,
  };
}

const form = "form20";
const identifier = ["input28", "identifier"] as const;
const passcode = "credentials.passcode";
const classic: Widget = {
  form: "form19",
  username: ["okta-signin-username", "username"],
  password: ["okta-signin-password", "password"],
  submit: { id: "okta-signin-submit", value: "Sign In" },
  ...{ remember: ["remember", "Remember me"], forgot: "Need help signing in?" },
};
const verify = "/signin/verify";
const next = { id: "idp-discovery-submit", value: "Next" };

const login = (...[first, ...others]: readonly [Widget, ...Widget[]]) =>
  loginPage("stateToken", widget(first), ...others.map(widget));

/** Pages of the third generation. */
const third = {
  ...{ username: ["identifier", "identifier"], password: [passcode, passcode], isThird: true },
} satisfies Partial<Widget>;

export const oktaPages = {
  okta: login({ form, username: identifier, password: ["input36", passcode], submit: { value: "Sign in" } }),
  "okta-classic": login(classic),
  "okta-classic-identifier-first": login(
    { ...classic, username: ["idp-discovery-username", "username"], password: undefined, submit: next },
    { ...classic, path: verify },
  ),
  "okta-classic-passwordless": login(
    { ...classic, password: undefined, submit: { ...classic.submit, value: "Next" } },
    { path: verify, heading: "Password", password: ["input67", "password"], submit: { value: "Verify" } },
  ),
  "okta-gen3": login({ ...third, submit: { value: "Sign in" } }),
  "okta-gen3-identifier-first": login(
    { ...third, password: undefined, submit: { value: "Next" } },
    { ...third, username: undefined, path: verify, heading: "Verify with your password", submit: { value: "Verify" } },
  ),
  "okta-identifier-first": login(
    { form, username: identifier, submit: { value: "Next" } },
    {
      ...{ path: verify, form: "form53", heading: "Verify with your password" },
      ...{ password: ["input61", passcode], submit: { value: "Verify" } },
    },
  ),
};
