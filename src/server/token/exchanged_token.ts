/** The access token that token exchange (RFC 8693) exchanges for a new one, while the new one is made. */

import { type Slot, slot } from "../../core/slot.ts";

/** Its `jti`: that of the new token begins with it, so that both are revoked together. */
export const exchangedTokenId: Slot<string> = slot("token_exchange");
