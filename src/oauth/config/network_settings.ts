/** Settings of the network around the server: proxies, hosts that it fetches from, and pages that call it. */

import { choice, type Field, type Fields, list, text, texts } from "./field.ts";

/** Settings of the network around the server. */
export interface NetworkSettings {
  /**
   * The hosts besides loopback ones that may be issuers where `issuer` is `from-host`, such as the name of a container;
   * test hosts only. Requests to any other host are rejected with 421. Default: none.
   */
  readonly issuerHosts?: readonly string[];
  /**
   * The origin at which browsers reach the server, if not that of the issuer: metadata lists the authorization and the
   * logout endpoint there. Tokens and responses still have the issuer. Default: the origin of the issuer.
   */
  readonly frontChannelUrl?: string;
  /**
   * The origin at which clients and resource servers reach the server, if not that of the issuer: metadata lists all
   * other endpoints there. Default: the origin of the issuer.
   */
  readonly backChannelUrl?: string;
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
  issuerHosts: list(host("latchkey"), [["latchkey"]], { expected: "an array of hosts", default: [] }),
  frontChannelUrl: origin("http://localhost:9000"),
  backChannelUrl: origin("http://latchkey:9000"),
  trustProxy: texts(["127.0.0.1", "10.0.0.0/8"], { default: [] }),
  proxyHeader: choice(["x-forwarded-for", "forwarded"]),
  privateHosts: list(host("keys.corp.internal"), [["keys.corp.internal"]], {
    expected: "an array of hosts",
    default: [],
  }),
  allowedOrigins: list(origin("https://app.example.com"), [["https://app.example.com"]], {
    expected: "an array of origins",
    default: [],
  }),
} satisfies Fields<NetworkSettings>;

function host(example: string): Field<string> {
  return text([example], {
    pattern: /^(?:[a-z\d](?:[a-z\d._-]*[a-z\d])?|\[[\da-f:]+\])$/,
    expected: "a host in lower case, without scheme and port",
  });
}

function origin(example: string): Field<string> {
  return text([example], {
    pattern: /^https?:\/\/[^\s/?#@A-Z]+$/,
    expected: "an origin in lower case: scheme, host and port, without a slash at its end",
  });
}
