import { type Fields, list } from "../../oauth/field.ts";
import { open } from "../../oauth/clients/standing.ts";
import { acrValueField } from "../../oauth/authorize/authentication_level.ts";

/** Client metadata of levels of authentication. */
export interface StepUpClientMembers {
  /** The `acr_values` of authorization requests that have none: levels of authentication, the preferred one first. */
  readonly default_acr_values?: readonly string[];
}

/** Describes {@link StepUpClientMembers}. */
export const stepUpClientFields: Fields<StepUpClientMembers> = {
  default_acr_values: open(list(acrValueField, [["urn:example:mfa"]])),
};
