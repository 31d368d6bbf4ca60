/** The member of the setting `paths` for the endpoint of this extension. */

import { pathField } from "../../config/endpoint_paths.ts";
import type { Fields } from "../../config/field.ts";

/** The path of the endpoint. */
export interface DeviceEndpointPaths {
  /** Default: `/oauth2/device_authorization`. */
  readonly device_authorization_endpoint?: string;
}

/** Describes {@link DeviceEndpointPaths}. */
export const deviceEndpointPaths: Fields<DeviceEndpointPaths> = {
  device_authorization_endpoint: pathField("/device_authorization"),
};
