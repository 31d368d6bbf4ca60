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

/** The challenge (`WWW-Authenticate`) does not name the URL of the metadata. */
export const missingMetadataUrl: FaultFactory<() => Fault> = defineFault({
  id: "resource.missingMetadataUrl",
  row: "resource/challenge-missing",
  endpoints: resourceEndpoints,
  create: () => editChallenge("challenge without resource_metadata", "resource_metadata", undefined),
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
