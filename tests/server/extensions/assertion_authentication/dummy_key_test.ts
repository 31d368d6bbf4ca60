/** The work for a rejected client assertion, whether its client exists or not. */

import { assertEquals } from "@std/assert";
import { afterEach, test } from "node:test";
import type { ClientMetadata } from "../../../../src/mod.ts";
import { testServer } from "../../../kit.ts";
import { assertionOf, secretKey, sharedKey } from "../../client_jwts.ts";

const algorithms = ["RS256", "PS256", "ES256", "ES384", "Ed25519"];
const secret = "a secret that is long enough for HS256";

const { verify } = crypto.subtle;
afterEach(() => void (crypto.subtle.verify = verify));

/** The number of verified signatures, by their algorithm. */
function countVerifications(): string[] {
  const counted: string[] = [];
  crypto.subtle.verify = (...values: Parameters<typeof verify>) => {
    const [algorithm] = values;
    counted.push(typeof algorithm === "string" ? algorithm : algorithm.name);
    return verify.apply(crypto.subtle, values);
  };
  return counted;
}

const grant_types = ["client_credentials"];

test("[CA-07] a rejected assertion costs one verification by its algorithm, whether the client exists or not", async () => {
  const registered = await Promise.all(algorithms.map(async (alg): Promise<ClientMetadata> => ({
    client_id: alg,
    grant_types,
    token_endpoint_auth_method: "private_key_jwt",
    jwks: { keys: [(await sharedKey(alg)).jwk] },
  })));
  const others: ClientMetadata[] = [
    { client_id: "basic", client_secret: secret, grant_types, token_endpoint_auth_method: "client_secret_basic" },
    { client_id: "HS256", client_secret: secret, grant_types, token_endpoint_auth_method: "client_secret_jwt" },
    { ...registered[0]!, client_id: "registered", token_endpoint_auth_signing_alg: "RS384" },
  ];
  const { token } = await testServer({
    clientAuthMethods: ["client_secret_basic", "client_secret_jwt", "private_key_jwt", "none"],
    clients: [...registered, ...others],
  });
  const clientIds = ["unknown", ...registered.map(({ client_id }) => client_id), ...others.map((one) => one.client_id)];
  for (const alg of [...algorithms, "HS256"]) {
    const results: Record<string, readonly string[]> = {};
    for (const id of clientIds) {
      // The signature is then changed, so that no key verifies it.
      const key = alg === "HS256" ? await secretKey("another secret that is long enough") : await sharedKey(`${alg}`);
      const forged = await assertionOf(id, key);
      const parts = forged.client_assertion!.split(".");
      const signature = `${parts[2]![0] === "A" ? "B" : "A"}${parts[2]!.slice(1)}`;
      const counted = countVerifications();
      const body = { ...forged, client_assertion: [parts[0], parts[1], signature].join("."), client_id: undefined };
      const response = await token({
        ...body,
        grant_type: "client_credentials",
        code: undefined,
        redirect_uri: undefined,
        code_verifier: undefined,
      });
      assertEquals(response.status, 401, `${alg} ${id}`);
      results[id] = [...counted];
    }
    const expected = results.unknown!;
    assertEquals(expected.length, 1, alg);
    assertEquals(results, Object.fromEntries(clientIds.map((id) => [id, expected])), alg);
  }
});
