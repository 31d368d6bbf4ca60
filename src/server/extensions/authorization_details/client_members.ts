import { type Fields, texts } from "../../config/field.ts";
import { detailsTypes } from "./settings.ts";
import { open } from "../../config/client_fields.ts";

/** Client metadata of authorization details. */
export interface AuthorizationDetailsClientMembers {
  /** The types of `authorization_details` that the client may use (RFC 9396 §10). Default: all types of the server. */
  readonly authorization_details_types?: readonly string[];
}

/** Describes {@link AuthorizationDetailsClientMembers}. */
export const authorizationDetailsClientFields: Fields<AuthorizationDetailsClientMembers> = {
  authorization_details_types: {
    ...open(texts(["payment"])),
    valuesOf: (settings) => Object.keys(detailsTypes(settings) ?? {}),
  },
};
