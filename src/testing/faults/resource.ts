/** Protected resources with incomplete challenges (RFC 9728 §5). */

import { type HttpResponse, withHeaders } from "../../core/http/message.ts";
import { getHeader } from "../../platform/http/response.ts";
import { defineFault, type FaultFactory } from "./definition.ts";
import type { Fault } from "./fault.ts";
import { editResponse } from "./response_body.ts";

/** The challenge (`WWW-Authenticate`) does not name the URL of the metadata. */
export const missingMetadataUrl: FaultFactory<() => Fault> = defineFault({
  id: "resource.missingMetadataUrl",
  row: "resource/challenge-missing",
  endpoints: ["resource"],
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
