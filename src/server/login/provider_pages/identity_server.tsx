/** @jsxImportSource preact */
/**
 * Duende IdentityServer and IdentityServer4 with their quickstart pages: DuendeSoftware/products
 * identity-server/hosts/main/Pages/Account/{Login,Logout}, and IdentityServer/IdentityServer4.Quickstart.UI
 * Views/Account/{Login,Logout,LoggedOut}.cshtml.
 */

import type { VNode } from "preact";
import type { LoggedOutProps } from "../pages/logged_out_page.tsx";
import type { LogoutProps } from "../pages/logout_page.tsx";
import { Document, LogoutForm } from "./document.tsx";
import type { ProviderPage, ScreenProps } from "./provider_page.ts";

/**
 * @param prefix What the names of the fields begin with.
 * @param question What it asks before a logout.
 */
function loginPage(title: string, prefix: string, button: string, question: string): ProviderPage {
  const field = (name: string) => ({ id: `${prefix}${name}`.replace(".", "_"), name: prefix + name });
  function Login(props: ScreenProps): VNode {
    const { action, username, error, reason = "Invalid username or password" } = props;
    const [name, password, remember] = [field("Username"), field("Password"), field("RememberLogin")];
    return (
      <Document props={props} title={title}>
        <div class="login-page">
          <h1>Login</h1>
          {error && (
            <div class="alert alert-danger">
              <strong>Error</strong>
              <div class="danger validation-summary-errors">
                <ul>
                  <li class="fault">{reason}</li>
                </ul>
              </div>
            </div>
          )}
          <h2>Local Account</h2>
          <form class="form" action={action} method="post" novalidate>
            <div class="field form-group">
              <label for={name.id}>Username</label>
              <input {...name} type="text" class="form-control" placeholder="Username" value={username} autofocus />
            </div>
            <div class="field form-group">
              <label for={password.id}>Password</label>
              <input
                {...password}
                type="password"
                class="form-control"
                placeholder="Password"
                autocomplete="off"
                value=""
              />
            </div>
            <div class="choice">
              <input {...remember} type="checkbox" value="true" />
              <label for={remember.id}>Remember My Login</label>
            </div>
            <div class="ways">
              <button type="submit" class="btn btn-primary" name={button} value="login">Login</button>
              <button type="submit" class="btn btn-secondary" data-secondary name={button} value="cancel">
                Cancel
              </button>
            </div>
          </form>
        </div>
      </Document>
    );
  }
  function Logout(props: LogoutProps): VNode {
    return (
      <Document props={props} title={title}>
        <div class="logout-page">
          <div class="lead">
            <h1>Logout</h1>
            <p>{question}</p>
          </div>
          <LogoutForm props={props}>
            <button type="submit" class="btn btn-primary">Yes</button>
          </LogoutForm>
        </div>
      </Document>
    );
  }
  function LoggedOut(props: LoggedOutProps & { readonly client?: string }): VNode {
    const { continueHref, client } = props;
    return (
      <Document props={props} title={title}>
        <div class="logged-out-page">
          <h1>
            Logout <small>You are now logged out</small>
          </h1>
          {continueHref !== undefined && (
            <div>
              Click <a class="PostLogoutRedirectUri" href={continueHref}>here</a> to return to the <span>{client}</span>
              {" "}
              application.
            </div>
          )}
        </div>
      </Document>
    );
  }
  return {
    ...{ Logout, LoggedOut },
    state: "ReturnUrl",
    screens: [{
      path: () => "/Account/Login",
      deny: [button, "cancel"],
      ...{ username: field("Username").name, password: field("Password").name, Page: Login },
    }],
  };
}

export const duende = loginPage(
  "Duende IdentityServer",
  "Input.",
  "Input.Button",
  "Would you like to logout of IdentityServer?",
);

export const identityServer4 = loginPage(
  "IdentityServer4",
  "",
  "button",
  "Would you like to log out of IdentityServer?",
);
