/** The settings of backchannel authentication. */

import { describeSettings } from "../../config/extension_settings.ts";
import { cibaEndpointPaths } from "./endpoint_paths.ts";
import { type Fields, flag, seconds } from "../../config/field.ts";
import type { PolledGrant } from "../polled/polled_grant.ts";
import { timers } from "../../../core/timers.ts";
import type { HostedServer } from "../../hosted_server.ts";

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

/** Describes {@link CibaSettings}. */
export const cibaFields: Fields<CibaSettings> = {
  backchannelAuthentication: flag(),
  backchannelPollInterval: seconds(5, 60),
  backchannelRequestLifetime: seconds(300, 3600),
};

/** The settings that are in effect. */
export type CibaPolicy = Required<CibaSettings>;

/** Describes the settings, and reads them from a policy. */
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
  interval: (server) => cibaSettings.of(server.settings).backchannelPollInterval,
  decided(server: HostedServer, record) {
    if (record.notification === undefined) return;
    server.background.start("backchannel", async () => {
      // With an immediate decision, the client must first receive the response that names the auth_req_id.
      await new Promise((resolve) => timers.setTimeout(resolve));
      await (await import("./notify_client.ts")).notifyClient(server, record);
    });
  },
};
