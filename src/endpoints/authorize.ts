/** GET and POST /oauth2/authorize (OAuth 2.1 §4.1.1): destination, request, approval, code. */

import { parseFields, readForm } from "../http/form.ts";
import type { Target } from "../http/router.ts";
import { findDestination, issueCode, readAuthorizationRequest } from "../oauth/authorization.ts";
import type { Destination } from "../oauth/authorization.ts";
import { readParams } from "../oauth/params.ts";
import type { Params } from "../oauth/params.ts";
import { asPage, asRedirect, toClient } from "./answer.ts";
import type { Approver } from "./approver.ts";
import type { Desk, Endpoint } from "./endpoint.ts";

/** The authorization endpoint. */
export function authorizeEndpoint(desk: Desk, approve: Approver): Endpoint {
  const { server } = desk;
  const { users, now, trace } = server;

  async function answer(request: Request, target: Target): Promise<Response> {
    let params: Params;
    let destination: Destination;
    try {
      params = readParams(request.method === "POST" ? await readForm(request) : parseFields(target.query));
      destination = findDestination(server, params);
    } catch (refusal) {
      return await asPage(desk, target, refusal);
    }
    try {
      const asked = readAuthorizationRequest(server, params, destination);
      const decision = await approve(asked, { users, now, trace, http: request });
      if (decision instanceof Response) return decision;
      const code = await issueCode(server, asked, decision);
      return toClient(server, request, destination, [["code", code]]);
    } catch (refusal) {
      return asRedirect(server, target, request, destination, refusal);
    }
  }

  return {
    name: "authorization_endpoint",
    path: `${desk.site.base}/oauth2/authorize`,
    GET: answer,
    // A code must not be issued for a question about headers.
    HEAD: () => new Response(null, { headers: { "cache-control": "no-store", "referrer-policy": "no-referrer" } }),
    POST: answer,
    refuse: (fault, target) => asPage(desk, target, fault),
  };
}
