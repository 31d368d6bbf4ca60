/** The small laws of scope: its grammar, and what of a request may be granted. */

import { assertEquals, assertThrows } from "@std/assert";
import { test } from "node:test";
import { OAuthError } from "../../src/core/rules/errors.ts";
import { resolveScope } from "../../src/core/authorize/scope.ts";
import { scopeToken, splitScope } from "../../src/core/http/params.ts";

/** The scope that a server with these settings resolves for a client, or the rule of the rejection. */
function resolve(
  asked: string | undefined,
  server: Scopes,
  client: readonly string[] = server.scopes,
): string[] | string {
  try {
    return resolveScope(server, withScope(client), asked, () => {}).sort();
  } catch (rejection) {
    if (!(rejection instanceof OAuthError)) throw rejection;
    assertEquals(rejection.code, "invalid_scope");
    return rejection.details.rule!;
  }
}

function withScope(scope: readonly string[]) {
  return { id: "web", scope, allowsScope: (token: string) => scope.includes(token) };
}

interface Scopes {
  readonly scopes: readonly string[];
  readonly defaultScope: readonly string[];
}

const server: Scopes = { scopes: ["openid", "read", "write"], defaultScope: ["read"] };

test("[AZ-15] a scope value consists of 0x21, 0x23 to 0x5B and 0x5D to 0x7E only", () => {
  for (let point = 0; point < 0x400; point++) {
    const allowed = point === 0x21 || (point >= 0x23 && point <= 0x5B) || (point >= 0x5D && point <= 0x7E);
    const character = String.fromCodePoint(point);
    for (const word of [character, `${character}a`, `a${character}`]) {
      assertEquals(scopeToken.test(word), allowed, `U+${point.toString(16)}`);
    }
  }
  for (const word of ["", "🔑", "\ud800", "\u2028", "a\n"]) assertEquals(scopeToken.test(word), false);
});

test("[AZ-15] only the space separates scope values, and each counts once", () => {
  assertEquals(splitScope("read write"), ["read", "write"]);
  assertEquals(splitScope("  read   write read "), ["read", "write"]);
  assertEquals(splitScope("read\twrite\nx\u00a0y,z"), ["read\twrite\nx\u00a0y,z"]);
  assertEquals(splitScope("Read read"), ["Read", "read"]);
  assertEquals([...splitScope(""), ...splitScope("   ")], []);
  assertEquals(splitScope("__proto__ constructor"), ["__proto__", "constructor"]);
});

test("[AZ-16] an empty scope means the default; without a default it is rejected", () => {
  assertEquals(resolve(undefined, server), ["read"]);
  assertEquals(resolve(undefined, { ...server, defaultScope: ["write", "read"] }), ["read", "write"]);
  assertEquals(resolve(undefined, { ...server, defaultScope: [] }), "AZ-16");
});

test("[AZ-16] resolving the default does not change the server's own list", () => {
  const defaultScope = ["write", "read"];
  resolveScope({ ...server, defaultScope }, withScope(server.scopes), undefined, () => {}).pop();
  assertEquals(defaultScope, ["write", "read"]);
});

test("[AZ-17] the requested scope is granted, without unknown values if openid is included", () => {
  const cases: readonly (readonly [string, string[] | string])[] = [
    ["read", ["read"]],
    ["write read", ["read", "write"]],
    ["read write read", ["read", "write"]],
    ["openid", ["openid"]],
    ["bogus", "AZ-17"],
    ["read bogus", "AZ-17"],
    ["READ", "AZ-17"],
    ["constructor", "AZ-17"],
    [" ", "AZ-17"],
    ["openid bogus", ["openid"]],
    ["bogus read openid", ["openid", "read"]],
    ["OpenID bogus", "AZ-17"],
    [`openid re"ad`, "AZ-15"],
    ["openid bog\tus", "AZ-15"],
  ];
  for (const [asked, expected] of cases) assertEquals(resolve(asked, server), expected, asked);
});

test("[AZ-17] scope that the client may not request is rejected, with openid too", () => {
  assertEquals(resolve("read", server, ["read"]), ["read"]);
  for (const asked of ["write", "read write", "openid", "openid read", "openid bogus"]) {
    assertEquals(resolve(asked, server, ["read"]), "AZ-17", asked);
  }
  assertEquals(resolve("openid read write", server, ["openid", "read"]), "AZ-17");
  for (const asked of ["read", "openid"]) assertEquals(resolve(asked, server, []), "AZ-17");
  assertEquals(resolve(undefined, server, []), "AZ-16");
});

test("[AZ-17, AR-04] a rejection never repeats the requested values", () => {
  for (const asked of ["secret-word", `secret-word"`, "secret-word\n"]) {
    const rejection = assertThrows(
      () => resolveScope(server, withScope(server.scopes), asked, () => {}),
      OAuthError,
    );
    assertEquals(rejection.description.includes("secret-word"), false);
  }
});
