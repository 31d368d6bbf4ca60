/** Protected resources with wrong or incomplete metadata or challenges (RFC 9728 §3.3, §5, §7). */

import { type HttpResponse, withHeaders } from "../../core/http/message.ts";
import { getHeader } from "../../platform/http/response.ts";
import { defineFault, type FaultFactory } from "./definition.ts";
import { textParameter } from "./parameters.ts";
import type { Fault } from "./fault.ts";
import { editJsonBody, editResponse } from "./response_body.ts";

const metadataEndpoints = ["resource_metadata"] as const;
const resourceEndpoints = ["resource"] as const;

/** The document names another resource. */
export const wrongResource: FaultFactory<(resource?: string) => Fault> = defineFault({
  id: "resource.wrongResource",
  row: "resource/metadata-of-another",
  endpoints: metadataEndpoints,
  parameters: [textParameter("resource", "https://another.example/mcp", "The resource in the document.")],
  create: ({ resource }) => editJsonBody("metadata of another resource", (document) => ({ ...document, resource })),
});

/** The document names another authorization server. */
export const wrongAuthorizationServer: FaultFactory<(issuer?: string) => Fault> = defineFault({
  id: "resource.wrongAuthorizationServer",
  title: "Resource metadata names another authorization server",
  endpoints: metadataEndpoints,
  correctClient:
    "The client sends no credentials and no tokens of its authorization server to the other authorization server.",
  parameters: [
    textParameter(
      "issuer",
      "https://another.example",
      "The only value of authorization_servers.",
      "Authorization server",
    ),
  ],
  create: ({ issuer }) =>
    editJsonBody("resource metadata with another authorization server", (document) => ({
      ...document,
      authorization_servers: [issuer],
    })),
});

/** The document lacks a member: `without("scopes_supported")`. */
export const without: FaultFactory<(member?: string) => Fault> = defineFault({
  id: "resource.without",
  title: "Resource metadata lacks a member, such as authorization_servers",
  endpoints: metadataEndpoints,
  correctClient: "The client reports that authorization_servers is missing, or works without an optional member.",
  parameters: [textParameter("member", "authorization_servers", "The member to remove.", "Member to remove")],
  create: ({ member }) =>
    editJsonBody(`resource metadata without ${member}`, (document) => ({ ...document, [member]: undefined })),
});

/** The challenge (`WWW-Authenticate`) does not name the URL of the metadata. */
export const missingMetadataUrl: FaultFactory<() => Fault> = defineFault({
  id: "resource.missingMetadataUrl",
  row: "resource/challenge-missing",
  endpoints: resourceEndpoints,
  create: () => editChallenge("challenge without resource_metadata", "resource_metadata", undefined),
});

/** The challenge names the URL of metadata on another host. */
export const wrongMetadataUrl: FaultFactory<(url?: string) => Fault> = defineFault({
  id: "resource.wrongMetadataUrl",
  title: "Challenge of the resource names metadata on another host",
  endpoints: resourceEndpoints,
  correctClient: "The client rejects that document, because its resource is not the URL that the client requested.",
  parameters: [
    textParameter(
      "url",
      "https://another.example/.well-known/oauth-protected-resource/mcp",
      "The parameter resource_metadata.",
      "URL of the metadata",
    ),
  ],
  create: ({ url }) => editChallenge("challenge with another resource_metadata", "resource_metadata", url),
});

/** The challenge does not name the scope that the request needs. */
export const missingScope: FaultFactory<() => Fault> = defineFault({
  id: "resource.missingScope",
  title: "Challenge of the resource lacks the scope",
  endpoints: resourceEndpoints,
  correctClient: "The client requests the scopes_supported of the resource metadata, or sends no scope.",
  create: () => editChallenge("challenge without scope", "scope", undefined),
});

/** A fault that changes one parameter of every challenge; `undefined` removes it. */
function editChallenge(name: string, parameter: string, value: string | undefined): Fault {
  const pattern = new RegExp(`(, | )${parameter}="[^"]*"`, "g");
  const challengeOf = (response: HttpResponse | Response) => getHeader(response, "www-authenticate") ?? "";
  return editResponse(
    name,
    `got a challenge with ${parameter}`,
    (response) => challengeOf(response).search(pattern) >= 0,
    (response) => {
      const edited = challengeOf(response).replace(
        pattern,
        (_, separator) => value === undefined ? "" : `${separator}${parameter}="${value}"`,
      );
      // The first parameter of a challenge has no comma before it.
      return withHeaders(response, { "www-authenticate": edited.replace(/(^|, )(\w+), (?=\w+=)/g, "$1$2 ") });
    },
  );
}
