/** @jsxImportSource preact */
/**
 * Google, two pages: the ids, names and classes that public suites fill in (`#identifierId`, `#identifierNext button`,
 * `input[name=Passwd]`, `#passwordNext`), of which Cypress's guide "Google Authentication" says that Google changes them.
 * `google-consent` also asks for consent (`#submit_approve_access`).
 * `google-2019`: those of suites of 2018 to 2020 (`//*[@id="identifierNext"]/span/span`, `input[name=password]`).
 * `google-2021`: those of suites until 2022 (`#identifierNext > div > button`, also `input[name=password]`).
 */

import { type ButtonHTMLAttributes, Fragment, h, type VNode } from "preact";
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
        <ul class="people">
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

/** A button inside an element with an id, covered by an empty element: suites click any of them. */
const Button = ({ id, text, ...attributes }: { readonly id: string; readonly text: string } & ButtonHTMLAttributes) => (
  <div class="qhFLie">
    <div id={id} class="fit">
      <div class="VfPpkd-dgl2Hf-ppHlrf-sM5MNb">
        <button type="submit" class="VfPpkd-LgbsSe" {...{ jsname: "LgbsSe" }} {...attributes}>
          <div class="VfPpkd-RLmnJb"></div>
          <span class="VfPpkd-vQzf8d" {...{ jsname: "V67aGc" }}>{text}</span>
        </button>
      </div>
    </div>
  </div>
);

const wrap = (input: VNode, fault: VNode | undefined) => {
  const inner = h("div", { class: "aXBtI" }, h("div", { class: "Xb9hP" }, input));
  return h(Fragment, null, h("div", { class: "aCsJod oJeWuf" }, inner), fault);
};

const faultElement = { as: "span", boxes: [{ class: "o6cuMc" }] } as const;

/** The page that asks for consent. */
function Consent(props: ScreenProps): VNode {
  const { action, client, username, scope } = props;
  return (
    <Document props={props} title={title}>
      <h1 id="headingText">{client} wants to access your Google Account</h1>
      <div id="profileIdentifier" data-email={username}>{username}</div>
      <ul>{scope.map((value) => <li key={value}>{value}</li>)}</ul>
      <form class="ways" action={action} method="post">
        <Button id="submit_deny_access" text="Cancel" name="consent" value="deny" data-secondary />
        <Button id="submit_approve_access" text="Continue" name="consent" value="allow" />
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
      username: {
        ...{ label: "Email or phone", id: "identifierId", name: "identifier", type: "email" },
        ...{ class: "whsOnd", wrap },
      },
      fault: { ...faultElement, text: "Couldn’t find your Google Account", empty: "Enter an email or phone number" },
      button: () => next("identifierNext"),
    },
    {
      path: () => "/v3/signin/challenge/pwd",
      title,
      above: [
        () => <h1 id="headingText">Welcome</h1>,
        ({ username }) => <div id="profileIdentifier" data-email={username}>{username}</div>,
      ],
      password: { name, "aria-label": "Enter your password", box: { id: "password" }, class: "whsOnd", wrap },
      fault: {
        ...faultElement,
        text: "Wrong password. Try again or click Forgot password to reset it.",
        empty: "Enter a password",
      },
      button: () => next("passwordNext"),
    },
  );
}

const nextButton = (id: string) => <Button id={id} text="Next" />;
const google = pages(nextButton, "Passwd");

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
  "google-2021": pages(nextButton, "password"),
} satisfies Record<string, ProviderPage>;
