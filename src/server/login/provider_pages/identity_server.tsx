/** @jsxImportSource preact */
/**
 * Duende IdentityServer and IdentityServer4 with their quickstart pages: DuendeSoftware/products
 * identity-server/hosts/main/Pages/Account/Login/Index.cshtml, and IdentityServer/IdentityServer4.Quickstart.UI
 * Views/Account/Login.cshtml.
 */

import type { VNode } from "preact";
import { Document } from "./document.tsx";
import type { ProviderPage, ScreenProps } from "./provider_page.ts";

/** @param prefix What the names of the fields begin with. */
function loginPage(title: string, prefix: string, button: string): ProviderPage {
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
              <button type="submit" class="button btn btn-primary" name={button} value="login">Login</button>
              <button type="submit" class="button plain btn btn-secondary" name={button} value="cancel">Cancel</button>
            </div>
          </form>
        </div>
      </Document>
    );
  }
  return {
    state: "ReturnUrl",
    screens: [{
      path: () => "/Account/Login",
      deny: [button, "cancel"],
      ...{ username: field("Username").name, password: field("Password").name, Page: Login },
    }],
  };
}

export const duende = loginPage("Duende IdentityServer", "Input.", "Input.Button");

export const identityServer4 = loginPage("IdentityServer4", "", "button");
