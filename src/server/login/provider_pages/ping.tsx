/** @jsxImportSource preact */
/**
 * PingOne, and PingFederate's HTML Form Adapter, alone and after its Identifier First Adapter: public suites fill in
 * `#username`, `#password`, `pf.username` and `pf.pass` (ForgeRock/forgerock-javascript-sdk e2e and iTwin/auth-clients
 * packages/oidc-signin-tool). PingFederate's buttons are links: a script submits the form.
 */

import { type LoginForm, loginPage } from "./login_screen.tsx";

const common = {
  isInPlace: true,
  title: "Sign On",
  above: [() => <h1 class="ping-header">Sign On</h1>],
} satisfies Partial<LoginForm>;
const username = { label: "Username", id: "username", name: "username", placeholder: "Username" };
const password = { label: "Password", id: "password", name: "password", placeholder: "Password" };

const federate = {
  ...common,
  hasScript: true,
  fault: {
    text: "We didn't recognize the username or password you entered. Please try again.",
    ...{ class: "ping-error", at: "top", boxes: [{ class: "ping-messages" }] } as const,
  },
} satisfies Partial<LoginForm>;
const link = (id: string, text: string) => () => (
  <a id={id} class="ping-button normal allow" title={text} role="button" tabIndex={0} data-submit>{text}</a>
);
const form: LoginForm = {
  ...federate,
  path: () => "/as/resume/as/authorization.ping",
  username: { ...username, name: "pf.username" },
  password: { ...password, name: "pf.pass" },
  button: link("signOnButton", "Sign On"),
};

export const pingPages = {
  pingfederate: loginPage("adapter", form),
  "pingfederate-identifier-first": loginPage(
    "adapter",
    {
      ...federate,
      path: () => "/as/resume/as/identifier.ping",
      username: { ...username, id: "identifierInput", name: "subject" },
      button: link("postButton", "Next"),
    },
    form,
  ),
  pingone: loginPage("flowId", {
    ...common,
    path: () => "/signon/",
    ...{ username, password },
    fault: { text: "Incorrect username or password. Please try again." },
    button: () => <button type="submit" data-id="submit-button">Sign On</button>,
  }),
};
