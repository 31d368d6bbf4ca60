import { type Fields, list } from "../../config/field.ts";
import { open } from "../../config/client_fields.ts";
import { acrValueField } from "./settings.ts";

/** Client metadata of levels of authentication. */
export interface StepUpClientMembers {
  /** The `acr_values` of authorization requests that have none: levels of authentication, the preferred one first. */
  readonly default_acr_values?: readonly string[];
}

/** Describes {@link StepUpClientMembers}. */
export const stepUpClientFields: Fields<StepUpClientMembers> = {
  default_acr_values: open(list(acrValueField, [["urn:example:mfa"]])),
};
