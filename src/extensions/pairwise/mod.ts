/** Pairwise subjects: users have another `sub` for each sector of clients (OpenID Connect Core §8). */

import type { Extension } from "../../app/extension.ts";
import { sectorHost, validateSector } from "./validate_client.ts";

/** Lets clients have `subject_type` `pairwise`. */
export const pairwise: Extension = {
  name: "pairwise",
  title: "Pairwise subjects",
  specifications: ["OpenID Connect Core §8.1"],
  subjectTypes: [{
    name: "pairwise",
    sectorOf: sectorHost,
    subjectFor: async (server, sector, sub) => (await import("./subject.ts")).pairwiseSubject(server, sector, sub),
  }],
  clientMembers: ["sector_identifier_uri"],
  validateClient: validateSector,
  verifyRegistration: async (server, client) => {
    if (client.metadata.sector_identifier_uri === undefined) return;
    await (await import("./sector_identifier.ts")).assertSector(server, client);
  },
};
