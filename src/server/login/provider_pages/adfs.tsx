/** @jsxImportSource preact */
/**
 * AD FS, on one page and paginated, the sign-in of AD FS 2019: public suites fill in `#userNameInput` and
 * `#passwordInput`; https://learn.microsoft.com/en-us/windows-server/identity/ad-fs/operations/ad-fs-paginated-sign-in
 * describes the pages. Its buttons are no buttons: a script submits the form.
 */

import { type LoginForm, loginPage } from "./login_screen.tsx";

const common = {
  isInPlace: true,
  hasScript: true,
  title: "Sign In",
  above: [() => <h1 id="loginMessage">Sign in</h1>],
  attributes: { id: "loginForm" },
  fault: {
    text: "Incorrect user ID or password. Type the correct user ID and password, and try again.",
    empty: 'Enter your user ID in the format "domain\\user" or "user@domain".',
    ...{ as: "span", id: "errorText", at: "top", boxes: [{ id: "error" }] } as const,
  },
} satisfies Partial<LoginForm>;
const button = (id: string, text: string) => () => (
  <span id={id} class="submit" role="button" tabIndex={0} data-submit>{text}</span>
);
const username = {
  ...{ label: "User Account", labelAttributes: { id: "userNameInputLabel" }, id: "userNameInput", name: "UserName" },
  ...{ type: "email", class: "text fullWidth", placeholder: "someone@example.com" } as const,
};
const password = {
  ...{ label: "Password", labelAttributes: { id: "passwordInputLabel" }, id: "passwordInput", name: "Password" },
  ...{ class: "text fullWidth", placeholder: "Password" },
};
const path = () => "/adfs/ls/";
const submit = button("submitButton", "Sign in");

export const adfsPages = {
  adfs: loginPage("client-request-id", { ...common, path, username, password, button: submit }),
  "adfs-paginated": loginPage(
    "client-request-id",
    { ...common, path, username, button: button("nextButton", "Next") },
    {
      ...common,
      path: () => "/adfs/ls/password",
      top: (props) => <p id="loginIdentifier">{props.username}</p>,
      ...{ password, button: submit },
    },
  ),
};
