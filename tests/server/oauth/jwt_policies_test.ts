/** The policy of each kind of JWT, with the verification by keys. */

import { assertEquals, assertRejects } from "@std/assert";
import { SignJWT } from "jose";
import { test } from "node:test";
import { clientAssertionPolicy } from "../../../src/server/extensions/assertion_authentication/verify_assertion.ts";
import { assertionPolicy, idJagPolicy } from "../../../src/server/extensions/assertion_grants/verify_assertion.ts";
import { proofPolicy } from "../../../src/server/extensions/dpop/proof.ts";
import { softwareStatementPolicy } from "../../../src/server/extensions/registration/software_statement.ts";
import { requestObjectPolicy } from "../../../src/server/extensions/signed_requests/request_object.ts";
import { jwtPolicies, type JwtPolicy, JwtPolicyError } from "../../../src/platform/jwt/jwt_policies.ts";
import { verifyByKeys } from "../../../src/platform/jwt/verify_by_keys.ts";

/** The policies of every server and of the extensions. */
const policies = {
  ...jwtPolicies,
  ...{ clientAssertionPolicy, requestObjectPolicy, proofPolicy, assertionPolicy, idJagPolicy },
  softwareStatementPolicy,
};

const now = 1_800_000_000;
const secret = new Uint8Array(32).fill(7);

function sign({ types = ["jwt"] }: JwtPolicy, claims: Record<string, unknown>): Promise<string> {
  const good = { exp: now + 60, iat: now, nbf: now, aud: "a", jti: "j", sub: "s", client_id: "c" };
  return new SignJWT({ ...good, ...claims }).setProtectedHeader({ alg: "HS256", typ: types[0]! }).sign(secret);
}

for (const [kind, policy] of Object.entries<JwtPolicy>(policies)) {
  const verify = async (claims: Record<string, unknown>) =>
    await verifyByKeys(await sign(policy, claims), secret, policy, { algorithms: ["HS256"], now: now * 1000 });

  test(`[JR-04, JB-04, DR-10] ${kind}: a time that is not a number is named, with what was received`, async () => {
    assertEquals((await verify({})).sub, "s");
    for (const part of ["exp", "nbf", "iat"] as const) {
      for (const [value, received] of [["1", "a string"], [null, "null"], [{}, "an object"]] as const) {
        const { problem } = await assertRejects(() => verify({ [part]: value }), JwtPolicyError);
        assertEquals(problem, {
          ...{ part, reason: `${part} is not a number` },
          ...{ expected: `${part} in seconds since 1970`, received },
        });
      }
    }
  });

  test(`[JR-04, JB-04, DR-10] ${kind}: a time far beyond every date is compared by the policy`, async () => {
    const { ignoredTimes = [] } = policy;
    for (const [part, value] of [["exp", -1e308], ["nbf", 1e308], ["iat", 1e308]] as const) {
      if (ignoredTimes.includes(part)) continue;
      const { problem } = await assertRejects(() => verify({ [part]: value }), JwtPolicyError);
      assertEquals([problem.part, problem.received], [part, `${part} ${value}`]);
    }
  });
}
