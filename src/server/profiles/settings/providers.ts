/** The list of the profiles of providers. To add one, add its file, its name here, and its rows in the README. */

import type { ProviderName, ProviderProfile } from "../provider_profile.ts";
import { apple } from "./apple.ts";
import { auth0 } from "./auth0.ts";
import { cognito } from "./cognito.ts";
import { entra } from "./entra.ts";
import { github, github2025 } from "./github.ts";
import { google, google2025 } from "./google.ts";
import { keycloak } from "./keycloak.ts";
import { okta } from "./okta.ts";

/** The profiles, by name. */
export const providers: Readonly<Record<ProviderName, ProviderProfile>> = {
  apple,
  auth0,
  cognito,
  entra,
  github,
  "github@2025": github2025,
  google,
  "google@2025": google2025,
  keycloak,
  okta,
};
