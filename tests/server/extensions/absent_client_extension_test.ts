/** Client metadata and profiles at a server without an extension that they need. */

import { assert, assertEquals, assertMatch, assertRejects } from "@std/assert";
import { test } from "node:test";
import type { LatchkeyOptions } from "../../../src/mod.ts";
import { keySetField } from "../../../src/server/config/client_fields.ts";
import { ConfigurationError } from "../../../src/core/rules/configuration_error.ts";
import type { PublicKeySet } from "../../../src/core/keys/jwk.ts";
import { extensions } from "../../../src/server/hosting/extensions.ts";
import { latchkey } from "../../secret_leak_check.ts";

const client = {
  client_id: "job",
  client_secret: "a-secret-of-32-characters-or-more",
  redirect_uris: ["https://client.test/callback"],
  jwks: keySetField.examples[0] as PublicKeySet,
};

test("without the values that a profile demands, an issue names the setting, and none lists no values", async () => {
  const others = extensions.filter(({ name }) => name !== "assertion_authentication" && name !== "signed_responses");
  const given = { issuer: "https://as.test", extensions: others };
  const named = { ...client, response_modes: ["jwt" as const], id_token_signed_response_alg: "ES256" as const };
  for (
    const [options, expected] of [
      [{ profile: "fapi2-security", clients: [client] }, ["clientAuthMethods[0]"]],
      [{ profile: "fapi2-message-signing", clients: [named] }, ["clientAuthMethods[0]", "responseModes[0]"]],
      [{ clients: [{ ...client, profile: "fapi2-security" }] }, ["clients[0].profile"]],
      [{ signatureAlgorithms: ["RS256"], clients: [{ ...named, profile: "fapi2-message-signing" }] }, [
        "clients[0].profile",
      ]],
    ] satisfies [LatchkeyOptions, string[]][]
  ) {
    const error = await assertRejects(() => latchkey({ ...given, ...options }), ConfigurationError);
    const paths = error.issues.map(({ path }) => path);
    assertEquals(expected.filter((path) => !paths.includes(path)), [], String(error));
    assertEquals(error.issues.filter(({ expected }) => /one of [,.]/.test(`${expected},`)), []);
    assertEquals(paths.filter((path) => path.endsWith("token_endpoint_auth_method")), []);
  }
});

for (const { name, clientMetadata: { fields = {} } = {} } of extensions) {
  test(`without ${name}: each of its members of a configured client is rejected, or causes a warning`, async () => {
    for (const [member, { examples }] of Object.entries(fields)) {
      const warnings: string[] = [];
      const error = await latchkey({
        issuer: "https://as.test",
        extensions: extensions.filter((other) => other.name !== name),
        // The last example of a flag is true.
        clients: [{ ...client, [member]: examples.at(-1) }],
        trace: (event) => event.type === "configuration_warning" && warnings.push(`${event.path}: ${event.message}`),
      }).then((as) => as.close(), (error: ConfigurationError) => error);
      if (error !== undefined) {
        assert(error.issues.some(({ path }) => path === `clients[0].${member}`), String(error));
        continue;
      }
      const expected = `clients\\[0\\]\\.${member}: .* extension ${name}\\..* client job\\.`;
      assertMatch(warnings.join(), new RegExp(`^${expected}$`));
    }
  });
}
