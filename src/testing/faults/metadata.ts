/** Metadata documents that a client must reject (RFC 8414 §3.3, §6.2). */

import { defineFault, type FaultFactory } from "./definition.ts";
import { textParameter } from "./parameters.ts";
import { editJsonBody } from "./response_body.ts";
import type { Fault } from "./fault.ts";

/** The document names another issuer. */
export const wrongIssuer: FaultFactory<(issuer?: string) => Fault> = defineFault({
  id: "metadata.wrongIssuer",
  row: "metadata/issuer-other",
  endpoints: ["discovery"],
  parameters: [textParameter("issuer", "https://another.example", "The issuer in the document.")],
  create: ({ issuer }) => editJsonBody("metadata of another issuer", (document) => ({ ...document, issuer })),
});

/** The document lacks a member: `without("jwks_uri")`. */
export const without: FaultFactory<(member?: string) => Fault> = defineFault({
  id: "metadata.without",
  title: "Metadata lacks a member, such as jwks_uri",
  endpoints: ["discovery"],
  correctClient: "The client reports the missing member by name, or works without it if the member is optional.",
  parameters: [textParameter("member", "jwks_uri", "The member to remove.", "Member to remove")],
  create: ({ member }) =>
    editJsonBody(`metadata without ${member}`, (document) => ({ ...document, [member]: undefined })),
});
