/** @jsxImportSource preact */
/**
 * Keycloak: keycloak/keycloak themes/src/main/resources/theme/keycloak.v2/login/{login,field,buttons,template}.ftl and
 * logout-confirm.ftl, and theme/base/login/messages/messages_en.properties for its words. `keycloak-v1`, the theme before
 * keycloak.v2, has its buttons as an `<input>`, and one `#input-error` (theme/base/login/login.ftl). With organizations, or
 * a flow of its own, the login is identifier first: login-username.ftl and login-password.ftl beside them.
 */

import type { VNode } from "preact";
import { Document, LogoutForm } from "./document.tsx";
import { type LoginForm, loginPage } from "./login_screen.tsx";
import type { ProviderPage, ScreenProps } from "./provider_page.ts";

/**
 * @param Button The button of a form, by its text, name and id.
 * @param isIdentifierFirst Whether the password has a page of its own.
 */
function keycloakPage(
  Button: (props: { readonly text: string; readonly name: string; readonly id: string }) => VNode,
  isIdentifierFirst = false,
): ProviderPage {
  const screen = (heading: string) => ({
    isInPlace: true,
    title: ({ realm }: ScreenProps) => `Sign in to ${realm}`,
    frame: (content: VNode, { realm }: ScreenProps) => (
      <>
        <div id="kc-header-wrapper" class="login-pf-page-header">{realm}</div>
        <h1 id="kc-page-title">{heading}</h1>
        <div id="kc-content-wrapper">{content}</div>
      </>
    ),
    attributes: { id: "kc-form-login" },
    button: () => <Button text="Sign In" name="login" id="kc-login" />,
  });
  const fault = (text: string, field: "username" | "password") => ({
    ...{ text, as: "span", id: "input-error", class: "kc-feedback-text" } as const,
    ...{ at: field, boxes: [{ as: "span", id: `input-error-${field}` }] } as const,
  });
  // keycloak/keycloak LoginActionsService, whose page stands at the authorization endpoint.
  const path = (base: string) => `${base}/login-actions/authenticate`;
  const username = { label: "Username or email", id: "username", name: "username" };
  const password = { label: "Password", id: "password", name: "password" };
  const first = { ...screen("Sign in to your account"), path, username };
  const screens: readonly [LoginForm, ...LoginForm[]] = isIdentifierFirst
    ? [
      { ...first, rejectsUnknown: true, fault: fault("Invalid username or email.", "username") },
      {
        ...screen("Sign In"),
        path: (base) => `${path(base)}/password`,
        top: (props) => (
          <div class="field">
            <label for="kc-attempted-username">{username.label}</label>
            <input id="kc-attempted-username" value={props.username} readonly />
          </div>
        ),
        ...{ password, fault: fault("Invalid password.", "password") },
      },
    ]
    : [{ ...first, password, fault: fault("Invalid username or password.", "username") }];
  return {
    ...loginPage("session_code", ...screens),
    // Any UUID: nothing reads it.
    parameters: (interaction) => ({ execution: "0ec8a7f2-5d8f-4ac7-9a0e-3c1d7a4a3f52", tab_id: interaction }),
    accountTitle: "Account Management",
    // themes/src/main/resources/theme/base/login/info.ftl
    LoggedOut: (props) => (
      <Document props={props} title="You are logged out">
        <h1 id="kc-page-title">You are logged out</h1>
        <div id="kc-info-message">
          <p class="instruction">You are logged out</p>
        </div>
      </Document>
    ),
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

const v2Button: Parameters<typeof keycloakPage>[0] = ({ text, ...rest }) => (
  <button class="pf-v5-c-button pf-m-primary pf-m-block" type="submit" {...rest}>{text}</button>
);

const v1Button: typeof v2Button = ({ text, ...rest }) => (
  <div id="kc-form-buttons" class="fit">
    <input class="pf-c-button pf-m-primary pf-m-block btn-lg" type="submit" value={text} {...rest} />
  </div>
);

export const keycloakPages = {
  keycloak: keycloakPage(v2Button),
  "keycloak-identifier-first": keycloakPage(v2Button, true),
  "keycloak-v1": keycloakPage(v1Button),
  "keycloak-v1-identifier-first": keycloakPage(v1Button, true),
};
