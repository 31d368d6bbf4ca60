/** The form of the metadata of a client, one JSON object. A link of a rejected request proposes a change. */

import type { HttpResponse } from "../../core/http/message.ts";
import {
  type ClientEntry,
  type ClientMetadata,
  type HostedClient,
  registeredScopeOf,
} from "../../server/config/client_metadata.ts";
import { keptRegistration, keptSecret } from "../../server/clients/changed_client.ts";
import { asServerPolicy } from "../../server/config/server_policy.ts";
import type { Field } from "../../core/policy/field.ts";
import type { Params } from "../../core/http/params.ts";
import { randomToken } from "../../core/keys/secrets.ts";
import type { HostedServer } from "../../server/hosted_server.ts";
import type { Context } from "../../core/http/context.ts";
import type { FieldError } from "../../server/pages/field.tsx";
import { renderPage } from "../../core/pages/render_page.ts";
import { ClientEdit } from "./pages/client_edit.tsx";
import { pageWithForm, recordVersion } from "./admin_endpoint.ts";
import { toListedClient } from "./listed_client.ts";

/** The members that the form does not have. */
const fixedMembers = ["client_id", "client_secret"];

/** The members that the form may have, each with an example. */
function memberExamples({ policy }: HostedServer) {
  return Object.entries<Field>(asServerPolicy(policy).clientField.members).flatMap(([name, { examples: [example] }]) =>
    fixedMembers.includes(name) ? [] : [{ name, example: JSON.stringify(example) }]
  );
}

/** The form, with the stored metadata, the one that a link proposes, or the text that the visitor typed. */
export async function showForm(
  context: Context<HostedServer>,
  client: HostedClient,
  { errors = [], typed, isOlder = false, proposal = new URLSearchParams() }: {
    readonly errors?: readonly FieldError[];
    readonly typed?: Params;
    /** Whether the typed form was not saved, because it is older than the client. It is not shown again. */
    readonly isOlder?: boolean;
    readonly proposal?: URLSearchParams;
  },
): Promise<HttpResponse> {
  const { id, name, href } = toListedClient(context, client);
  const proposed = proposedMembers(client, proposal);
  const { client_id: _, ...members } = { ...client.metadata, ...proposed };
  const values = {
    metadata: isOlder ? undefined : typed?.get("metadata"),
    retry: typed?.get("retry") ?? proposal.get("retry") ?? "",
    version: await clientVersion(context.server, client),
  };
  const metadata = values.metadata ?? JSON.stringify(members, null, 2);
  return await pageWithForm(
    context,
    { values: { ...values, metadata }, errors, isOlder, isPersistent: context.server.clients.persists(id) },
    (form) =>
      renderPage(ClientEdit, {
        ...context.site,
        client: { id, name, href, hasSecret: client.secretDigest !== undefined },
        proposed: Object.keys(proposed),
        memberExamples: memberExamples(context.server),
        form: form!,
      }),
  );
}

/** The members that the link of a rejected request proposes to change. */
function proposedMembers(client: HostedClient, proposal: URLSearchParams): Partial<ClientMetadata> {
  const { metadata, grantTypes } = client;
  const ownScope = registeredScopeOf(client);
  for (const member of ["redirect_uris", "post_logout_redirect_uris"] as const) {
    const { [member]: uris = [] } = metadata;
    const uri = proposal.get(member);
    if (uri !== null && !uris.includes(uri)) return { [member]: [...uris, uri] };
  }
  const scope = proposal.get("scope")?.split(" ") ?? [];
  const addedScope = scope.filter((value) => !client.allowsScope(value) && !ownScope.includes(value));
  if (addedScope.length > 0) return { scope: [...ownScope, ...addedScope].join(" ") };
  const grantType = proposal.get("grant_types");
  if (grantType !== null && !grantTypes.includes(grantType)) return { grant_types: [...grantTypes, grantType] };
  const method = proposal.get("token_endpoint_auth_method");
  // The link is for a request with the same secret, sent by the other method.
  const token_endpoint_auth_method = secretMethods.find((other) => other === method);
  const isOther = token_endpoint_auth_method !== metadata.token_endpoint_auth_method;
  return token_endpoint_auth_method !== undefined && isOther ? { token_endpoint_auth_method } : {};
}

const secretMethods = ["client_secret_basic", "client_secret_post"] as const;

/** The version of a client, for its form. */
export async function clientVersion(server: HostedServer, { metadata, secretDigest }: HostedClient): Promise<string> {
  return await recordVersion(server, [metadata, await secretDigest]);
}

/**
 * The entry of a client with other metadata, which must be valid. A new secret is the `client_secret` of the entry: if
 * the form asks for one, or if the method needs a secret and cannot use that of the client.
 */
export async function changedEntry(
  server: HostedServer,
  former: HostedClient,
  metadata: ClientMetadata,
  wantsNewSecret: boolean,
): Promise<ClientEntry> {
  const { token_endpoint_auth_method: method } = metadata;
  const usesSecret = method?.startsWith("client_secret_") ?? former.secretDigest !== undefined;
  const kept = wantsNewSecret ? undefined : await keptSecret(former, method);
  const secret = usesSecret ? kept ?? { client_secret: randomToken(server.randomBytes) } : {};
  return { ...metadata, ...secret, ...keptRegistration(server, former, metadata) };
}
