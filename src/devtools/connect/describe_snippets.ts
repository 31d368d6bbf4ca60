/** The settings of a client for each library, with the addresses of this server. */

import type { Context } from "../../core/http/context.ts";
import { endpointUrl } from "../../core/http/endpoint.ts";
import type { Client } from "../../core/clients/clients.ts";
import { secretPlaceholder } from "../../server/config/validate_client.ts";
import { clientSnippets, serverUrls } from "./client_snippets/mod.ts";
import type { ClientSnippet } from "./pages/client_snippets.tsx";
import { demandTexts, findDemands } from "./listed_client.ts";

/** What a page says about the settings of a client. */
export interface DescribedSnippets {
  /** What requests of the client must have besides the settings, in sentences. */
  readonly demands: readonly string[];
  readonly snippets: readonly ClientSnippet[];
  /** The library that the address of the page names. */
  readonly library?: string;
}

/**
 * Describes the settings of a client.
 *
 * @param options `secret`: its secret, if the page may show it; default: a placeholder. `redirectUri`: the one to
 * write; default: its first.
 */
export function describeSnippets(
  context: Context,
  client: Client,
  { secret = secretPlaceholder, redirectUri }: { readonly secret?: string; readonly redirectUri?: string } = {},
): DescribedSnippets {
  const demands = findDemands(context, client);
  return {
    demands: demands.map((demand) => demandTexts[demand](demand === "par" ? endpointUrl(context, "par") : "")),
    snippets: clientSnippets(serverUrls(context), client, { secret, demands, redirectUri }).map(noteSecret),
    library: new URLSearchParams(context.target.query).get("connect") ?? undefined,
  };
}

/** Adds a note to settings that have the placeholder instead of the secret. */
function noteSecret(snippet: ClientSnippet): ClientSnippet {
  if (!snippet.text?.includes(secretPlaceholder)) return snippet;
  const note = `Replace ${secretPlaceholder} with the secret that you registered: the server keeps only its digest.`;
  return { ...snippet, notes: [note, ...snippet.notes] };
}
