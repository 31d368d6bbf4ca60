/** @jsxImportSource preact */
/**
 * Keycloak: keycloak/keycloak themes/src/main/resources/theme/keycloak.v2/login/{login,field,buttons,template}.ftl, and
 * theme/base/login/messages/messages_en.properties for its words. `keycloak-v1`, the theme before keycloak.v2, has its
 * button as an `<input>`, and one `#input-error` (theme/base/login/login.ftl).
 */

import type { VNode } from "preact";
import { Document } from "./document.tsx";
import type { ProviderPage, ScreenProps } from "./provider_page.ts";

function keycloakForm(Button: () => VNode): (props: ScreenProps) => VNode {
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
          <Button />
        </form>
      </Document>
    );
  };
}

function keycloakPage(Button: () => VNode): ProviderPage {
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
  };
}

export const keycloak = keycloakPage(() => (
  <button class="button" name="login" id="kc-login" type="submit">Sign In</button>
));

export const keycloakV1 = keycloakPage(() => (
  <input class="button" name="login" id="kc-login" type="submit" value="Sign In" />
));
