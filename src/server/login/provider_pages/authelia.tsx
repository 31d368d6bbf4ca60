/** @jsxImportSource preact */
/**
 * Authelia, with its page of consent: authelia/authelia web/src/views/LoginPortal/FirstFactor/FirstFactorForm.tsx, and
 * `#openid-consent-accept`, as its suites and public ones reach for it.
 */

import type { VNode } from "preact";
import { Document } from "./document.tsx";
import { loginPage } from "./login_screen.tsx";
import type { ProviderPage, ScreenProps } from "./provider_page.ts";

function Consent(props: ScreenProps): VNode {
  const { action, client, username, scope } = props;
  return (
    <Document props={props} title="Consent - Authelia">
      <div id="openid-consent-decision-stage">
        <h1>Hi {username}</h1>
        <p>{client} is requesting the following permissions</p>
        <ul>{scope.map((value) => <li key={value} id={`scope-${value}`}>{value}</li>)}</ul>
        <form class="ways" action={action} method="post">
          <button type="submit" id="openid-consent-accept" name="consent" value="accept">Accept</button>
          <button type="submit" id="openid-consent-deny" name="consent" value="deny" data-secondary>Deny</button>
        </form>
      </div>
    </Document>
  );
}

export const authelia: ProviderPage = {
  ...loginPage("flow_id", {
    path: () => "/api/firstfactor",
    isInPlace: true,
    title: "Login - Authelia",
    frame: (content) => <div id="first-factor-stage">{content}</div>,
    above: [() => <h1>Sign in</h1>],
    username: { label: "Username", id: "username-textfield", name: "username" },
    password: { label: "Password", id: "password-textfield", name: "password" },
    fault: { text: "Incorrect username or password", class: "notification" },
    button: () => <button type="submit" id="sign-in-button">Sign in</button>,
  }),
  approval: {
    path: () => "/consent/openid/decision",
    ...{ isConsent: true, deny: ["consent", "deny"], Page: Consent },
  },
};
