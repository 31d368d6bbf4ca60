/** @jsxImportSource preact */
/**
 * Cognito: the hosted page, whose form stands in the document twice, for narrow and for wide windows, as public suites
 * reach for it (`.visible-lg #signInFormUsername`, `form[name=cognitoSignInForm]:visible`), and managed login, two pages:
 * https://docs.aws.amazon.com/cognito/latest/developerguide/cognito-user-pools-managed-login.html
 */

import type { VNode } from "preact";
import { Document, LoginFault } from "./document.tsx";
import type { ProviderPage, ScreenProps } from "./provider_page.ts";

/** Programs put the host before the action. */
const relative = (action: string) => action.replace(/^https?:\/\/[^/]+/, "");

function HostedForm({ action, username, error, reason = "Incorrect username or password." }: ScreenProps): VNode {
  return (
    <form action={relative(action)} method="post" name="cognitoSignInForm" class="cognito-asf form">
      <input type="hidden" name="_csrf" value={new URL(action).searchParams.get("client_id")!} />
      <label for="signInFormUsername" class="label-customizable">Username</label>
      <div class="field">
        <input
          {...{ id: "signInFormUsername", name: "username", type: "text", value: username, required: true }}
          {...{ class: "inputField-customizable", placeholder: "Username", autocapitalize: "none" }}
        />
      </div>
      <label for="signInFormPassword" class="label-customizable">Password</label>
      <div class="field">
        <input
          {...{ id: "signInFormPassword", name: "password", type: "password", value: "", required: true }}
          {...{ class: "inputField-customizable", placeholder: "Password" }}
        />
      </div>
      {error && <LoginFault id="loginErrorMessage" class="errorMessage-customizable">{reason}</LoginFault>}
      <input
        {...{ name: "signInSubmitButton", type: "submit", value: "Sign in", "aria-label": "submit" }}
        class="btn btn-primary submitButton-customizable"
      />
    </form>
  );
}

function Hosted(props: ScreenProps): VNode {
  const modal = "modal-content background-customizable modal-content-mobile";
  return (
    <Document props={props} title="Signin">
      <h1 class="textDescription-customizable">Sign in with your username and password</h1>
      <div class="modal-dialog">
        <div class={`${modal} visible-xs visible-sm`}>
          <div class="modal-body">
            <span></span>
            <div>
              <HostedForm {...props} />
            </div>
          </div>
        </div>
        <div class={`${modal} visible-md visible-lg`}>
          <div class="modal-body">
            <div>
              <span></span>
              <div>
                <div>
                  <div>
                    <HostedForm {...props} />
                  </div>
                </div>
              </div>
            </div>
          </div>
        </div>
      </div>
    </Document>
  );
}

// The profile serves an authorization request at `/login`, too.
export const cognito: ProviderPage = {
  state: "state",
  screens: [{ path: () => "/login/", username: "username", password: "password", Page: Hosted }],
};

/** A screen of managed login with one field. */
function managedScreen(field: "username" | "password", button: string): (props: ScreenProps) => VNode {
  return function Managed(props) {
    const { action, username, error, reason = "Incorrect username or password." } = props;
    const isName = field === "username";
    return (
      <Document props={props} title="Sign-in">
        <h1>{isName ? "Sign in" : "Enter your password"}</h1>
        <form class="form" action={relative(action)} method="post" novalidate>
          {!isName && <p>{username}</p>}
          <div class="field">
            <label for={field}>{isName ? "Username" : "Password"}</label>
            {isName
              ? <input id="username" name="username" type="text" value={username} placeholder="Enter your username" />
              : <input id="password" name="password" type="password" value="" placeholder="Enter your password" />}
            {error && <LoginFault>{reason}</LoginFault>}
          </div>
          <button type="submit">
            <span>{button}</span>
          </button>
        </form>
      </Document>
    );
  };
}

export const cognitoManaged: ProviderPage = {
  state: "state",
  screens: [
    { path: () => "/login/", username: "username", Page: managedScreen("username", "Next") },
    { path: () => "/login/password", password: "password", Page: managedScreen("password", "Continue") },
  ],
};
