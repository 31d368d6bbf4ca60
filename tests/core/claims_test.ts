/** Which claims about a user a scope releases, without a server. */

import { assertEquals } from "@std/assert";
import { test } from "node:test";
import {
  claimRules,
  claimsForAccessToken,
  claimsForScope,
  isReleasedByScope,
  pickClaims,
  releasableClaims,
} from "../../src/core/clients/claims.ts";
import type { Policy } from "../../src/core/policy/policy.ts";

const user = {
  sub: "alice",
  name: "Alice",
  "name#ja": "アリス",
  email: "alice@example.com",
  email_verified: "yes",
  groups: "staff",
  office: "4b",
  floor: "",
  exp: 1,
};

function rulesOf(policy: Partial<Policy> = {}) {
  const defaults = { claims: {}, unmappedClaims: "none", idTokenClaims: "minimal", accessTokenClaims: [] } as const;
  return claimRules({ ...defaults, ...policy } as Policy);
}

test("[CL-02, CL-04] a scope value releases its standard claims, with the types of the specification", () => {
  assertEquals(claimsForScope(rulesOf(), user, ["openid", "profile"]), { name: "Alice" });
  assertEquals(claimsForScope(rulesOf(), user, ["email"]), { email: "alice@example.com" });
  assertEquals(claimsForScope(rulesOf(), user, ["openid"]), {});
});

test("[CL-01, CL-09] a mapping adds claims to a scope value, and the language tag of a claim is ignored", () => {
  const rules = rulesOf({ claims: { place: ["office", "floor"], profile: ["groups"] } });
  assertEquals(claimsForScope(rules, user, ["place"]), { office: "4b" });
  assertEquals(claimsForScope(rules, user, ["profile"]), { name: "Alice", groups: "staff" });
  assertEquals(isReleasedByScope(rules, "name#ja", ["profile"]), true);
  assertEquals(isReleasedByScope(rules, "office", ["profile"]), false);
});

test("[CL-03] openid releases the members that nothing else releases, if the server is configured so", () => {
  const rules = rulesOf({ unmappedClaims: "openid" });
  assertEquals(claimsForScope(rules, user, ["openid"]), { groups: "staff", office: "4b" });
  assertEquals([...releasableClaims(rules, ["openid"], [user])].sort(), ["floor", "groups", "office"]);
  assertEquals([...releasableClaims(rulesOf(), ["openid"], [user])], []);
});

test("[CL-05] no claim has a reserved name", () => {
  assertEquals(pickClaims(user, ["exp", "sub", "__proto__", "office"]), { office: "4b" });
});

test("[CL-12] an access token has the named claims that its scope may have, and lists where RFC 9068 wants lists", () => {
  const rules = rulesOf({ claims: { place: ["office"] } });
  assertEquals(claimsForAccessToken(rules, user, ["groups", "office", "email"], ["read"]), { groups: ["staff"] });
  assertEquals(claimsForAccessToken(rules, user, ["office", "email"], ["place", "email"]), {
    office: "4b",
    email: "alice@example.com",
  });
});
