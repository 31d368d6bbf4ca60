/** The login pages of providers, by the setting `loginPage`. */

import type { LoginPageName } from "../../config/login_page_names.ts";
import { apple } from "./apple.tsx";
import { auth0, auth0Classic, auth0ClassicUsername, auth0IdentifierFirst } from "./auth0.tsx";
import { authentik } from "./authentik.tsx";
import { cognito, cognitoManaged } from "./cognito.tsx";
import { dex, dexConnectors, dexNoApproval } from "./dex.tsx";
import { entra, entraB2c, entraNoKmsi } from "./entra.tsx";
import { github } from "./github.tsx";
import { google } from "./google.tsx";
import { duende, identityServer4 } from "./identity_server.tsx";
import { keycloak, keycloakV1 } from "./keycloak.tsx";
import { mockOAuth2Server } from "./mock_oauth2_server.tsx";
import { oidcProvider } from "./oidc_provider.tsx";
import { okta, oktaClassic, oktaIdentifierFirst } from "./okta.tsx";
import type { ProviderPage } from "./provider_page.ts";
import { zitadel } from "./zitadel.tsx";

const providerPages: Readonly<Record<Exclude<LoginPageName, "latchkey">, ProviderPage>> = {
  apple,
  auth0,
  "auth0-classic": auth0Classic,
  "auth0-classic-username": auth0ClassicUsername,
  "auth0-identifier-first": auth0IdentifierFirst,
  authentik,
  cognito,
  "cognito-managed": cognitoManaged,
  dex,
  "dex-connectors": dexConnectors,
  "dex-no-approval": dexNoApproval,
  duende,
  entra,
  "entra-b2c": entraB2c("email"),
  "entra-b2c-logonidentifier": entraB2c("logonIdentifier"),
  "entra-b2c-signinname": entraB2c("signInName"),
  "entra-no-kmsi": entraNoKmsi,
  github,
  google,
  identityserver4: identityServer4,
  keycloak,
  "keycloak-v1": keycloakV1,
  "mock-oauth2-server": mockOAuth2Server,
  "oidc-provider": oidcProvider,
  okta,
  "okta-classic": oktaClassic,
  "okta-identifier-first": oktaIdentifierFirst,
  zitadel,
};

/** The login page of a provider; `undefined`: the pages of this server. */
export function providerPage(name: LoginPageName): ProviderPage | undefined {
  return name === "latchkey" ? undefined : providerPages[name];
}
