/** Settings of the network around the server: proxies, hosts that it fetches from, and pages that call it. */

import { choice, type Fields, list, text, texts } from "./field.ts";

/** Settings of the network around the server. */
export interface NetworkSettings {
  /**
   * The addresses and networks (`10.0.0.0/8`) of proxies that may send the client's address in `Forwarded` or
   * `X-Forwarded-For`, for the rate limiter and for logs. Their host and scheme never count. Default: none.
   */
  readonly trustProxy?: readonly string[];
  /**
   * The header in which trusted proxies send the client's address; the other one is ignored, because a proxy may
   * forward it unchecked. Default: either. If both are present and differ, the proxy's own address is used.
   */
  readonly proxyHeader?: "x-forwarded-for" | "forwarded";
  /**
   * The hosts that the server may fetch from although they are in a private network or on this machine, such as
   * `keys.corp.internal`: for `jwks_uri`, also over http, and for metadata documents, over https. All other hosts need
   * https and a public address. Default: none; if the issuer is on a test host, all test hosts.
   */
  readonly privateHosts?: readonly string[];
  /**
   * The origins of web pages, besides those on test hosts and those of redirect URIs of configured clients, that may
   * call a server on a test host from the browser: to register, to exchange a code, to renew a login in a frame.
   * Default: none.
   */
  readonly allowedOrigins?: readonly string[];
}

/** The description of {@link NetworkSettings}. */
export const networkFields = {
  trustProxy: texts(["127.0.0.1", "10.0.0.0/8"], { default: [] }),
  proxyHeader: choice(["x-forwarded-for", "forwarded"]),
  privateHosts: list(
    text(["keys.corp.internal"], {
      pattern: /^(?:[a-z\d](?:[a-z\d._-]*[a-z\d])?|\[[\da-f:]+\])$/,
      expected: "a host in lower case, without scheme and port",
    }),
    [["keys.corp.internal"]],
    { expected: "an array of hosts", default: [] },
  ),
  allowedOrigins: list(
    text(["https://app.example.com"], {
      pattern: /^https?:\/\/[^\s/?#@A-Z]+$/,
      expected: "an origin in lower case: scheme, host and port, without a slash at its end",
    }),
    [["https://app.example.com"]],
    { expected: "an array of origins", default: [] },
  ),
} satisfies Fields<NetworkSettings>;
