/** The member of the setting `paths` for the endpoint of this extension. */

import { pathField } from "../../config/endpoint_paths.ts";
import type { Fields } from "../../config/field.ts";

/** The path of the endpoint. */
export interface RegistrationEndpointPaths {
  /** Default: `/oauth2/register`. The registration of each client is below it. */
  readonly registration_endpoint?: string;
}

/** Describes {@link RegistrationEndpointPaths}. */
export const registrationEndpointPaths: Fields<RegistrationEndpointPaths> = {
  registration_endpoint: pathField("/register"),
};
