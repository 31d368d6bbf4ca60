/** @jsxImportSource preact */
/**
 * Microsoft Entra ID, two steps and "Stay signed in?": AzureAD/microsoft-authentication-library-for-js
 * samples/e2eTestUtils/src/TestUtils.ts (enterCredentials) and AzureAD/microsoft-identity-web tests/E2E Tests
 * (UiTestHelpers.cs) have the ids, labels and buttons. B2C: the same files (b2cLocalAccountEnterCredentials,
 * B2CWebAppCallsWebApiLocally.cs); Azure-Samples/active-directory-b2c-custom-policy-starterpack names its other ids.
 */

import type { ButtonHTMLAttributes, InputHTMLAttributes, VNode } from "preact";
import { Document, LogoutForm } from "./document.tsx";
import { loginPage } from "./login_screen.tsx";
import type { ProviderPage, ScreenProps } from "./provider_page.ts";

/** A button. XPath in tests names its classes and those of its parent. */
const Button = ({ rank, ...input }: { readonly rank: "primary" | "secondary" } & InputHTMLAttributes) => (
  <div class="inline-block button-item ext-button-item">
    <input
      class={`win-button button_${rank} high-contrast-overrides button ext-button ${rank} ext-${rank}`}
      {...input}
    />
  </div>
);

const Submit = ({ value }: { readonly value: string }) => (
  <Button
    {...{ rank: "primary", type: "submit", id: "idSIButton9", value }}
    {...{ "data-report-event": "Signin_Submit", "data-report-trigger": "click", "data-report-value": "Submit" }}
  />
);

const logo = () => <div class="logo" role="img" aria-label="Microsoft">Microsoft</div>;

// The answer No is no submit button there: on each page, input[type=submit] is one.
function StaySignedIn(props: ScreenProps): VNode {
  return (
    <Document props={props} title="Sign in to your account" script>
      {logo()}
      <div id="displayName">{props.username}</div>
      <div id="kmsiTitle" class="row text-title" role="heading" aria-level={1}>Stay signed in?</div>
      <form class="form" action={props.action} method="post">
        <div id="KmsiDescription">Do this to reduce the number of times you are asked to sign in.</div>
        <div class="choice">
          <input
            {...{ id: "KmsiCheckboxField", name: "DontShowAgain", type: "checkbox", value: "true" }}
            data-testid="checkboxField"
          />
          <label for="KmsiCheckboxField">Don't show this again</label>
        </div>
        <div class="ways" data-testid="textButtonContainer">
          <Button rank="secondary" type="button" id="idBtn_Back" value="No" data-submit data-secondary />
          <Submit value="Yes" />
        </div>
      </form>
    </Document>
  );
}

/** An account: suites click `[data-test-id]`, a part of it, or its text. */
const Tile = ({ account, ...button }: { readonly account: string } & ButtonHTMLAttributes) => (
  <div class="tile-container fit">
    <div class="row tile">
      <div class="table" data-test-id={account}>
        <button type="submit" class="table-row" data-secondary {...button}>
          <div class="table-cell text-left content">
            <div>{account}</div>
            <div>Signed in</div>
          </div>
        </button>
      </div>
    </div>
  </div>
);

/** The accounts of the browser: suites click one, `#otherTile` or `#otherTileText`. */
function PickAccount({ action, recent }: ScreenProps): VNode {
  return (
    <>
      <div id="loginHeader" role="heading" aria-level={1}>Pick an account</div>
      <form class="form" action={action} method="post" id="tilesHolder">
        {recent.map((account) => <Tile key={account} account={account} name="account" value={account} />)}
        <div id="otherTile" class="table fit">
          <a href={action} role="button">
            <div id="otherTileText">Use another account</div>
          </a>
        </div>
      </form>
    </>
  );
}

/** Before and after a logout. */
const logoutPages = {
  Logout: (props) => (
    <Document props={props} title="Sign out">
      {logo()}
      <div id="loginHeader" role="heading" aria-level={1}>Pick an account</div>
      <p>Which account do you want to sign out of?</p>
      <LogoutForm props={props} id="tilesHolder">
        <Tile account={props.account} />
      </LogoutForm>
    </Document>
  ),
  LoggedOut: (props) => (
    <Document props={props} title="Sign out">
      {logo()}
      <div id="login_workload_logo_text" role="heading" aria-level={1}>You signed out of your account</div>
      <p>It's a good idea to close all browser windows.</p>
    </Document>
  ),
} satisfies Partial<ProviderPage>;

const input = "form-control ltr_override input ext-input text-box ext-text-box";

/** The path of the tenant, such as `/common`: the issuer ends with `/v2.0`. */
const tenant = (base: string) => base.replace(/\/v2\.0$/, "");

const common = { isInPlace: true, title: "Sign in to your account", attributes: { name: "f1" } };

/** For tenants that do not ask "Stay signed in?". */
const noKmsi = loginPage(
  "ctx",
  {
    ...common,
    path: (base) => `${tenant(base)}/GetCredentialType`,
    rejectsUnknown: true,
    isSkippedByHint: true,
    choice: (props) => <PickAccount {...props} />,
    above: [logo, () => <div id="loginHeader" role="heading" aria-level={1}>Sign in</div>],
    username: {
      ...{ class: input, id: "i0116", name: "loginfmt", type: "email", placeholder: "Email, phone, or Skype" },
      "aria-label": "Enter your email, phone, or Skype.",
    },
    fault: {
      text: ({ username, base }) =>
        username.includes("@") && !/\/(?:common|consumers)\/v2\.0$/.test(base)
          ? "This username may be incorrect. Make sure you typed it correctly. Otherwise, contact your admin."
          : "We couldn't find an account with that username.",
      empty: "Enter a valid email address, phone number, or Skype name.",
      id: "usernameError",
    },
    button: () => (
      <>
        <a id="cantAccessAccount" href="#i0116">Can’t access your account?</a>
        <Submit value="Next" />
      </>
    ),
  },
  {
    ...common,
    path: (base) => `${tenant(base)}/login`,
    above: [
      logo,
      ({ username, screens: [first] }) => (
        <div class="ways">
          <a class="backButton" href={first} aria-label="Back">←</a>
          <div id="displayName">{username}</div>
        </div>
      ),
      () => <div id="loginHeader" role="heading" aria-level={1}>Enter password</div>,
    ],
    password: {
      ...{ class: input, id: "i0118", name: "passwd", placeholder: "Password", "data-testid": "i0118" },
      attributes: ({ username }) => ({ "aria-label": `Enter the password for ${username}` }),
    },
    fault: {
      text: "Your account or password is incorrect. If you don't remember your password, reset it now.",
      empty: "Please enter your password.",
      id: "passwordError",
    },
    button: () => (
      <>
        <a id="idA_PWD_ForgotPassword" href="#i0118">Forgot my password</a>
        <div data-testid="textButtonContainer">
          <Submit value="Sign in" />
        </div>
      </>
    ),
  },
);

/** @param id The id of the first field: `email` of user flows, or that of other user flows and of custom policies. */
function b2c(id: string): ProviderPage {
  return loginPage("tx", {
    path: (base) => `${tenant(base)}/api/CombinedSigninAndSignup/confirmed`,
    isInPlace: true,
    title: "Sign up or sign in",
    frame: (content) => <div id="api" role="presentation">{content}</div>,
    above: [() => <h1>Sign in</h1>],
    attributes: { id: "localAccountForm" },
    username: { label: "Email Address", id, name: id, type: "email", placeholder: "Email Address" },
    password: { label: "Password", id: "password", name: "password", placeholder: "Password" },
    fault: {
      text: "Your password is incorrect",
      unknown: "We can't seem to find your account",
      as: "p",
      at: "top",
      boxes: [{ class: "error pageLevel", role: "alert" }],
    },
    button: () => (
      <>
        <a id="forgotPassword" href="#password">Forgot your password?</a>
        <div class="buttons fit">
          <button id="next" type="submit">Sign in</button>
        </div>
        <a id="createAccount" href={`#${id}`}>Sign up now</a>
      </>
    ),
  });
}

export const entraPages = {
  entra: {
    ...noKmsi,
    ...logoutPages,
    approval: { path: (base) => `${tenant(base)}/kmsi`, isInPlace: true, isConsent: false, Page: StaySignedIn },
  },
  "entra-b2c": b2c("email"),
  "entra-b2c-logonidentifier": b2c("logonIdentifier"),
  "entra-b2c-signinname": b2c("signInName"),
  "entra-no-kmsi": { ...noKmsi, ...logoutPages },
} satisfies Record<string, ProviderPage>;
