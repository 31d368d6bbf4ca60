/** @jsxImportSource preact */
/**
 * Okta: the sign-in widget of the identity engine (okta/okta-auth-js test/e2e/pageobjects/OktaLogin.js, signinOIE), and
 * the classic one (the same file, signinLegacy).
 */

import type { VNode } from "preact";
import { Document, Fault } from "./document.tsx";
import type { ProviderPage, ScreenProps } from "./provider_page.ts";

/** The names and ids of one generation. */
interface Widget {
  readonly username: { readonly id: string; readonly name: string };
  readonly password: { readonly id: string; readonly name: string };
  readonly submit: Readonly<Record<string, string>>;
}

function widgetPage({ username: name, password, submit }: Widget): ProviderPage {
  function Login(props: ScreenProps): VNode {
    const { action, username, realm, error, reason = "Unable to sign in" } = props;
    return (
      <Document props={props} title={`${realm} - Sign In`}>
        <div id="okta-sign-in" class="auth-container">
          <form class="form o-form" data-se="o-form" action={action} method="post" novalidate>
            <h1 class="okta-form-title o-form-head" data-se="o-form-head">Sign In</h1>
            {error && (
              <div class="o-form-error-container" data-se="o-form-error-container">
                <div class="okta-form-infobox-error infobox infobox-error">
                  <Fault>{reason}</Fault>
                </div>
              </div>
            )}
            <div class="field" data-se={`o-form-input-${name.name}`}>
              <label for={name.id}>Username</label>
              <input {...name} type="text" value={username} autocomplete="username" autofocus />
            </div>
            <div class="field" data-se={`o-form-input-${password.name}`}>
              <label for={password.id}>Password</label>
              <input {...password} class="password-with-toggle" type="password" value="" autocomplete="off" />
            </div>
            <input type="submit" value="Sign in" {...submit} class="button button-primary" />
          </form>
        </div>
      </Document>
    );
  }
  return {
    state: "stateToken",
    screens: [{ path: () => "/signin", isInPlace: true, username: name.name, password: password.name, Page: Login }],
  };
}

export const okta = widgetPage({
  username: { id: "input28", name: "identifier" },
  password: { id: "input36", name: "credentials.passcode" },
  submit: { "data-type": "save" },
});

export const oktaClassic = widgetPage({
  username: { id: "okta-signin-username", name: "username" },
  password: { id: "okta-signin-password", name: "password" },
  submit: { id: "okta-signin-submit", "data-type": "save" },
});
