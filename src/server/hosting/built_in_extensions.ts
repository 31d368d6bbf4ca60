/** The built-in extensions, which every server has, before and after those that it is given. */

import { changingClients } from "../clients/changing_clients.ts";
import { ownScope } from "../clients/own_scope.ts";
import { anyClient } from "../clients/unregistered_clients.ts";
import { announcedIss } from "../config/metadata_setting.ts";
import type { LoginPageName } from "../config/login_page_names.ts";
import type { AddedSecrets } from "../redaction/registered_secrets.ts";
import { claimsOfLoginPage } from "../token/typed_claims.ts";
import { redaction } from "./with_redaction.ts";
import { consumedRequests } from "../stored/stored_requests.ts";
import type { Extension } from "../config/extension.ts";
import { resourceIndicators } from "./resource_indicators.ts";
import { explanations } from "./with_explanations.ts";
import { hosting, type HostingOptions } from "./with_hosting.ts";
import { clientResponses } from "./client_responses.ts";

interface BuiltInOptions {
  readonly loginPage: LoginPageName;
  readonly secrets: AddedSecrets;
  readonly hosting: HostingOptions;
}

/** Those before the extensions that a server is given. */
export function builtInBefore({ loginPage, secrets, hosting: options }: BuiltInOptions): readonly Extension[] {
  return [
    ...[resourceIndicators, changingClients, explanations, clientResponses],
    ...loginPage === "mock-oauth2-server" ? [claimsOfLoginPage] : [],
    ...[redaction(secrets), hosting(options)],
  ];
}

/** Those that also apply to what the others replace. */
export const builtInAfter: readonly Extension[] = [ownScope, anyClient, consumedRequests, announcedIss];
