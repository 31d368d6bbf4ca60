/** Members of client metadata that only an extension reads, at a server without it. */

import { assert, assertMatch } from "@std/assert";
import { test } from "node:test";
import { clientField, keySetField } from "../../src/oauth/clients/client.ts";
import type { ConfigurationError } from "../../src/oauth/config/configuration_error.ts";
import type { PublicKeySet } from "../../src/oauth/keys/remote_keys.ts";
import { extensions } from "../../src/server/extensions.ts";
import { latchkey } from "../secret_leak_check.ts";

const client = {
  client_id: "job",
  client_secret: "a-secret-of-32-characters-or-more",
  redirect_uris: ["https://client.test/callback"],
  jwks: keySetField.examples[0] as PublicKeySet,
};

for (const { name, clientMembers = [], clientDemands = [] } of extensions) {
  test(`without ${name}: each of its members of a configured client is rejected, or causes a warning`, async () => {
    for (const member of [...clientMembers, ...clientDemands]) {
      const warnings: string[] = [];
      const error = await latchkey({
        issuer: "https://as.test",
        extensions: extensions.filter((other) => other.name !== name),
        // The last example of a flag is true.
        clients: [{ ...client, [member]: clientField.members[member]!.examples.at(-1) }],
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
