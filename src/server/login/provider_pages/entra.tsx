/** @jsxImportSource preact */
/**
 * Microsoft Entra ID, two steps and "Stay signed in?": AzureAD/microsoft-authentication-library-for-js
 * samples/e2eTestUtils/src/TestUtils.ts (enterCredentials) and AzureAD/microsoft-identity-web tests/E2E Tests
 * (UiTestHelpers.cs) have the ids, labels and buttons. B2C: the same files (b2cLocalAccountEnterCredentials,
 * B2CWebAppCallsWebApiLocally.cs); Azure-Samples/active-directory-b2c-custom-policy-starterpack names its other ids.
 */

import type { VNode } from "preact";
import { Document, LoginFault } from "./document.tsx";
import type { ProviderPage, ScreenProps } from "./provider_page.ts";

/** The classes of its buttons, which XPath in tests spells out. */
const [primary, secondary] = ["primary", "secondary"].map((rank) =>
  `win-button button_${rank} high-contrast-overrides button ext-button ${rank} ext-${rank}`
);

function EmailScreen(props: ScreenProps): VNode {
  const { action, username, error, reason = "We couldn't find an account with that username." } = props;
  return (
    <Document props={props} title="Sign in to your account">
      <div id="loginHeader" role="heading" aria-level={1}>Sign in</div>
      <form class="form" name="f1" action={action} method="post" novalidate>
        <div class="field">
          <input
            {...{ id: "i0116", name: "loginfmt", type: "email", value: username, autocomplete: "username" }}
            placeholder="Email, phone, or Skype"
            aria-label="Enter your email, phone, or Skype."
            autofocus
          />
          {error && <LoginFault id="usernameError">{reason}</LoginFault>}
        </div>
        <input type="submit" id="idSIButton9" class={primary} value="Next" />
      </form>
    </Document>
  );
}

const wrongPassword = "Your account or password is incorrect. If you don't remember your password, reset it now.";

function PasswordScreen(props: ScreenProps): VNode {
  const { action, username, error, reason = wrongPassword } = props;
  return (
    <Document props={props} title="Sign in to your account">
      <div id="displayName">{username}</div>
      <div id="loginHeader" role="heading" aria-level={1}>Enter password</div>
      <form class="form" name="f1" action={action} method="post" novalidate>
        <div class="field">
          <input
            data-testid="i0118"
            {...{ id: "i0118", name: "passwd", type: "password", value: "", autocomplete: "current-password" }}
            placeholder="Password"
            aria-label={`Enter the password for ${username}`}
            autofocus
          />
          {error && <LoginFault id="passwordError">{reason}</LoginFault>}
        </div>
        <a id="idA_PWD_ForgotPassword" href="#i0118">Forgot my password</a>
        <div data-testid="textButtonContainer">
          <input type="submit" id="idSIButton9" class={primary} value="Sign in" />
        </div>
      </form>
    </Document>
  );
}

// The answer No is no submit button there: on each page, input[type=submit] is one.
function StaySignedIn(props: ScreenProps): VNode {
  return (
    <Document props={props} title="Sign in to your account" script>
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
          <input type="button" id="idBtn_Back" class={secondary} value="No" data-submit data-secondary />
          <input type="submit" id="idSIButton9" class={primary} value="Yes" />
        </div>
      </form>
    </Document>
  );
}

/** The path of the tenant, such as `/common`: the issuer ends with `/v2.0`. */
const tenant = (base: string) => base.replace(/\/v2\.0$/, "");

/** For tenants that do not ask "Stay signed in?". */
export const entraNoKmsi: ProviderPage = {
  state: "ctx",
  screens: [
    {
      path: (base) => `${tenant(base)}/GetCredentialType`,
      isInPlace: true,
      username: "loginfmt",
      rejectsUnknown: true,
      Page: EmailScreen,
    },
    { path: (base) => `${tenant(base)}/login`, isInPlace: true, password: "passwd", Page: PasswordScreen },
  ],
};

export const entra: ProviderPage = {
  ...entraNoKmsi,
  approval: { path: (base) => `${tenant(base)}/kmsi`, isConsent: false, Page: StaySignedIn },
};

/** @param id The id of the first field: `email` of user flows, or that of other user flows and of custom policies. */
export function entraB2c(id: string): ProviderPage {
  function Login(props: ScreenProps): VNode {
    const { action, username, error } = props;
    const { reason = error === "username" ? "We can't seem to find your account" : "Your password is incorrect" } =
      props;
    return (
      <Document props={props} title="Sign up or sign in">
        <div id="api" role="presentation">
          <h1>Sign in</h1>
          <form id="localAccountForm" class="form" action={action} method="post" novalidate>
            {error && (
              <div class="error pageLevel">
                <LoginFault as="p">{reason}</LoginFault>
              </div>
            )}
            <div class="field">
              <label for={id}>Email Address</label>
              <input
                {...{ id, name: id, type: "email", value: username, autocomplete: "username", autofocus: true }}
                placeholder="Email Address"
              />
            </div>
            <div class="field">
              <label for="password">Password</label>
              <input
                {...{ id: "password", name: "password", type: "password", value: "" }}
                {...{ placeholder: "Password", autocomplete: "current-password" }}
              />
            </div>
            <button id="next" type="submit">Sign in</button>
          </form>
        </div>
      </Document>
    );
  }
  return {
    state: "tx",
    screens: [{
      path: (base) => `${tenant(base)}/api/CombinedSigninAndSignup/confirmed`,
      isInPlace: true,
      ...{ username: id, password: "password", Page: Login },
    }],
  };
}
