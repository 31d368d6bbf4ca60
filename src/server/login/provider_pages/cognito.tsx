/** @jsxImportSource preact */
/**
 * Cognito: the hosted page, whose form stands in the document twice, for narrow and for wide windows, as public suites
 * reach for it (`.visible-lg #signInFormUsername`, `form[name=cognitoSignInForm]:visible`), and managed login, two pages:
 * https://docs.aws.amazon.com/cognito/latest/developerguide/cognito-user-pools-managed-login.html
 */

import type { ComponentChildren, VNode } from "preact";
import { loginPage } from "./login_screen.tsx";
import type { ScreenProps } from "./provider_page.ts";

/** Programs put the host before the action. */
const relative = (action: string) => action.replace(/^https?:\/\/[^/]+/, "");

/** Nested elements; suites count them. */
const inside = (count: number, content: ComponentChildren): ComponentChildren =>
  count === 0 ? content : <div>{inside(count - 1, content)}</div>;

function twice(form: VNode, { client }: ScreenProps): VNode {
  const text = <span key="before" class="textDescription-customizable">Sign in with your username and password</span>;
  const copy = (style: string, content: ComponentChildren, attributes?: { readonly hidden: true }) => (
    <div class={`modal-content background-customizable modal-content-mobile ${style}`} {...attributes}>
      <div class="modal-body">{content}</div>
    </div>
  );
  return (
    <>
      <h1>{client}</h1>
      <div class="modal-dialog">
        {copy("visible-xs visible-sm", [text, inside(1, form)], { hidden: true })}
        {copy("visible-md visible-lg", inside(1, [text, inside(3, form)]))}
      </div>
    </>
  );
}

const hosted = { class: "inputField-customizable", autocomplete: undefined, autofocus: false, required: true };

const submit = (text: string) => (
  <button type="submit">
    <span>{text}</span>
  </button>
);

const managed = {
  title: "Sign-in",
  attributes: ({ action }: { readonly action: string }) => ({ action: relative(action) }),
  fault: { text: "Invalid input: Incorrect username or password." },
};
const username = {
  ...{ label: "Username", id: "username", name: "username", placeholder: "Enter your username" },
  faults: { empty: { text: "Missing username." } },
};
const password = {
  ...{ label: "Password", id: "password", name: "password", placeholder: "Enter your password" },
  faults: { empty: { text: "Missing password." } },
};

export const cognitoPages = {
  // The profile serves an authorization request at `/login`, too.
  cognito: loginPage("state", {
    path: () => "/login/",
    title: "Signin",
    frame: twice,
    attributes: ({ action }) => ({
      ...{ action: relative(action), name: "cognitoSignInForm", class: "cognito-asf form", novalidate: false },
    }),
    hidden: [{ type: "hidden", name: "_csrf" }],
    username: {
      ...{ ...hosted, id: "signInFormUsername", name: "username", placeholder: "Username" },
      before: () => <label for="signInFormUsername" class="label-customizable">Username</label>,
    },
    password: {
      ...{ ...hosted, id: "signInFormPassword", name: "password", placeholder: "Password" },
      before: () => <label for="signInFormPassword" class="label-customizable">Password</label>,
    },
    fault: {
      ...{ text: "Incorrect username or password.", id: "loginErrorMessage", class: "errorMessage-customizable" },
      ...{ as: "p", at: "bottom" },
    },
    button: () => (
      <>
        <a class="redirect-customizable" href="#signInFormPassword">Forgot your password?</a>
        <input
          {...{ name: "signInSubmitButton", type: "submit", value: "Sign in", "aria-label": "submit" }}
          class="btn btn-primary submitButton-customizable"
        />
        <input type="hidden" name="cognitoAsfData" />
      </>
    ),
  }),
  "cognito-managed": loginPage(
    "state",
    {
      ...{ ...managed, username },
      path: () => "/login/",
      above: [() => <h1>Sign in</h1>],
      button: () => submit("Next"),
    },
    {
      ...{ ...managed, password },
      path: () => "/login/password",
      above: [() => <h1>Enter your password</h1>],
      top: (props) => <p>{props.username}</p>,
      button: () => submit("Continue"),
    },
  ),
  "cognito-managed-one-page": loginPage("state", {
    ...{ ...managed, username, password },
    path: () => "/login/",
    above: [() => <h1>Sign in</h1>],
    button: () => submit("Sign in"),
  }),
};
