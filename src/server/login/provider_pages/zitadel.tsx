/** @jsxImportSource preact */
/**
 * ZITADEL, login version 1, two pages: zitadel/zitadel internal/api/ui/login/static/templates/{login,password}.html, and
 * internal/api/ui/login/static/i18n/en.yaml for its words.
 */

import type { VNode } from "preact";
import { Document, LoginFault } from "./document.tsx";
import type { ProviderPage, ScreenProps } from "./provider_page.ts";

function zitadelScreen(field: "loginName" | "password"): (props: ScreenProps) => VNode {
  return function Screen(props) {
    const { action, username, error } = props;
    const isName = field === "loginName";
    const { reason = isName ? "User could not be found" : "Username or Password is invalid" } = props;
    return (
      <Document props={props} title={isName ? "Welcome Back!" : "Password"}>
        <h1>{isName ? "Welcome Back!" : "Password"}</h1>
        <p>{isName ? "Enter your login data." : username}</p>
        <form class="form" action={action} method="post" novalidate>
          <div class="field">
            <label class="lgn-label" for={field}>{isName ? "Login Name" : "Password"}</label>
            {isName
              ? <input id="loginName" name="loginName" type="text" class="lgn-input" value={username} autofocus />
              : <input id="password" name="password" type="password" class="lgn-input" value="" autofocus />}
            {error && <LoginFault class="lgn-error-message">{reason}</LoginFault>}
          </div>
          <button id="submit-button" class="lgn-raised-button lgn-primary" type="submit">Next</button>
        </form>
      </Document>
    );
  };
}

export const zitadel: ProviderPage = {
  state: "authRequestID",
  screens: [
    {
      path: () => "/ui/login/loginname",
      username: "loginName",
      rejectsUnknown: true,
      Page: zitadelScreen("loginName"),
    },
    { path: () => "/ui/login/password", isInPlace: true, password: "password", Page: zitadelScreen("password") },
  ],
};
