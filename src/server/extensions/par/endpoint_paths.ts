/** The member of the setting `paths` for the endpoint of this extension. */

import { pathField } from "../../config/endpoint_paths.ts";
import type { Fields } from "../../config/field.ts";

/** The path of the endpoint. */
export interface PushedEndpointPaths {
  /** Default: `/oauth2/par`. */
  readonly pushed_authorization_request_endpoint?: string;
}

/** Describes {@link PushedEndpointPaths}. */
export const pushedEndpointPaths: Fields<PushedEndpointPaths> = {
  pushed_authorization_request_endpoint: pathField("/par"),
};
