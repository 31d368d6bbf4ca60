/** The member of the setting `paths` for the endpoint of this extension. */

import { pathField } from "../../config/endpoint_paths.ts";
import type { Fields } from "../../config/field.ts";

/** The path of the endpoint. */
export interface CibaEndpointPaths {
  /** Default: `/oauth2/backchannel_authentication`. */
  readonly backchannel_authentication_endpoint?: string;
}

/** Describes {@link CibaEndpointPaths}. */
export const cibaEndpointPaths: Fields<CibaEndpointPaths> = {
  backchannel_authentication_endpoint: pathField("/backchannel_authentication"),
};
