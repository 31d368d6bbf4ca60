/** The parts of the whole server, in the form of extensions. They stand before and after those that a server has. */

import { changingClients } from "../clients/mod.ts";
import { ownScope } from "../clients/own_scope.ts";
import { anyClient } from "../clients/unregistered_clients.ts";
import { announcedIss } from "../config/metadata_setting.ts";
import type { AddedSecrets } from "../redaction/registered_secrets.ts";
import { redaction } from "./with_redaction.ts";
import { consumedRequests } from "../stored/stored_requests.ts";
import type { Extension } from "../config/extension.ts";
import { resourceIndicators } from "./resource_indicators.ts";
import { explanations } from "./with_explanations.ts";
import { hosting, type HostingOptions } from "./with_hosting.ts";
import { clientResponses } from "./with_responses.ts";

interface PartOptions {
  readonly secrets: AddedSecrets;
  readonly hosting: HostingOptions;
}

/** What extensions find in a server. */
export function partsBefore({ secrets, hosting: options }: PartOptions): readonly Extension[] {
  return [resourceIndicators, changingClients, explanations, clientResponses, redaction(secrets), hosting(options)];
}

/** What also applies to what extensions replace. */
export const partsAfter: readonly Extension[] = [ownScope, anyClient, consumedRequests, announcedIss];
