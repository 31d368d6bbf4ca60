/** The access token that token exchange (RFC 8693) exchanges for a new one, while the new one is made. */

import { type Slot, slot } from "../../core/slot.ts";

/**
 * The `jti` of the exchanged token. The `jti` of the new token begins with it, so revoking the exchanged token also
 * revokes the new one.
 */
export const exchangedTokenId: Slot<string> = slot("token_exchange");
