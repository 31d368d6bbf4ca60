/** Rules of the token endpoint: client authentication, grant types, codes, refresh tokens, resources. */

import { type Repeated, repeatedMessage } from "./authorize.ts";
import { type Rule, rule } from "./rule.ts";

const resourceMessages = {
  "too much": "the resource parameters are too long or too many",
  "not absolute": "resource is not an absolute URI without a fragment",
  unknown: "resource is not a resource of this server",
  unsuitable: "the server issues no tokens for this resource",
} as const;

/** Facts about a resource that the server issues no access tokens for. */
export interface WrongResource {
  readonly uri: string;
  /** `unknown`: the setting `resources` does not list it. `unsuitable`: no resource can have this URI. */
  readonly problem: keyof typeof resourceMessages;
}

/** Facts about resources that were not granted. */
export interface UngrantedResource {
  readonly granted: readonly string[];
  readonly requested: readonly string[];
}

/** By ID, in the order of `tests/rules.md`. */
export const tokenRules = {
  "TK-02": { cites: ["OAuth 2.1 §3.2.2, App. B"] },
  "TK-03": { cites: ["OAuth 2.1 §2.4.1, §3.2.2"] },
  "TK-04": rule<Repeated>({
    code: "invalid_request",
    message: repeatedMessage,
    cites: ["OAuth 2.1 §3.2", "RFC 8707 §2"],
  }),
  "TK-05": { cites: ["OAuth 2.1 §3.2.4", "RFC 9700 §2.4"] },
  "TK-06": { cites: ["OAuth 2.1 §3.2.4"] },
  "TK-08": { cites: ["OAuth 2.1 §3.2.2"] },
  "TK-14": { cites: [] },
  "TK-15": { cites: ["OAuth 2.1 §10.2", "RFC 6749 §4.1.3"] },
  "TK-16": { cites: ["OAuth 2.1 §3.2.4"] },
  "CA-04": { cites: ["OAuth 2.1 §3.2.4"] },
  "CA-07": { cites: ["OAuth 2.1 §2.4.1"] },
  "CA-09": { cites: ["OAuth 2.1 §2.4, §3.2.4"] },
  "CA-12": { cites: ["OAuth 2.1 §2.4.1"] },
  "CA-16": { cites: ["OAuth 2.1 §2.4.1", "RFC 7591 §2"] },
  "CA-17": { cites: ["RFC 6749 §2.3.1"] },
  "CI-02": { cites: ["OAuth 2.1 §4.1.2"] },
  "CI-05": { cites: ["OAuth 2.1 §4.1.3, §7.5.3"] },
  "CI-06": { cites: ["OAuth 2.1 §4.1.3, §7.5.3"] },
  "CI-11": { cites: ["OAuth 2.1 §4.1.3"] },
  "RT-02": { cites: ["OAuth 2.1 §3.2.3, §4.3"] },
  "RT-04": { cites: ["OAuth 2.1 §4.3.1", "RFC 9700 §4.14.2"] },
  "RT-06": { cites: ["OAuth 2.1 §4.3.1, §4.3.3"] },
  "RT-07": { cites: ["OAuth 2.1 §4.3.1, §4.3.3"] },
  "RT-09": { cites: ["OAuth 2.1 §4.3.1", "RFC 6749 §6"] },
  "CC-01": { cites: ["OAuth 2.1 §4.2"] },
  "CC-02": { cites: ["RFC 6749 §4.4.3", "OpenID Connect Core"] },
  "CC-03": { cites: ["RFC 9700 §4.15", "OAuth 2.1 §7.4"] },
  "RI-01": rule<WrongResource>({
    code: "invalid_target",
    message: ({ problem }) => resourceMessages[problem],
    cites: ["RFC 8707 §2"],
  }),
  "RI-03": rule<UngrantedResource>({
    code: "invalid_target",
    message: "resource was not granted",
    cites: ["RFC 8707 §2.2"],
  }),
  "RI-05": { cites: ["RFC 8707 §2"] },
  "RV-01": { cites: ["RFC 7009 §2.1"] },
  "IN-01": { cites: ["RFC 7662 §2.1"] },
  "IN-02": { cites: ["RFC 7662 §2.2"] },
} as const satisfies Readonly<Record<string, Rule>>;
