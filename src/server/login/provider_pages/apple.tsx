/** @jsxImportSource preact */
/**
 * Apple, two steps: `#account_name_text_field`, `#password_text_field` and `#sign-in`, as public suites fill them in;
 * https://support.apple.com/en-us/102571 describes the steps.
 */

import { type LoginForm, loginPage } from "./login_screen.tsx";

/** The screen that asks for the account, or the one that also asks for the password. */
function appleScreen(path: string, asksPassword: boolean, button: string): LoginForm {
  return {
    path: () => path,
    isInPlace: true,
    title: "Sign in to Apple Account",
    above: [
      () => <h1 class="si-container-title">Apple Account</h1>,
      ({ client }) => <p>Use your Apple Account to sign in to {client}.</p>,
    ],
    attributes: { id: "sign_in_form", class: "form signin-form" },
    username: {
      ...{ label: "Email or Phone Number", id: "account_name_text_field", name: "accountName" },
      ...{ class: "form-textbox-input", autofocus: !asksPassword },
    },
    password: asksPassword
      ? { label: "Password", id: "password_text_field", name: "password", class: "form-textbox-input", autofocus: true }
      : undefined,
    fault: { text: "Check the account information you entered and try again.", id: "errMsg", at: "bottom" },
    button: () => <button id="sign-in" type="submit" class="si-button" aria-label={button}>{button}</button>,
  };
}

export const apple = loginPage(
  "state",
  appleScreen("/appleauth/auth/signin", false, "Continue"),
  appleScreen("/appleauth/auth/signin/complete", true, "Sign In"),
);
