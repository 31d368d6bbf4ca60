/** What extensions add to a mock: correct clients for their requests. */

import { type BackchannelClient, backchannelClient } from "./backchannel.ts";
import { type DeviceClient, deviceClient } from "./device.ts";
import type { PolledRequestOptions } from "./polled_request.ts";

/** The verbs of a mock for requests of extensions. */
export interface ExtensionClients extends BackchannelClient, DeviceClient {}

/** Creates the verbs of {@link ExtensionClients} for one server. */
export function extensionClients(options: PolledRequestOptions): ExtensionClients {
  return { ...backchannelClient(options), ...deviceClient(options) };
}
