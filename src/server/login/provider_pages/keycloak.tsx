/** @jsxImportSource preact */
/**
 * Keycloak: keycloak/keycloak themes/src/main/resources/theme/keycloak.v2/login/{login,field,buttons,template}.ftl and
 * logout-confirm.ftl, and theme/base/login/messages/messages_en.properties for its words. `keycloak-v1`, the theme before
 * keycloak.v2, has its buttons as an `<input>`, and one `#input-error` (theme/base/login/login.ftl).
 */

import type { VNode } from "preact";
import type { LogoutProps } from "../pages/logout_page.tsx";
import { Document, LogoutForm } from "./document.tsx";
import type { ProviderPage, ScreenProps } from "./provider_page.ts";

/** The button of a form: its text, name and id. */
type Button = (props: { readonly text: string; readonly name: string; readonly id: string }) => VNode;

function keycloakForm(Button: Button): (props: ScreenProps) => VNode {
  return function Login(props) {
    const { realm, action, username, error, reason = "Invalid username or password." } = props;
    const isInvalid = error !== undefined;
    return (
      <Document props={props} title={`Sign in to ${realm}`}>
        <div id="kc-header-wrapper">{realm}</div>
        <h1 id="kc-page-title">Sign in to your account</h1>
        <form id="kc-form-login" class="form" action={action} method="post" novalidate>
          <div class="field">
            <label for="username">Username or email</label>
            <input
              {...{ id: "username", name: "username", type: "text", value: username, autocomplete: "username" }}
              autofocus
              aria-invalid={isInvalid}
              aria-describedby={isInvalid ? "input-error" : undefined}
            />
            {isInvalid && (
              <span id="input-error-username">
                <span id="input-error" class="fault kc-feedback-text" aria-live="polite">{reason}</span>
              </span>
            )}
          </div>
          <div class="field">
            <label for="password">Password</label>
            <input
              {...{ id: "password", name: "password", type: "password", value: "", autocomplete: "current-password" }}
              aria-invalid={isInvalid}
            />
          </div>
          <Button text="Sign In" name="login" id="kc-login" />
        </form>
      </Document>
    );
  };
}

function logoutForm(Button: Button): (props: LogoutProps) => VNode {
  return function Logout(props) {
    return (
      <Document props={props} title="Logging out">
        <h1 id="kc-page-title">Logging out</h1>
        <div id="kc-logout-confirm">
          <p class="instruction">Do you want to log out?</p>
          <LogoutForm props={props}>
            <Button text="Logout" name="confirmLogout" id="kc-logout" />
          </LogoutForm>
        </div>
      </Document>
    );
  };
}

function keycloakPage(Button: Button): ProviderPage {
  return {
    state: "session_code",
    screens: [{
      // keycloak/keycloak LoginActionsService, whose page stands at the authorization endpoint.
      path: (base) => `${base}/login-actions/authenticate`,
      isInPlace: true,
      username: "username",
      password: "password",
      Page: keycloakForm(Button),
    }],
    Logout: logoutForm(Button),
  };
}

export const keycloak = keycloakPage(({ text, ...rest }) => (
  <button class="pf-v5-c-button pf-m-primary pf-m-block" type="submit" {...rest}>{text}</button>
));

export const keycloakV1 = keycloakPage(({ text, ...rest }) => (
  <input class="pf-c-button pf-m-primary pf-m-block btn-lg" type="submit" value={text} {...rest} />
));
