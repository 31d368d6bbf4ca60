/** The values of `grant_type` that are URIs (OAuth 2.1 §4.4). */

/** Device authorization (RFC 8628 §3.4). */
export const deviceCodeType = "urn:ietf:params:oauth:grant-type:device_code";
