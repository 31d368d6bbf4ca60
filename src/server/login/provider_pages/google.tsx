/** @jsxImportSource preact */
/**
 * Google, two pages: the ids, names and classes that public suites fill in (`#identifierId`, `#identifierNext button`,
 * `input[name=Passwd]`, `#passwordNext`), of which Cypress's guide "Google Authentication" says that Google changes them.
 * `google-2019`: those of suites of 2018 to 2020 (`//*[@id="identifierNext"]/span/span`, `input[name=password]`).
 */

import { h, type VNode } from "preact";
import { loginPage } from "./login_screen.tsx";

const title = "Sign in - Google Accounts";

/** @param next The button. @param name The name of the field with the password. */
function pages(next: (id: string) => VNode, name: string) {
  return loginPage(
    "TL",
    {
      path: () => "/v3/signin/identifier",
      rejectsUnknown: true,
      title,
      above: [
        () => <h1 id="headingText">Sign in</h1>,
        ({ client }) => <p id="headingSubtext">to continue to {client}</p>,
      ],
      username: { label: "Email or phone", id: "identifierId", name: "identifier", type: "email" },
      fault: { text: "Couldn’t find your Google Account" },
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
      fault: { text: "Wrong password. Try again or click Forgot password to reset it." },
      button: () => next("passwordNext"),
    },
  );
}

export const googlePages = {
  google: pages((id) => (
    <div id={id} class="fit">
      <div class="VfPpkd-dgl2Hf-ppHlrf-sM5MNb">
        <button type="submit" class="VfPpkd-LgbsSe" {...{ jsname: "LgbsSe" }}>
          <span class="VfPpkd-vQzf8d">Next</span>
        </button>
      </div>
    </div>
  ), "Passwd"),
  "google-2019": pages(
    (id) => h("button", { id, type: "submit", role: "button" }, h("span", null, h("span", null, "Next"))),
    "password",
  ),
};
