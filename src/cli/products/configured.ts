/** What a configuration names besides settings: a resource, mappings, a signing key, and the default user. */

import type { PrivateJwk } from "../../client/private_jwk.ts";
import { quoteValue } from "../../core/http/quote_value.ts";
import { areOnePair, importOwnKey } from "../../core/keys/keys.ts";
import { type SigningAlgorithm, signingAlgorithms } from "../../core/keys/signing_algorithm.ts";
import { ConfigurationError } from "../../core/rules/configuration_error.ts";
import { recorder as createRecorder } from "../../recorder/recorder.ts";
import type { HostedServer } from "../../server/hosted_server.ts";
import { chooseDefaultUser } from "../default_user.ts";
import { addPlugins, type Product, type Program, reportWarning } from "./program.ts";

export const withMcpServer: Product = async (program) => {
  const { mcpServer: path } = program.config;
  if (path === undefined) return program;
  const { mcpServer } = await import("../../resource/mcp_server.ts");
  return addPlugins(program, mcpServer(path));
};

/** Claims by parameters of token requests, which a recorder reads; and the users whom the mappings name. */
export const withRequestMappings: Product = async (program) => {
  const { config, requestMappings, starts } = program;
  if (requestMappings === undefined) return program;
  const { usersOfMappings } = await import("../mock_oauth2_config.ts");
  const { requestMappings: createMappings } = await import("../../testing/request_mappings.ts");
  const recorder = program.recorder ?? createRecorder();
  const plugins = program.recorder === undefined ? [recorder] : [];
  const addUsers: typeof starts[number] = async ({ users }) => {
    // Of all issuers, so that each one has the default user.
    for (const named of usersOfMappings(config.requestMappings ?? [])) {
      if (await users.find(named.sub) === undefined) await users.set(named);
    }
  };
  const mapping = createMappings(requestMappings, recorder);
  return { ...addPlugins(program, ...plugins, mapping), starts: [...starts, addUsers] };
};

export const withSigningKey: Product = (program) => {
  const { config: { signingKey }, starts } = program;
  if (signingKey === undefined) return program;
  let server: HostedServer | undefined;
  const opened = addPlugins(program, { setup: (app) => void (server = app.server) });
  return { ...opened, starts: [...starts, () => importSigningKey(program, server!, signingKey)] };
};

export const withDefaultUser: Product = (program) => ({
  ...program,
  starts: [...program.starts, ({ users }) => chooseDefaultUser(users, program.config.user)],
});

/**
 * Adds the configured key to the store, unless the store has it, and warns if a newer key signs. Its ID is its `kid`;
 * without one, the last segment of the issuer, as in mock-oauth2-server. It signs with the algorithm of the server,
 * whatever its `alg` says.
 */
async function importSigningKey(program: Program, server: HostedServer, { kid, ...jwk }: PrivateJwk): Promise<void> {
  const path = kid === undefined ? "tokenProvider.keyProvider.initialKeys" : "signingKey";
  const id = kid ?? (new URL(server.issuer).pathname.split("/").at(-1) || "default");
  const { keys, policy: { alg } } = server;
  const { sign } = await importOwnKey(alg, { kid: id, jwk: jwk as Readonly<Record<string, string>> });
  // Also of keys that have retired.
  const find = (one: SigningAlgorithm) => keys.verificationKey(id, one, Infinity);
  const stored = await find(alg);
  if (stored === undefined || !await areOnePair(alg, sign, stored)) {
    const known = await Promise.all(signingAlgorithms.map(find));
    if (known.some((one) => one !== undefined)) {
      throw new ConfigurationError([{
        path,
        expected: "a kid that no other key in the store has",
        received: quoteValue(id),
        hint: "Give the key another kid, or use another store.",
      }]);
    }
    const { importKey } = await import("../../testing/import_key.ts");
    await importKey(server, { ...jwk, kid: id, alg });
  }
  if ((await keys.signer(alg)).kid === id) return;
  const message = "A newer key in the store signs instead of this one. To sign with this one, use another store.";
  reportWarning(program, { path, message });
}
