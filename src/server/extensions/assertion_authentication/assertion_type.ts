/** The value of `client_assertion_type` (RFC 7523 §2.2). */
export const assertionType = "urn:ietf:params:oauth:client-assertion-type:jwt-bearer";
