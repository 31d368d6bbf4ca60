/** @jsxImportSource preact */
/**
 * Keycloak: keycloak/keycloak themes/src/main/resources/theme/keycloak.v2/login/{login,field,buttons,template}.ftl and
 * logout-confirm.ftl, and theme/base/login/messages/messages_en.properties for its words. `keycloak-v1`, the theme before
 * keycloak.v2, has its buttons as an `<input>`, and one `#input-error` (theme/base/login/login.ftl).
 */

import type { VNode } from "preact";
import { Document, LogoutForm } from "./document.tsx";
import { loginPage } from "./login_screen.tsx";
import type { ProviderPage } from "./provider_page.ts";

/** @param Button The button of a form, by its text, name and id. */
function keycloakPage(
  Button: (props: { readonly text: string; readonly name: string; readonly id: string }) => VNode,
): ProviderPage {
  return {
    ...loginPage("session_code", {
      // keycloak/keycloak LoginActionsService, whose page stands at the authorization endpoint.
      path: (base) => `${base}/login-actions/authenticate`,
      isInPlace: true,
      title: ({ realm }) => `Sign in to ${realm}`,
      above: [
        ({ realm }) => <div id="kc-header-wrapper">{realm}</div>,
        () => <h1 id="kc-page-title">Sign in to your account</h1>,
      ],
      attributes: { id: "kc-form-login" },
      username: { label: "Username or email", id: "username", name: "username" },
      password: { label: "Password", id: "password", name: "password" },
      fault: {
        ...{ text: "Invalid username or password.", as: "span", id: "input-error", class: "kc-feedback-text" },
        ...{ at: "username", boxes: [{ as: "span", id: "input-error-username" }] },
      },
      button: () => <Button text="Sign In" name="login" id="kc-login" />,
    }),
    accountTitle: "Account Management",
    Logout: (props) => (
      <Document props={props} title="Logging out">
        <h1 id="kc-page-title">Logging out</h1>
        <div id="kc-logout-confirm">
          <p class="instruction">Do you want to log out?</p>
          <LogoutForm props={props}>
            <Button text="Logout" name="confirmLogout" id="kc-logout" />
          </LogoutForm>
        </div>
      </Document>
    ),
  };
}

export const keycloakPages = {
  keycloak: keycloakPage(({ text, ...rest }) => (
    <button class="pf-v5-c-button pf-m-primary pf-m-block" type="submit" {...rest}>{text}</button>
  )),
  "keycloak-v1": keycloakPage(({ text, ...rest }) => (
    <input class="pf-c-button pf-m-primary pf-m-block btn-lg" type="submit" value={text} {...rest} />
  )),
};
