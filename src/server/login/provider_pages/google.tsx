/** @jsxImportSource preact */
/**
 * Google, two pages: the ids, names and classes that public suites fill in (`#identifierId`, `#identifierNext button`,
 * `input[name=Passwd]`, `#passwordNext`), of which Cypress's guide "Google Authentication" says that Google changes them.
 * `google-consent` also asks for consent (`#submit_approve_access`).
 * `google-2019`: those of suites of 2018 to 2020 (`//*[@id="identifierNext"]/span/span`, `input[name=password]`).
 */

import { h, type VNode } from "preact";
import { Document } from "./document.tsx";
import { loginPage } from "./login_screen.tsx";
import type { ProviderPage, ScreenProps } from "./provider_page.ts";

const title = "Sign in - Google Accounts";

/** The accounts of the browser: suites click `[data-authuser]` or `[data-identifier]` of one. */
function ChooseAccount({ action, recent, client }: ScreenProps): VNode {
  return (
    <>
      <h1 id="headingText">Choose an account</h1>
      <p id="headingSubtext">to continue to {client}</p>
      <form class="form" action={action} method="post">
        <ul class="plain">
          {recent.map((name, i) => (
            <li key={name}>
              <div class="fit" data-identifier={name} data-authuser={i}>
                <button type="submit" name="account" value={name} data-email={name} data-secondary>{name}</button>
              </div>
            </li>
          ))}
          <li>
            <a href={action}>
              <div>Use another account</div>
            </a>
          </li>
        </ul>
      </form>
    </>
  );
}

/** The page that asks for consent; its buttons are inside of elements with ids. */
function Consent(props: ScreenProps): VNode {
  const { action, client, username, scope } = props;
  const answer = (id: string, value: string, text: string) => (
    <div id={id} class="fit">
      <button type="submit" name="consent" value={value} data-secondary={value === "deny" || undefined}>{text}</button>
    </div>
  );
  return (
    <Document props={props} title={title}>
      <h1 id="headingText">{client} wants to access your Google Account</h1>
      <div id="profileIdentifier" data-email={username}>{username}</div>
      <ul>{scope.map((value) => <li key={value}>{value}</li>)}</ul>
      <form class="ways" action={action} method="post">
        {answer("submit_deny_access", "deny", "Cancel")}
        {answer("submit_approve_access", "allow", "Continue")}
      </form>
    </Document>
  );
}

/** @param next The button. @param name The name of the field with the password. */
function pages(next: (id: string) => VNode, name: string) {
  return loginPage(
    "TL",
    {
      path: () => "/v3/signin/identifier",
      rejectsUnknown: true,
      choice: (props) => <ChooseAccount {...props} />,
      title,
      above: [
        () => <h1 id="headingText">Sign in</h1>,
        ({ client }) => <p id="headingSubtext">to continue to {client}</p>,
      ],
      username: { label: "Email or phone", id: "identifierId", name: "identifier", type: "email" },
      fault: { text: "Couldn’t find your Google Account", empty: "Enter an email or phone number" },
      button: () => next("identifierNext"),
    },
    {
      path: () => "/v3/signin/challenge/pwd",
      title,
      above: [
        () => <h1 id="headingText">Welcome</h1>,
        ({ username }) => <div id="profileIdentifier" data-email={username}>{username}</div>,
      ],
      password: {
        ...{ name, "aria-label": "Enter your password", box: { id: "password" } },
        wrap: (input, fault) => h("div", null, h("div", null, h("div", null, input)), fault),
      },
      fault: { text: "Wrong password. Try again or click Forgot password to reset it.", empty: "Enter a password" },
      button: () => next("passwordNext"),
    },
  );
}

const google = pages((id) => (
  <div id={id} class="fit">
    <div class="VfPpkd-dgl2Hf-ppHlrf-sM5MNb">
      <button type="submit" class="VfPpkd-LgbsSe" {...{ jsname: "LgbsSe" }}>
        <span class="VfPpkd-vQzf8d" {...{ jsname: "V67aGc" }}>Next</span>
      </button>
    </div>
  </div>
), "Passwd");

export const googlePages = {
  google,
  "google-consent": {
    ...google,
    approval: {
      path: () => "/signin/oauth/consent",
      ...{ isConsent: true, deny: ["consent", "deny"], Page: Consent },
    },
  },
  "google-2019": pages(
    (id) => h("button", { id, type: "submit", role: "button" }, h("span", null, h("span", null, "Next"))),
    "password",
  ),
} satisfies Record<string, ProviderPage>;
