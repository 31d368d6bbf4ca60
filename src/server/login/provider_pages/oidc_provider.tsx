/** @jsxImportSource preact */
/**
 * oidc-provider with its interactions for development: panva/node-oidc-provider lib/views/{login,interaction}.js, and
 * logoutSource in lib/helpers/defaults.js.
 */

import type { VNode } from "preact";
import type { LogoutProps } from "../pages/logout_page.tsx";
import { Document, LoginFault, LogoutForm } from "./document.tsx";
import type { ProviderPage, ScreenProps } from "./provider_page.ts";

function Login(props: ScreenProps): VNode {
  const { action, username, error, reason = "Wrong login or password" } = props;
  return (
    <Document props={props} title="Sign-in">
      <div class="login-card">
        <h1>Sign-in</h1>
        <form class="form" action={action} method="post" novalidate autocomplete="off">
          <div class="field">
            <input
              {...{ name: "login", type: "text", value: username, placeholder: "Enter any login", autofocus: true }}
              aria-label="Login"
            />
          </div>
          <div class="field">
            <input name="password" type="password" value="" placeholder="and password" aria-label="Password" />
            {error && <LoginFault>{reason}</LoginFault>}
          </div>
          <button type="submit" class="login login-submit">Sign-in</button>
        </form>
      </div>
    </Document>
  );
}

function Authorize(props: ScreenProps): VNode {
  const { action, client, scope } = props;
  return (
    <Document props={props} title="Authorize">
      <div class="login-card">
        <h1>Authorize</h1>
        <p class="login-client-image">{client}</p>
        <ul>{scope.map((value) => <li key={value}>{value}</li>)}</ul>
        <form class="form" action={action} method="post">
          <button type="submit" class="login login-submit">Continue</button>
        </form>
      </div>
    </Document>
  );
}

function Logout(props: LogoutProps): VNode {
  return (
    <Document props={props} title="Logout Request">
      <h1>Do you want to sign-out?</h1>
      <LogoutForm props={props} id="op.logoutForm">
        <button type="submit" name="logout" value="yes">Yes, sign me out</button>
      </LogoutForm>
    </Document>
  );
}

export const oidcProvider: ProviderPage = {
  state: "uid",
  screens: [{ path: (base) => `${base}/interaction`, username: "login", password: "password", Page: Login }],
  approval: { path: (base) => `${base}/interaction/consent`, isConsent: true, Page: Authorize },
  ...{ Logout, alwaysAsksToLogOut: true },
};
