/** The login pages of providers, by the setting `loginPage`. */

import type { LoginPageName } from "../../config/login_page_names.ts";
import { adfsPages } from "./adfs.tsx";
import { apple } from "./apple.tsx";
import { auth0Pages } from "./auth0.tsx";
import { authentikPages } from "./authentik.tsx";
import { cognitoPages } from "./cognito.tsx";
import { dexPages } from "./dex.tsx";
import { entraPages } from "./entra.tsx";
import { githubPages } from "./github.tsx";
import { googlePages } from "./google.tsx";
import { identityServerPages } from "./identity_server.tsx";
import { keycloakPages } from "./keycloak.tsx";
import { mockOAuth2Server } from "./mock_oauth2_server.tsx";
import { oidcProvider } from "./oidc_provider.tsx";
import { oktaPages } from "./okta.tsx";
import { pingPages } from "./ping.tsx";
import type { ProviderPage } from "./provider_page.ts";
import { zitadelPages } from "./zitadel.tsx";

const providerPages: Readonly<Record<Exclude<LoginPageName, "latchkey">, ProviderPage>> = {
  ...adfsPages,
  apple,
  ...auth0Pages,
  ...authentikPages,
  ...cognitoPages,
  ...dexPages,
  ...entraPages,
  ...githubPages,
  ...googlePages,
  ...identityServerPages,
  ...keycloakPages,
  "mock-oauth2-server": mockOAuth2Server,
  "oidc-provider": oidcProvider,
  ...oktaPages,
  ...pingPages,
  ...zitadelPages,
};

/** The login page of a provider; `undefined`: the pages of this server. */
export function providerPage(name: LoginPageName): ProviderPage | undefined {
  return name === "latchkey" ? undefined : providerPages[name];
}
