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
import { suggestUri } from "../../server/explain/suggest_match.ts";
import { ClientEdit, type ProposalProps } from "./pages/client_edit.tsx";
import { describeSnippets } from "./describe_snippets.ts";
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
  const proposed = proposeChange(client, proposal);
  const { client_id: _, ...current } = client.metadata;
  const members = { ...current, ...proposed?.members };
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
        proposed: proposed && {
          ...{ member: proposed.member, sent: proposed.sent, registered: proposed.registered },
          nearest: proposed.nearest,
          lines: markAdded(metadata, JSON.stringify(current, null, 2)),
          snippets: findLines(context, client, proposed),
          query: proposal,
        },
        memberExamples: memberExamples(context.server),
        form: form!,
      }),
  );
}

/** What the link of a rejected request proposes to change. */
interface ProposedChange extends Pick<ProposalProps, "member" | "sent" | "registered" | "nearest"> {
  readonly members: Partial<ClientMetadata>;
}

/** The change that the link of a rejected request proposes; `undefined` without one, or if the client has it. */
function proposeChange(client: HostedClient, proposal: URLSearchParams): ProposedChange | undefined {
  const { metadata, grantTypes } = client;
  for (const [member, rule] of [["redirect_uris", "RU-01"], ["post_logout_redirect_uris", "LO-03"]] as const) {
    const { [member]: registered = [] } = metadata;
    const sent = proposal.get(member);
    if (sent === null || registered.includes(sent)) continue;
    const nearest = suggestUri({ rule, expected: registered.join(" or "), received: sent })?.text;
    return { member, sent, registered, nearest, members: { [member]: [...registered, sent] } };
  }
  const ownScope = registeredScopeOf(client);
  const scope = proposal.get("scope")?.split(" ") ?? [];
  const added = scope.filter((value) => !client.allowsScope(value) && !ownScope.includes(value));
  if (added.length > 0) {
    const members = { scope: [...ownScope, ...added].join(" ") };
    return { member: "scope", sent: added.join(" "), registered: [ownScope.join(" ")], members };
  }
  const grantType = proposal.get("grant_types");
  if (grantType !== null && !grantTypes.includes(grantType)) {
    const members = { grant_types: [...grantTypes, grantType] };
    return { member: "grant_types", sent: grantType, registered: grantTypes, members };
  }
  // The link is for a request with the same secret, sent by the other method.
  const method = secretMethods.find((other) => other === proposal.get("token_endpoint_auth_method"));
  if (method === undefined || method === metadata.token_endpoint_auth_method) return undefined;
  const members = { token_endpoint_auth_method: method };
  return { member: "token_endpoint_auth_method", sent: method, registered: client.authMethods, members };
}

/** The lines of a text, and which of them another text does not have. A comma at the end does not count. */
function markAdded(text: string, other: string): ProposalProps["lines"] {
  const plain = (line: string) => line.replace(/,$/, "");
  const known = new Set(other.split("\n").map(plain));
  return text.split("\n").map((line) => ({ text: line, isAdded: !known.has(plain(line)) }));
}

/** Of the settings for each library, the lines to correct; none where the settings do not have the value. */
function findLines(
  context: Context<HostedServer>,
  client: HostedClient,
  { member, registered, nearest = registered[0] }: ProposedChange,
): ProposalProps["snippets"] {
  if (nearest === undefined || member !== "redirect_uris" && member !== "scope") return [];
  const redirectUri = member === "redirect_uris" ? nearest : undefined;
  return describeSnippets(context, client, { redirectUri }).snippets.flatMap((snippet) => {
    const lines = snippet.text?.split("\n").filter((line) =>
      redirectUri === undefined ? /scope/i.test(line) : line.includes(redirectUri)
    ) ?? [];
    return lines.length === 0 ? [] : [{
      ...snippet,
      text: lines.map((line) =>
        line.trim()
      ).join("\n"),
      notes: [],
    }];
  });
}

const secretMethods = ["client_secret_basic", "client_secret_post"] as const;

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
