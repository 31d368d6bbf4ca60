/** The user of a token at Microsoft Graph, and the user's groups. */

import type { Context } from "../../core/http/context.ts";
import type { Handler } from "../../core/route.ts";
import type { Endpoint } from "../endpoint.ts";
import { type HttpResponse, json } from "../../core/http/message.ts";
import { guidOf } from "./shared/derived_values.ts";
import { asText } from "./shared/members.ts";
import { requireUser } from "./shared/require_user.ts";
import { unservedUrls } from "./shared/unserved_urls.ts";

export const userPath = "/v1.0/me";

export function graphEndpoints(): readonly Endpoint[] {
  return [
    graphEndpoint(userPath, "User of Microsoft Graph", showUser),
    graphEndpoint(`${userPath}/memberOf`, "Groups of Microsoft Graph", showGroups),
    graphEndpoint(`${userPath}/transitiveMemberOf`, "Groups of Microsoft Graph", showGroups),
    ...unservedUrls("graph_me", "/v1.0/**", "/beta/**"),
  ];
}

function graphEndpoint(path: string, title: string, show: Handler): Endpoint {
  return {
    ...{ name: "graph_me", path, methods: ["GET"], caller: "resource client", cors: true, title },
    ...{ errors: "json", role: "step", load: () => ({ GET: show }) },
  };
}

/** The groups of the user: https://learn.microsoft.com/graph/api/user-list-memberof */
async function showGroups(context: Context): Promise<HttpResponse | Response> {
  const { user: { groups } } = await requireUser(context);
  const names = Array.isArray(groups) ? groups.map(asText) : [];
  return json(200, {
    "@odata.context": "https://graph.microsoft.com/v1.0/$metadata#directoryObjects",
    value: names.map((name) => ({
      "@odata.type": "#microsoft.graph.group",
      id: /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/i.test(name) ? name : guidOf(name),
      displayName: name,
    })),
  });
}

/** https://learn.microsoft.com/graph/api/user-get */
async function showUser(context: Context): Promise<HttpResponse | Response> {
  const { user } = await requireUser(context);
  const { name, given_name, family_name, email, preferred_username = email } = user;
  return json(200, {
    "@odata.context": "https://graph.microsoft.com/v1.0/$metadata#users/$entity",
    id: user.oid ?? guidOf(user.sub),
    displayName: name ?? null,
    givenName: given_name ?? null,
    surname: family_name ?? null,
    mail: email ?? null,
    userPrincipalName: preferred_username ?? null,
  });
}
