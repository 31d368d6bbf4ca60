/** The endpoints of the login pages. */

import type { Approver } from "../../core/authorize/approver.ts";
import type { Pages } from "../pages.ts";
import type { Endpoint } from "../endpoint.ts";
import { type ParameterDescription, parameters } from "../../core/http/params.ts";
import type { ProviderPage, Screen } from "./provider_pages/provider_page.ts";

/** Loads the code of the pages. */
const load = () => import("./mod.ts");

/** What the endpoints depend on. */
interface InteractionOptions {
  /** The path of the issuer, without a slash at its end. */
  readonly base: string;
  readonly approver: Approver;
  /** Whether users without a password can log in. */
  readonly openLogin: boolean;
  /** The login page of a provider; absent: the pages of this server. */
  readonly page?: ProviderPage;
  readonly pages: Pages;
  readonly csrfParameter: ParameterDescription;
  readonly interactionParameter: ParameterDescription;
  /** The parameters of authorization responses, and of redirects to these pages. */
  readonly responseParameters: readonly ParameterDescription[];
}

/** The pages for login and consent, and the page of the account. */
export function interactionEndpoints(
  { base, approver, openLogin, page, pages, csrfParameter, interactionParameter, responseParameters }:
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
  const screens = page === undefined ? [] : pathsOf(page, base).map(([name, path, screen]): Endpoint => ({
    ...step,
    ...{ name, path, title: "Login", doneLabel: "logged in" },
    load: async () => (await load()).screenHandlers(page, screen, options),
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
      load: async () => (await load()).loginHandlers(options, approver, pages.login),
    },
    {
      ...step,
      name: "consent",
      path: `${base}/oauth2/consent`,
      title: "Consent",
      parameters: parameters(interactionParameter, { name: "login", secret: "proof_of_login" }, csrfParameter),
      load: async () => (await load()).consentHandlers(openLogin, pages.consent),
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
      load: async () => (await load()).accountHandlers(openLogin, pages.account),
    },
  ];
}

/** The paths of a page: the name of the endpoint, its path, and the handlers of its screen. */
function pathsOf(
  page: ProviderPage,
  base: string,
): readonly (readonly [name: string, path: string, screen: Screen])[] {
  const { screens, approval, isStateless = false } = page;
  if (isStateless) return [];
  return [...screens, ...approval === undefined ? [] : [approval]].flatMap((screen, i) => [
    [`login_screen_${i + 1}`, screen.path(base), screen] as const,
    ...screen.action === undefined ? [] : [[`login_form_${i + 1}`, screen.action(base), screen] as const],
  ]);
}
