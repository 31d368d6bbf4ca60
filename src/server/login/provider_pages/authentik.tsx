/** @jsxImportSource preact */
/**
 * authentik, whose fields are in shadow roots: goauthentik/authentik tests/e2e/utils.py (login) reads them. Here they are
 * declarative shadow roots, which need no script.
 */

import { type ComponentChildren, h, type VNode } from "preact";
import { Stylesheets } from "./document.tsx";
import { type LoginForm, loginPage } from "./login_screen.tsx";
import type { ScreenProps } from "./provider_page.ts";

/** A custom element with a shadow root. @param light Its child outside the shadow root. */
function host(name: string, root: ComponentChildren, light?: VNode): VNode {
  return h(
    name,
    null,
    <template shadowrootmode="open">{root}</template>,
    light,
  );
}

/** A stage of the flow, in its two shadow roots. */
function stage(name: "ak-stage-identification" | "ak-stage-password") {
  return {
    title: "authentik",
    attributes: { class: "form pf-c-form" },
    frame: (form: VNode, { base }: ScreenProps) => (
      <>
        <h1>Welcome to authentik!</h1>
        {host("ak-flow-executor", host(name, [<Stylesheets key="styles" base={base} />, form]))}
      </>
    ),
  };
}

const style = "button pf-c-button pf-m-primary pf-m-block";

const identification: LoginForm = {
  ...stage("ak-stage-identification"),
  path: () => "/if/flow/default-authentication-flow/",
  username: {
    ...{ label: "Email or Username", id: "ak-identifier-input", name: "uidField" },
    ...{ class: "pf-c-form-control", placeholder: "Email or Username" },
  },
  fault: { text: "Failed to authenticate." },
  button: () => <button type="submit" class={style}>Log in</button>,
};

const password = {
  ...{ label: "Password", id: "ak-stage-password-input", name: "password" },
  ...{ class: "pf-c-form-control", placeholder: "Please enter your password" },
  wrap: shadowField,
};

const fault = { text: "Invalid password", as: "p", class: "pf-c-form__helper-text pf-m-error" } as const;

export const authentikPages = {
  authentik: loginPage(
    "query",
    identification,
    {
      ...stage("ak-stage-password"),
      path: () => "/if/flow/default-authentication-flow/password/",
      isInPlace: true,
      top: ({ username }) => <p>{username}</p>,
      ...{ password, fault },
      button: () => <button type="submit" class={style}>Continue</button>,
    },
  ),
  // Its stage of the identification has a stage of the password.
  "authentik-one-page": loginPage("query", { ...identification, password, fault }),
};

function shadowField(input: VNode, fault: VNode | undefined, { base }: ScreenProps): VNode {
  const box = (
    <div class="field">
      <slot></slot>
      {fault}
    </div>
  );
  return h(
    "ak-flow-input-password",
    null,
    host("ak-form-element", [<Stylesheets key="styles" base={base} />, box], input),
  );
}
