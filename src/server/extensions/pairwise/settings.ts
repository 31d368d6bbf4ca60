/** The client metadata of pairwise subject identifiers. */

import { type FieldsOf, text } from "../../../core/policy/field.ts";
import { open } from "../../config/client_fields.ts";

/** Client metadata of pairwise subjects. */
export interface PairwiseClientMembers {
  /**
   * The URL whose host is the sector of a pairwise client; fetched only at registration. Default: the sector is the
   * host of the redirect URIs.
   */
  readonly sector_identifier_uri?: string;
}

export const pairwiseClientFields: FieldsOf<PairwiseClientMembers> = {
  sector_identifier_uri: { ...open(text(["https://shop.example/sector.json"])), isFetched: true },
};
