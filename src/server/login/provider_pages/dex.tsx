/** @jsxImportSource preact */
/**
 * Dex with its own passwords: dexidp/dex web/templates/{login,password,approval}.html; server/handlers.go has the paths.
 * With `oauth2.skipApprovalScreen` it is `dex-no-approval`; with several connectors too, as in Kubeflow, `dex-connectors`.
 */

import type { VNode } from "preact";
import { Document } from "./document.tsx";
import { type LoginForm, loginPage } from "./login_screen.tsx";
import type { ProviderPage, ScreenProps } from "./provider_page.ts";

// The link leads to the form; some programs post the credentials to its URL.
function Connectors(props: ScreenProps): VNode {
  return (
    <Document props={props} title="dex">
      <h1 class="theme-heading">Log in to dex</h1>
      <div class="theme-form-row">
        <a href={props.screens[1]} target="_self">
          <button type="button" class="dex-btn theme-btn-provider">
            <span class="dex-btn-icon dex-btn-icon--local"></span>
            <span class="dex-btn-text">Log in with Email</span>
          </button>
        </a>
      </div>
    </Document>
  );
}

const field = { class: "theme-form-input", required: true, box: { class: "field theme-form-row" } };

const credentials: LoginForm = {
  path: (base) => `${base}/auth/local/login`,
  title: "dex",
  above: [() => <h1 class="theme-heading">Log in to Your Account</h1>],
  attributes: { novalidate: false },
  username: { ...field, label: "Email Address", id: "login", name: "login", placeholder: "email address" },
  password: { ...field, label: "Password", id: "password", name: "password", placeholder: "password" },
  fault: { text: "Invalid Email Address and password.", id: "login-error", class: "dex-error-box", at: "bottom" },
  button: () => <button id="submit-login" type="submit" class="dex-btn theme-btn--primary">Login</button>,
};

function Approval(props: ScreenProps): VNode {
  const { action, client, scope } = props;
  const form = (approval: string, button: string, style: string) => (
    <form class="theme-form-row" method="post" action={action}>
      <input type="hidden" name="approval" value={approval} />
      <button type="submit" class={`dex-btn ${style}`}>
        <span class="dex-btn-text">{button}</span>
      </button>
    </form>
  );
  return (
    <Document props={props} title="dex">
      <h1 class="theme-heading">Grant Access</h1>
      <p class="dex-subtle-text">{client} would like to:</p>
      <ul class="dex-list">{scope.map((value) => <li key={value}>{value}</li>)}</ul>
      {form("approve", "Grant Access", "theme-btn--success")}
      {form("rejected", "Cancel", "theme-btn-provider plain")}
    </Document>
  );
}

const noApproval = loginPage("state", credentials);

export const dexPages = {
  dex: {
    ...noApproval,
    approval: {
      path: (base) => `${base}/approval`,
      ...{ isConsent: true, deny: ["approval", "rejected"], Page: Approval },
    },
  },
  "dex-connectors": {
    ...noApproval,
    screens: [{ path: (base) => `${base}/auth/local`, isInPlace: true, Page: Connectors }, ...noApproval.screens],
  },
  "dex-no-approval": noApproval,
} satisfies Record<string, ProviderPage>;
