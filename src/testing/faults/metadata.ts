/** Metadata documents that a client must not go by (RFC 8414 §3.3, §6.2). */

import { edited } from "./body.ts";
import type { Fault } from "./fault.ts";
import { status } from "./status.ts";

/** The document of another issuer, under this one's address. */
export function wrongIssuer(issuer = "https://another.example"): Fault {
  return { ...edited((document) => ({ ...document, issuer }), "metadata of another issuer"), endpoints: ["discovery"] };
}

/** The document without one of its members: `without("jwks_uri")`. */
export function without(member: string): Fault {
  return {
    ...edited((document) => ({ ...document, [member]: undefined }), `metadata without ${member}`),
    endpoints: ["discovery"],
  };
}

/** A redirect to another address in place of the document, which a client must not follow blindly. */
export function redirecting(location = "https://another.example/.well-known/openid-configuration"): Fault {
  return { ...status(302, { headers: { location } }), name: "redirected metadata", endpoints: ["discovery"] };
}
