/** What a configuration names besides settings: a resource, mappings, a signing key, and the default user. */

import type { PrivateJwk } from "../../client/private_jwk.ts";
import { quoteValue } from "../../core/http/quote_value.ts";
import { signingAlgorithms } from "../../core/keys/signing_algorithm.ts";
import { publicMembersOf } from "../../core/keys/jwk.ts";
import { ConfigurationError } from "../../core/rules/configuration_error.ts";
import { recorder as createRecorder } from "../../recorder/recorder.ts";
import type { HostedServer } from "../../server/hosted_server.ts";
import { chooseDefaultUser } from "../default_user.ts";
import { addPlugins, type Product } from "./program.ts";

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
  return { ...opened, starts: [...starts, () => importSigningKey(server!, signingKey)] };
};

export const withDefaultUser: Product = (program) => ({
  ...program,
  starts: [...program.starts, ({ users }) => chooseDefaultUser(users, program.config.user)],
});

/**
 * Makes a key the first that signs, with its own `kid`; without one, that is the last segment of the issuer, as in
 * mock-oauth2-server. It signs with the algorithm of the server, whatever its `alg` says.
 */
async function importSigningKey(server: HostedServer, { kid, ...key }: PrivateJwk): Promise<void> {
  const id = kid ?? (new URL(server.issuer).pathname.split("/").at(-1) || "default");
  const { keys, policy: { alg } } = server;
  const signs = async () => {
    const stored = (await keys.publishedKeys([])).find((one) => one.kid === id && one.alg === alg);
    return stored !== undefined && (await keys.signer(alg)).kid === id &&
      Object.entries(publicMembersOf(key)).every(([name, value]) => name === "alg" || stored[name] === value);
  };
  if (await signs()) return;
  const known = await Promise.all(signingAlgorithms.map((one) => keys.verificationKey(id, one, Infinity)));
  if (known.every((one) => one === undefined)) {
    const { importKey } = await import("../../testing/import_key.ts");
    await importKey(server, { ...key, kid: id, alg });
    // Another server may have added a key at the same time.
    if (await signs()) return;
  }
  throw new ConfigurationError([{
    path: kid === undefined ? "tokenProvider.keyProvider.initialKeys" : "signingKey",
    expected: "a key that is new to the store, or the newest one in it",
    received: `the key ${quoteValue(id)}, which is neither`,
    hint: "Give the key another kid, or use another store.",
  }]);
}
