/** @jsxImportSource preact */
/**
 * Okta: the sign-in widget of the identity engine (okta/okta-auth-js test/e2e/pageobjects/OktaLogin.js, signinOIE), on
 * one page and identifier first, and the classic one (the same file, signinLegacy).
 */

import type { VNode } from "preact";
import { Document, LoginFault } from "./document.tsx";
import type { LoginScreen, ProviderPage, ScreenProps } from "./provider_page.ts";

/** One page: the id of its form, if any, its heading, fields and button. */
interface Widget {
  readonly form?: string;
  readonly heading: string;
  readonly username?: { readonly id: string; readonly name: string };
  readonly password?: { readonly id: string; readonly name: string };
  readonly submit: { readonly id?: string; readonly value: string };
}

function widget({ form, heading, username: name, password, submit }: Widget): LoginScreen {
  function Login(props: ScreenProps): VNode {
    const { action, username, realm, error, reason = "Unable to sign in" } = props;
    return (
      <Document props={props} title={`${realm} - Sign In`}>
        <div id="okta-sign-in" class="auth-container">
          <form id={form} class="o-form" data-se="o-form" action={action} method="post" novalidate>
            <div class="form o-form-content">
              <h2 class="okta-form-title o-form-head" data-se="o-form-head" aria-level={1}>{heading}</h2>
              {name === undefined && <p class="identifier" data-se="identifier">{username}</p>}
              {error && (
                <div class="o-form-error-container" data-se="o-form-error-container">
                  <div class="okta-form-infobox-error infobox infobox-error">
                    <LoginFault as="p">{reason}</LoginFault>
                  </div>
                </div>
              )}
              {name && (
                <div class="field" data-se={`o-form-input-${name.name}`}>
                  <label for={name.id}>Username</label>
                  <input {...name} type="text" value={username} autocomplete="username" autofocus />
                </div>
              )}
              {password && (
                <div class="field" data-se={`o-form-input-${password.name}`}>
                  <label for={password.id}>Password</label>
                  <input
                    {...{ ...password, type: "password", value: "", autocomplete: "off" }}
                    class="password-with-toggle"
                    autofocus={name === undefined}
                  />
                </div>
              )}
            </div>
            <div class="o-form-button-bar">
              <input type="submit" data-type="save" {...submit} class="button button-primary" />
            </div>
          </form>
        </div>
      </Document>
    );
  }
  return { path: () => "/signin", isInPlace: true, username: name?.name, password: password?.name, Page: Login };
}

const identifier = { id: "input28", name: "identifier" };
const passcode = "credentials.passcode";

export const okta: ProviderPage = {
  state: "stateToken",
  screens: [widget({
    ...{ form: "form20", heading: "Sign In", username: identifier, password: { id: "input36", name: passcode } },
    submit: { value: "Sign in" },
  })],
};

export const oktaIdentifierFirst: ProviderPage = {
  state: "stateToken",
  screens: [
    widget({ form: "form20", heading: "Sign In", username: identifier, submit: { value: "Next" } }),
    {
      ...widget({
        ...{ form: "form53", heading: "Verify with your password", password: { id: "input61", name: passcode } },
        submit: { value: "Verify" },
      }),
      path: () => "/signin/verify",
    },
  ],
};

export const oktaClassic: ProviderPage = {
  state: "stateToken",
  screens: [widget({
    heading: "Sign In",
    username: { id: "okta-signin-username", name: "username" },
    password: { id: "okta-signin-password", name: "password" },
    submit: { id: "okta-signin-submit", value: "Sign in" },
  })],
};
