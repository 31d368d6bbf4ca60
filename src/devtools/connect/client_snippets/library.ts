/**
 * Settings for client libraries as texts with placeholders. Each stands for a literal of the language:
 * `{{issuer}}`, `{{client_id}}`, `{{client_secret}}`, `{{redirect_uri}}`, `{{scope}}`; and for libraries without
 * discovery `{{authorization_endpoint}}`, `{{token_endpoint}}` and `{{userinfo_endpoint}}`. `{{scopes}}` is the scope
 * as a list of literals, and `{{auth}}` what `methods` has for the method of the client.
 */

import type { ClientAuthMethod } from "../../../server/config/client_metadata.ts";

/**
 * What a server may demand of a client. `par`: push its requests (RFC 9126). `jar`: sign them (RFC 9101). `jarm`:
 * receive signed responses. `dpop`: bind tokens to a key (RFC 9449).
 */
export type ClientDemand = "par" | "jar" | "jarm" | "dpop";

export interface ClientLibrary {
  /** Its name in addresses and on the command line. */
  readonly name: string;
  /** Its name on pages. */
  readonly library: string;
  /** The file or language: `application.yml`. */
  readonly placement: string;
  /** Further names that select it on the command line. Default: none. */
  readonly aliases?: readonly string[];
  /** The redirect URI of an application that follows the guide of the library, then those of its other guides. */
  readonly redirectUris: readonly [string, ...string[]];
  /** Whether its applications cannot keep a secret. Default: they can. */
  readonly isPublic?: true;
  /** The text for `{{auth}}` by the authentication method, of those that it supports; the preferred one first. */
  readonly methods: Readonly<Partial<Record<ClientAuthMethod, string>>>;
  /** How it meets each demand, as a note; empty if it needs nothing for it. Default: it does not support the demand. */
  readonly demands?: Readonly<Partial<Record<ClientDemand, string>>>;
  /** Whether it always requests `openid`. Default: it does not. */
  readonly needsOpenid?: true;
  /** A literal of the language. Default: a string of JSON, which JavaScript, Go, C#, Python and YAML read alike. */
  readonly quote?: (text: string, placeholder: string) => string;
  /** Values that no literal carries to every reader of the format, and why. Default: literals carry each value. */
  readonly unreadable?: { isOne(text: string, placeholder: string): boolean; readonly reason: string };
  /** The URL at a path below the issuer. Default: endpoints are literals. */
  readonly belowIssuer?: (path: string) => string;
  /** The settings for logins. They read the issuer from the variable `OIDC_ISSUER`, which `latchkey exec` can set. */
  readonly text: string;
  /** The settings for a client without users. Default: the library is only for logins to web applications. */
  readonly machineText?: string;
  /** Notes. Default: none. */
  readonly notes?: readonly string[];
}
