import { choice, type Fields, text } from "../../config/field.ts";
import { open } from "../../config/client_fields.ts";

/** Client metadata of backchannel authentication. */
export interface CibaClientMembers {
  /**
   * How tokens of backchannel authentication reach the client (CIBA §4): it polls, or is notified of the decision and
   * then asks for the tokens. Default: `poll`.
   */
  readonly backchannel_token_delivery_mode?: "poll" | "ping";
  /** The URL that is notified in the mode `ping` (CIBA §4): https, or http on a test host. */
  readonly backchannel_client_notification_endpoint?: string;
}

/** All delivery modes. */
export const deliveryModes = ["poll", "ping"] as const;

/** Describes {@link CibaClientMembers}. */
export const cibaClientFields: Fields<CibaClientMembers> = {
  backchannel_token_delivery_mode: open(choice(deliveryModes)),
  backchannel_client_notification_endpoint: { ...open(text(["https://app.example/ciba"])), isFetched: true },
};
