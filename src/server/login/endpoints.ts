/** The endpoints of the login pages. */

import type { Approver } from "../../core/authorize/approver.ts";
import type { Pages } from "../pages.ts";
import type { Endpoint } from "../endpoint.ts";
import { type ParameterDescription, parameters } from "../../core/http/params.ts";
import { accountHandlers } from "./account.ts";
import { consentHandlers } from "./consent.ts";
import { loginHandlers } from "./login.ts";
import { pathsOf, screenHandlers } from "./provider_login.ts";
import { providerPage } from "./provider_pages/mod.ts";
import type { LoginPageName } from "../config/login_page_names.ts";

/** What the endpoints depend on. */
interface InteractionOptions {
  /** The path of the issuer, without a slash at its end. */
  readonly base: string;
  readonly approver: Approver;
  /** Whether users without a password can log in. */
  readonly openLogin: boolean;
  /** The setting. */
  readonly loginPage: LoginPageName;
  readonly pages: Pages;
  readonly csrfParameter: ParameterDescription;
  readonly interactionParameter: ParameterDescription;
  /** The parameters of authorization responses, and of redirects to these pages. */
  readonly responseParameters: readonly ParameterDescription[];
}

/** The pages for login and consent, and the page of the account. */
export function interactionEndpoints(
  { base, approver, openLogin, loginPage, pages, csrfParameter, interactionParameter, responseParameters }:
    InteractionOptions,
): Endpoint[] {
  const step = {
    methods: ["GET", "HEAD", "POST"],
    caller: "browser",
    errors: "redirect",
    role: "step",
    responseParameters,
  } as const satisfies Partial<Endpoint>;
  const options = { openLogin };
  const login = loginHandlers(options, approver, pages.login);
  const consent = consentHandlers(openLogin, pages.consent);
  const account = accountHandlers(openLogin, pages.account);
  const page = providerPage(loginPage);
  const screens = page === undefined ? [] : pathsOf(page, base).map(([name, path, screen]): Endpoint => ({
    ...step,
    ...{ name, path, title: "Login", doneLabel: "logged in", load: () => screenHandlers(page, screen, options) },
    parameters: parameters(
      { ...interactionParameter, name: page.state },
      { name: "login", secret: "proof_of_login" },
      ...page.screens.flatMap(({ password }) => password === undefined ? [] : { name: password, secret: "password" }),
    ),
  }));
  return [
    ...screens,
    {
      ...step,
      name: "login",
      path: `${base}/oauth2/login`,
      title: "Login",
      doneLabel: "logged in",
      parameters: parameters(interactionParameter, { name: "password", secret: "password" }, csrfParameter),
      load: () => login,
    },
    {
      ...step,
      name: "consent",
      path: `${base}/oauth2/consent`,
      title: "Consent",
      parameters: parameters(interactionParameter, { name: "login", secret: "proof_of_login" }, csrfParameter),
      load: () => consent,
    },
    {
      name: "account",
      path: `${base}/account`,
      title: "Account",
      link: { label: "Account", path: "/account" },
      methods: ["GET", "POST"],
      caller: "browser",
      errors: "page",
      parameters: parameters(csrfParameter),
      load: () => account,
    },
  ];
}
