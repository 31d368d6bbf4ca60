/** @jsxImportSource preact */
/**
 * Apple, two steps: `#account_name_text_field`, `#password_text_field` and `#sign-in`, as public suites fill them in;
 * https://support.apple.com/en-us/102571 describes the steps.
 */

import type { VNode } from "preact";
import { Document, LoginFault } from "./document.tsx";
import type { ProviderPage, ScreenProps } from "./provider_page.ts";

/** The screen that asks for the account, or the one that also asks for the password. */
function appleScreen(asksPassword: boolean): (props: ScreenProps) => VNode {
  return function SignIn(props) {
    const { action, client, username, error, reason = "Check the account information you entered and try again." } =
      props;
    return (
      <Document props={props} title="Sign in to Apple Account">
        <h1 class="si-container-title">Apple Account</h1>
        <p>Use your Apple Account to sign in to {client}.</p>
        <form id="sign_in_form" class="form signin-form" action={action} method="post" novalidate>
          <div class="field">
            <label for="account_name_text_field">Email or Phone Number</label>
            <input
              {...{ id: "account_name_text_field", name: "accountName", type: "text", value: username }}
              {...{ class: "form-textbox-input", autocomplete: "username", autofocus: !asksPassword }}
            />
          </div>
          {asksPassword && (
            <div class="field">
              <label for="password_text_field">Password</label>
              <input
                {...{ id: "password_text_field", name: "password", type: "password", value: "", autofocus: true }}
                {...{ class: "form-textbox-input", autocomplete: "current-password" }}
              />
            </div>
          )}
          {error && <LoginFault id="errMsg">{reason}</LoginFault>}
          <button
            id="sign-in"
            type="submit"
            class="si-button"
            aria-label={asksPassword ? "Sign In" : "Continue"}
          >
            {asksPassword ? "Sign In" : "Continue"}
          </button>
        </form>
      </Document>
    );
  };
}

export const apple: ProviderPage = {
  state: "state",
  screens: [
    { path: () => "/appleauth/auth/signin", isInPlace: true, username: "accountName", Page: appleScreen(false) },
    {
      path: () => "/appleauth/auth/signin/complete",
      isInPlace: true,
      ...{ username: "accountName", password: "password", Page: appleScreen(true) },
    },
  ],
};
