/** What extensions add to a mock: correct clients for their requests. */

import { type BackchannelClient, backchannelClient } from "./backchannel.ts";
import { type DeviceClient, deviceClient } from "./device.ts";
import type { PolledRequestOptions } from "./polled_request.ts";

/** Creates the verbs of a mock for requests of extensions. */
export function extensionClients(options: PolledRequestOptions): BackchannelClient & DeviceClient {
  return { ...backchannelClient(options), ...deviceClient(options) };
}
