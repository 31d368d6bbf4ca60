/** Pairwise subjects: users have another `sub` for each sector of clients (OpenID Connect Core §8). */

import type { Extension } from "../../config/extension.ts";
import { type ClientMetadata, metadataOf } from "../../config/client_metadata.ts";
import { quote } from "../../config/config_issue.ts";
import type { ConfigIssue } from "../../../core/rules/configuration_error.ts";
import { isPairwise, subjectFor } from "../../token/subjects.ts";
import { parseUrl } from "../../config/uri_issues.ts";
import type { Client } from "../../../core/clients/clients.ts";
import { serverSecret } from "../../../core/sessions/session.ts";
import { digest } from "../../../core/keys/secrets.ts";
import type { Server } from "../../../core/server.ts";
import { subjectsInAll } from "../../../core/clients/subjects.ts";
import type { Subject } from "../../../core/store/store.ts";
import { pairwiseClientFields } from "./settings.ts";

/** Lets clients have `subject_type` `pairwise`. */
export const pairwise: Extension = {
  name: "pairwise",
  settings: { values: { subjectTypes: ["pairwise"] } },
  extend: (server) => ({
    ...server,
    identifiers: {
      async issued(current, client, identifiers) {
        if (!isPairwise(client)) return await server.identifiers.issued(current, client, identifiers);
        // Validation has verified that the client has a sector.
        const sector = sectorHost(metadataOf(client))!;
        return await pairwiseIdentifiers(current, sector, identifiers);
      },
      async find(current, client, demanded) {
        if (!isPairwise(client)) return await server.identifiers.find(current, client, demanded);
        return await findPairwise(current, client, demanded);
      },
    },
  }),
  clientMetadata: { fields: pairwiseClientFields, validate: validateSector },
};

/** The host that is the sector (OpenID Connect Core §8.1); `undefined` if the URIs have several hosts. */
function sectorHost({ sector_identifier_uri, redirect_uris = [] }: ClientMetadata): string | undefined {
  const hosts = new Set(
    (sector_identifier_uri ? [sector_identifier_uri] : redirect_uris).map((uri) => new URL(uri).hostname),
  );
  return hosts.size === 1 ? [...hosts][0] || undefined : undefined;
}

function validateSector(client: ClientMetadata): readonly ConfigIssue[] {
  const uri = client.sector_identifier_uri;
  if (uri !== undefined && (parseUrl(uri) === undefined || !uri.startsWith("https://"))) {
    return [{
      path: "sector_identifier_uri",
      expected: "an https URL",
      received: quote(uri),
      hint: "Write https://host/path.",
    }];
  }
  if (client.subject_type !== "pairwise" || sectorHost(client) !== undefined) return [];
  return [{
    path: "subject_type",
    expected: "redirect URIs with one host, because subject_type is pairwise",
    received: "several hosts, or none",
    hint: "Add a sector_identifier_uri whose host is the sector.",
  }];
}

/** The subject of a user for a sector, and the id of their session: a shared id would reveal who the user is. */
async function pairwiseIdentifiers(
  server: Server,
  sector: string,
  { sub, sid }: Pick<Subject, "sub" | "sid">,
): Promise<Pick<Subject, "sub" | "sid">> {
  const secret = await serverSecret(server, "pairwise");
  const derive = async (text: string) => await digest(`${secret} ${sector} ${text}`);
  return { sub: await derive(sub), sid: sid && await derive(`session ${sid}`) };
}

/** Maximum number of users whose pairwise subjects are compared, besides the users in memory. */
const maxPairwiseCandidates = 1000;

/** The users, by `sub` on this server, whose subject for the client is in every list. */
async function findPairwise(
  server: Server,
  client: Client,
  demanded: readonly (readonly string[])[],
): Promise<readonly string[]> {
  const allowed = subjectsInAll(demanded);
  // Bounded: a store may have any number of users.
  const candidates = new Set([
    ...server.users.known().values(),
    ...await server.users.list({ limit: maxPairwiseCandidates }),
  ]);
  const subs: string[] = [];
  for (const { sub } of candidates) if (allowed.has(await subjectFor(server, client, sub))) subs.push(sub);
  return subs;
}
