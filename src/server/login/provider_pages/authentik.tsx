/** @jsxImportSource preact */
/**
 * authentik, whose fields are in shadow roots: goauthentik/authentik tests/e2e/utils.py (login) reads them. Here they are
 * declarative shadow roots, which need no script.
 */

import type { ComponentChildren, VNode } from "preact";
import { Document, LoginFault, Stylesheets } from "./document.tsx";
import type { ProviderPage, ScreenProps } from "./provider_page.ts";

/** A stage of the flow, in its two shadow roots. */
function Stage({ props, name, children }: {
  readonly props: ScreenProps;
  readonly name: "ak-stage-identification" | "ak-stage-password";
  readonly children: ComponentChildren;
}): VNode {
  const Element = name as "div";
  const Executor = "ak-flow-executor" as "div";
  return (
    <Document props={props} title="authentik">
      <h1>Welcome to authentik!</h1>
      <Executor>
        <template shadowrootmode="open">
          <Element>
            <template shadowrootmode="open">
              <Stylesheets base={props.base} />
              <form class="form pf-c-form" action={props.action} method="post" novalidate>
                {children}
              </form>
            </template>
          </Element>
        </template>
      </Executor>
    </Document>
  );
}

function Identification(props: ScreenProps): VNode {
  const { username, error, reason = "Failed to authenticate." } = props;
  return (
    <Stage props={props} name="ak-stage-identification">
      <div class="field">
        <label for="ak-identifier-input">Email or Username</label>
        <input
          {...{ id: "ak-identifier-input", name: "uidField", type: "text", value: username, autofocus: true }}
          {...{ class: "pf-c-form-control", placeholder: "Email or Username", autocomplete: "username" }}
        />
        {error && <LoginFault>{reason}</LoginFault>}
      </div>
      <button type="submit" class="button pf-c-button pf-m-primary pf-m-block">Log in</button>
    </Stage>
  );
}

function Password(props: ScreenProps): VNode {
  const { username, error, reason = "Invalid password" } = props;
  const Input = "ak-flow-input-password" as "div";
  const FormElement = "ak-form-element" as "div";
  return (
    <Stage props={props} name="ak-stage-password">
      <p>{username}</p>
      <div class="field">
        <label for="ak-stage-password-input">Password</label>
        <Input>
          <FormElement>
            <template shadowrootmode="open">
              <Stylesheets base={props.base} />
              <div class="field">
                <slot></slot>
                {error && <LoginFault as="p" class="pf-c-form__helper-text pf-m-error">{reason}</LoginFault>}
              </div>
            </template>
            <input
              {...{ id: "ak-stage-password-input", name: "password", type: "password", value: "", autofocus: true }}
              {...{ class: "pf-c-form-control", placeholder: "Please enter your password" }}
              autocomplete="current-password"
            />
          </FormElement>
        </Input>
      </div>
      <button type="submit" class="button pf-c-button pf-m-primary pf-m-block">Continue</button>
    </Stage>
  );
}

export const authentik: ProviderPage = {
  state: "query",
  screens: [
    { path: () => "/if/flow/default-authentication-flow/", username: "uidField", Page: Identification },
    {
      path: () => "/if/flow/default-authentication-flow/password/",
      ...{ isInPlace: true, password: "password", Page: Password },
    },
  ],
};
