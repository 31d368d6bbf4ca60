/** The headers that web pages of other origins may send to the whole server, and read in its responses. */

import type { CrossOriginHeaders } from "../../core/http/router.ts";

/** Of OAuth, DPoP (RFC 9449 §8), MCP (2025-06-18, Transports), trace context (W3C) and web links (RFC 8288). */
export const crossOriginHeaders: CrossOriginHeaders = {
  request: "authorization, content-type, dpop, mcp-method, mcp-name, mcp-protocol-version, traceparent, tracestate",
  response: "WWW-Authenticate, Retry-After, DPoP-Nonce, Link",
};
