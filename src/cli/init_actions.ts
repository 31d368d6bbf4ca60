/** What the commands that write a configuration do with the process. */

import { randomToken } from "../core/keys/secrets.ts";
import type { ClientSnippet } from "../devtools/connect/pages/client_snippets.tsx";
import { randomBytes } from "../core/keys/crypto.ts";
import type { App } from "../server/app.ts";
import type { Settings } from "../server/config/settings.ts";
import { latchkey } from "../server/hosting/latchkey.ts";
import type { InitActions } from "./init.ts";

/** The actions, on a terminal with a question. */
export async function initActions(): Promise<InitActions> {
  const { ask, createPrivateFile, hasTerminalInput } = await import("../platform/runtime/tools.ts");
  const randomSecret = () => randomToken(randomBytes);
  return { ...hasTerminalInput() && { ask }, createPrivateFile, randomSecret, describeClient };
}

/** The settings of a client for each library. */
async function describeClient(settings: Settings, clientId: string, secret = ""): Promise<ClientSnippet[]> {
  const { clientSnippets, serverUrls } = await import("../devtools/connect/client_snippets/mod.ts");
  let app: App | undefined;
  await using server = await latchkey({ ...settings, plugins: [{ setup: (assembled) => void (app = assembled) }] });
  const client = server.clients.known().get(clientId)!;
  return clientSnippets(serverUrls({ app: app!, server: app!.server }), client, { secret });
}
