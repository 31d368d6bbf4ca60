/** The page with the form of all metadata of a client. */

import type { HttpResponse } from "../../core/http/message.ts";
import type { ClientMetadata, HostedClient } from "../../server/config/client_metadata.ts";
import type { Params } from "../../core/params.ts";
import type { HostedServer } from "../../server/hosted_server.ts";
import type { Context } from "../../core/context.ts";
import type { FieldError } from "../../server/pages/field.tsx";
import { renderPage } from "../../core/pages/render_page.ts";
import { ClientEdit } from "./pages/client_edit.tsx";
import { pageWithForm } from "./admin_endpoint.ts";
import { differingFields, metadataGroups } from "./client_form.ts";
import { toListedClient } from "./listed_client.ts";
import { recordVersion } from "./exclusive_change.ts";

/** The metadata with the change that the link of a rejected request proposes, and the names of the changed members. */
function proposedMetadata(
  client: HostedClient,
  proposal: URLSearchParams,
): { readonly proposed: ClientMetadata; readonly changed: readonly (keyof ClientMetadata)[] } {
  const { metadata } = client;
  for (const member of ["redirect_uris", "post_logout_redirect_uris"] as const) {
    const { [member]: uris = [] } = metadata;
    const uri = proposal.get(member);
    if (uri !== null && !uris.includes(uri)) {
      return { proposed: { ...metadata, [member]: [...uris, uri] }, changed: [member] };
    }
  }
  const added =
    proposal.get("scope")?.split(" ").filter((value) =>
      !client.allowsScope(value) && !client.ownScope.includes(value)
    ) ?? [];
  if (added.length > 0) {
    return { proposed: { ...metadata, scope: [...client.ownScope, ...added].join(" ") }, changed: ["scope"] };
  }
  const grantType = proposal.get("grant_types");
  if (grantType !== null && !client.grantTypes.includes(grantType)) {
    return { proposed: { ...metadata, grant_types: [...client.grantTypes, grantType] }, changed: ["grant_types"] };
  }
  const method = proposal.get("token_endpoint_auth_method");
  // The link is for a request with the same secret, sent by the other method.
  const token_endpoint_auth_method = secretMethods.find((other) => other === method);
  return token_endpoint_auth_method !== undefined && token_endpoint_auth_method !== metadata.token_endpoint_auth_method
    ? { proposed: { ...metadata, token_endpoint_auth_method }, changed: ["token_endpoint_auth_method"] }
    : { proposed: metadata, changed: [] };
}

const secretMethods = ["client_secret_basic", "client_secret_post"] as const;

/** The form of all metadata, with the stored values, those that a link proposes, or those that the visitor typed. */
export async function showForm(
  context: Context<HostedServer>,
  client: HostedClient,
  { errors = [], typed, older, proposal = new URLSearchParams() }: {
    readonly errors?: readonly FieldError[];
    readonly typed?: Params;
    /** A form that was not saved, because it is older than the client. */
    readonly older?: Params;
    readonly proposal?: URLSearchParams;
  },
): Promise<HttpResponse> {
  const { id, name, href } = toListedClient(context, client);
  const { proposed, changed } = proposedMetadata(client, proposal);
  const retry = (typed ?? older)?.get("retry") ?? proposal.get("retry") ?? "";
  const unsaved = older && await differingFields(client.metadata, older);
  const values = { retry, version: await clientVersion(context.server, client) };
  return await pageWithForm(
    context,
    { values, errors, unsaved, isPersistent: context.server.clients.persists(id) },
    (form) =>
      renderPage(ClientEdit, {
        ...context.site,
        client: { id, name, href, hasSecret: client.secretDigest !== undefined },
        groups: metadataGroups(proposed, typed),
        changed,
        form: form!,
      }),
    unsaved && 409,
  );
}

/** The version of a client, for its form. */
export async function clientVersion(server: HostedServer, { metadata, secretDigest }: HostedClient): Promise<string> {
  return await recordVersion(server, [metadata, await secretDigest]);
}
