/** @jsxImportSource preact */
/**
 * oidc-provider with its interactions for development: panva/node-oidc-provider lib/views/{login,interaction}.js, and
 * logoutSource in lib/helpers/defaults.js.
 */

import { Document, LogoutForm } from "./document.tsx";
import { loginPage } from "./login_screen.tsx";
import type { ProviderPage } from "./provider_page.ts";

export const oidcProvider: ProviderPage = {
  ...loginPage("uid", {
    path: (base) => `${base}/interaction`,
    title: "Sign-in",
    frame: (content) => <div class="login-card">{content}</div>,
    above: [() => <h1>Sign-in</h1>],
    attributes: { autocomplete: "off" },
    username: { name: "login", placeholder: "Enter any login", "aria-label": "Login", autocomplete: undefined },
    password: { name: "password", placeholder: "and password", "aria-label": "Password", autocomplete: undefined },
    fault: { text: "Wrong login or password" },
    button: () => <button type="submit" class="login login-submit">Sign-in</button>,
  }),
  approval: {
    path: (base) => `${base}/interaction/consent`,
    isConsent: true,
    Page: (props) => (
      <Document props={props} title="Authorize">
        <div class="login-card">
          <h1>Authorize</h1>
          <p class="login-client-image">{props.client}</p>
          <ul>{props.scope.map((value) => <li key={value}>{value}</li>)}</ul>
          <form class="form" action={props.action} method="post">
            <button type="submit" class="login login-submit">Continue</button>
          </form>
        </div>
      </Document>
    ),
  },
  Logout: (props) => (
    <Document props={props} title="Logout Request">
      <h1>Do you want to sign-out?</h1>
      <LogoutForm props={props} id="op.logoutForm">
        <button type="submit" name="logout" value="yes">Yes, sign me out</button>
      </LogoutForm>
    </Document>
  ),
  alwaysAsksToLogOut: true,
};
