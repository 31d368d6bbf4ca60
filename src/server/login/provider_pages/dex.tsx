/** @jsxImportSource preact */
/**
 * Dex with its own passwords: dexidp/dex web/templates/{login,password,approval}.html; server/handlers.go has the paths.
 * With `oauth2.skipApprovalScreen` it is `dex-no-approval`; with several connectors too, as in Kubeflow, `dex-connectors`.
 */

import type { VNode } from "preact";
import { Document, LoginFault } from "./document.tsx";
import type { LoginScreen, ProviderPage, ScreenProps } from "./provider_page.ts";

function Connectors(props: ScreenProps): VNode {
  return (
    <Document props={props} title="dex">
      <h1 class="theme-heading">Log in to dex</h1>
      <form class="theme-form-row" method="post" action={props.action}>
        <button type="submit" class="dex-btn theme-btn-provider">
          <span class="dex-btn-icon dex-btn-icon--local"></span>
          <span class="dex-btn-text">Log in with Email</span>
        </button>
      </form>
    </Document>
  );
}

function Password(props: ScreenProps): VNode {
  const { action, username, error, reason = "Invalid Email Address and password." } = props;
  return (
    <Document props={props} title="dex">
      <h1 class="theme-heading">Log in to Your Account</h1>
      <form class="form" method="post" action={action}>
        <div class="field theme-form-row">
          <label for="login">Email Address</label>
          <input
            {...{ id: "login", name: "login", type: "text", value: username, required: true, autofocus: true }}
            {...{ class: "theme-form-input", placeholder: "email address", autocomplete: "username" }}
          />
        </div>
        <div class="field theme-form-row">
          <label for="password">Password</label>
          <input
            {...{ id: "password", name: "password", type: "password", value: "", required: true }}
            {...{ class: "theme-form-input", placeholder: "password", autocomplete: "current-password" }}
          />
        </div>
        {error && <LoginFault id="login-error" class="dex-error-box">{reason}</LoginFault>}
        <button id="submit-login" type="submit" class="dex-btn theme-btn--primary">Login</button>
      </form>
    </Document>
  );
}

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

const credentials: LoginScreen = {
  path: (base) => `${base}/auth/local/login`,
  ...{ username: "login", password: "password", Page: Password },
};

export const dexNoApproval: ProviderPage = { state: "state", screens: [credentials] };

export const dexConnectors: ProviderPage = {
  state: "state",
  screens: [{ path: (base) => `${base}/auth/local`, isInPlace: true, Page: Connectors }, credentials],
};

export const dex: ProviderPage = {
  ...dexNoApproval,
  approval: {
    path: (base) => `${base}/approval`,
    ...{ isConsent: true, deny: ["approval", "rejected"], Page: Approval },
  },
};
