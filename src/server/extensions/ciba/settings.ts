/** The settings of backchannel authentication. */

import { describeSettings } from "../../config/extension_settings.ts";
import { choice, type FieldsOf, flag, seconds, text } from "../../../core/policy/field.ts";
import { quote } from "../../config/config_issue.ts";
import type { PolledGrant } from "../polled/polled_grant.ts";
import { timers } from "../../../core/http/timers.ts";
import type { HostedServer } from "../../hosted_server.ts";
import { pathField } from "../../config/endpoint_paths.ts";
import { open } from "../../config/client_fields.ts";
import type { ConfigIssue } from "../../../core/rules/configuration_error.ts";
import type { ClientMetadata } from "../../config/client_metadata.ts";
import { validateClientUri } from "../../config/uri_issues.ts";
import type { ServerPolicy } from "../../config/server_policy.ts";

/** @internal */
export interface CibaSettings {
  /**
   * Whether clients may start the login of a user whom they know; the user decides in their own browser (CIBA). Clients
   * must authenticate and be registered for the grant type. Default: true if the issuer is on a test host, otherwise
   * false.
   */
  readonly backchannelAuthentication?: boolean;
  /**
   * Seconds that a client must wait between two polls; each poll that comes too early adds 5. Default: 5. Maximum: 60.
   */
  readonly backchannelPollInterval?: number;
  /** Seconds for which the user can decide; a client may request fewer. Default: 300. Maximum: 3600. */
  readonly backchannelRequestLifetime?: number;
}

export const cibaFields: FieldsOf<CibaSettings> = {
  backchannelAuthentication: flag(),
  backchannelPollInterval: seconds(5, 60),
  backchannelRequestLifetime: seconds(300, 3600),
};

export type CibaPolicy = Required<CibaSettings>;

export interface CibaEndpointPaths {
  /** Default: `/oauth2/backchannel_authentication`. */
  readonly backchannel_authentication_endpoint?: string;
}

export const cibaEndpointPaths: FieldsOf<CibaEndpointPaths> = {
  backchannel_authentication_endpoint: pathField("/backchannel_authentication"),
};

export const cibaSettings = describeSettings<CibaPolicy>({
  fields: cibaFields,
  paths: cibaEndpointPaths,
  resolve: ({ backchannelAuthentication }: CibaSettings, { openLogin }) => ({
    backchannelAuthentication: backchannelAuthentication ?? openLogin,
  }),
});

/** Backchannel authentication requests, as requests that their client polls for. */
export const cibaGrant: PolledGrant = {
  name: "ciba",
  type: "urn:openid:params:grant-type:ciba",
  parameter: "auth_req_id",
  codeName: "auth_req_id",
  requestName: "backchannel authentication",
  decidedAt: "the page /backchannel",
  rules: { code: "CB-03", pace: "CB-04", client: "CB-05", approval: "CB-06", decided: "CB-07" },
  interval: (server) => cibaSettings.of(server.policy).backchannelPollInterval,
  decided(server: HostedServer, record) {
    if (record.notification === undefined) return;
    server.background.start("backchannel", async () => {
      // With an immediate decision, the client must first receive the response that names the auth_req_id.
      await new Promise((resolve) => timers.setTimeout(resolve));
      await (await import("./notify_client.ts")).notifyClient(server, record);
    });
  },
};

export interface CibaClientMembers {
  /**
   * How tokens of backchannel authentication reach the client (CIBA §4): it polls, or is notified of the decision and
   * then asks for the tokens. Default: `poll`.
   */
  readonly backchannel_token_delivery_mode?: "poll" | "ping";
  /** The URL that is notified in the mode `ping` (CIBA §4): https, or http on a test host. */
  readonly backchannel_client_notification_endpoint?: string;
}

export const deliveryModes = ["poll", "ping"] as const;

export const cibaClientFields: FieldsOf<CibaClientMembers> = {
  backchannel_token_delivery_mode: open(choice(deliveryModes)),
  backchannel_client_notification_endpoint: { ...open(text(["https://app.example/ciba"])), isFetched: true },
};

/** The issues of the notification endpoint, which the mode `ping` requires (CIBA §4). */
export function validateNotification(client: ClientMetadata, policy: ServerPolicy): readonly ConfigIssue[] {
  const { backchannel_token_delivery_mode: mode, backchannel_client_notification_endpoint: uri } = client;
  const path = "backchannel_client_notification_endpoint";
  if (uri === undefined) {
    return mode !== "ping" ? [] : [{
      ...{ path, expected: 'a URL, because backchannel_token_delivery_mode is "ping"', received: "none" },
      hint: "Add the URL that is notified, or poll.",
    }];
  }
  const issue = validateClientUri(uri, policy.insecure.includes("http-redirect-uris"), policy.allows.localUrls) ??
    (/^https?:/i.test(uri) ? undefined : { expected: "an https URL", hint: "Write https://host/path." });
  return issue === undefined ? [] : [{ path, ...issue, received: quote(uri) }];
}
