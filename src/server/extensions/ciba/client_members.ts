/** The members of client metadata that only this extension reads. */

import { choice, type Fields } from "../../config/field.ts";
import { open } from "../../oauth/clients/standing.ts";

/** Client metadata of backchannel authentication. */
export interface CibaClientMembers {
  /** How tokens of backchannel authentication reach the client (CIBA §4). Default: `poll`, the only mode. */
  readonly backchannel_token_delivery_mode?: "poll";
}

/** Describes {@link CibaClientMembers}. */
export const cibaClientFields: Fields<CibaClientMembers> = {
  backchannel_token_delivery_mode: open(choice(["poll"])),
};
