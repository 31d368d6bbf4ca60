/** @jsxImportSource preact */
/**
 * Duende IdentityServer and IdentityServer4 with their quickstart pages: DuendeSoftware/products
 * identity-server/hosts/main/Pages/Account/{Login,Logout}, and IdentityServer/IdentityServer4.Quickstart.UI
 * Views/Account/{Login,Logout,LoggedOut}.cshtml.
 */

import { Document, LogoutForm } from "./document.tsx";
import { loginPage } from "./login_screen.tsx";
import type { ProviderPage } from "./provider_page.ts";

/**
 * @param prefix What the names of the fields begin with.
 * @param question What it asks before a logout.
 */
function quickstart(title: string, prefix: string, button: string, question: string): ProviderPage {
  const field = (name: string) => ({ id: `${prefix}${name}`.replace(".", "_"), name: prefix + name });
  const text = { autocomplete: undefined, class: "form-control", box: { class: "field form-group" } };
  const remember = field("RememberLogin");
  return {
    ...loginPage("ReturnUrl", {
      path: () => "/Account/Login",
      deny: [button, "cancel"],
      title,
      hidden: [{ name: "__RequestVerificationToken", type: "hidden" }, { type: "hidden", name: `${prefix}ReturnUrl` }],
      frame: (content) => <div class="login-page">{content}</div>,
      above: [() => <h1>Login</h1>, () => <h2>Local Account</h2>],
      username: { ...text, ...field("Username"), label: "Username", placeholder: "Username" },
      password: { ...text, ...field("Password"), label: "Password", placeholder: "Password", autocomplete: "off" },
      fault: {
        text: "Invalid username or password",
        ...{ as: "li", at: "above" },
        boxes: [{ class: "alert alert-danger" }, { class: "danger validation-summary-errors" }, { as: "ul" }],
      },
      button: () => (
        <>
          <div class="choice">
            <input {...remember} type="checkbox" value="true" />
            <label for={remember.id}>Remember My Login</label>
          </div>
          <div class="ways">
            <button type="submit" class="btn btn-primary" name={button} value="login">Login</button>
            <button type="submit" class="btn btn-secondary" data-secondary name={button} value="cancel">Cancel</button>
          </div>
        </>
      ),
    }),
    Logout: (props) => (
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
    ),
    linksAfterLogout: true,
    LoggedOut: (props) => (
      <Document props={props} title={title}>
        <div class="logged-out-page">
          <h1>
            Logout <small>You are now logged out</small>
          </h1>
          {props.continueHref !== undefined && (
            <div>
              Click <a class="PostLogoutRedirectUri" href={props.continueHref}>here</a> to return to the{" "}
              <span>{props.client}</span> application.
            </div>
          )}
        </div>
      </Document>
    ),
  };
}

export const identityServerPages = {
  duende: quickstart("Duende IdentityServer", "Input.", "Input.Button", "Would you like to logout of IdentityServer?"),
  identityserver4: quickstart("IdentityServer4", "", "button", "Would you like to log out of IdentityServer?"),
};
