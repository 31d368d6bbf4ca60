/** @jsxImportSource preact */
/** The metadata of a client, in the list of clients and on its page. */

import type { VNode } from "preact";
import type { Client } from "../../../core/clients/clients.ts";
import { Hint } from "../../../server/pages/parameters.tsx";
import { Code, CodeItem, CodeList, DefinitionItem } from "../../../server/pages/value.tsx";

/** A client, as pages show it. */
export interface ListedClient extends Pick<Client, "id" | "name" | "redirectUris" | "grantTypes" | "scope"> {
  /** The path of its page. */
  readonly href: string;
  /** All accepted client authentication methods: `none`, `client_secret_basic`, … */
  readonly authMethods: readonly string[];
  readonly postLogoutRedirectUris: readonly string[];
  /** The URIs by which it learns that a session has ended. */
  readonly logoutUris?: readonly string[];
  /** The other members of its metadata, as `name: value`. */
  readonly otherMembers?: readonly string[];
  /** Its own profile, if it has one. */
  readonly profile?: string;
  /** The types of authorization details that it may request. */
  readonly detailsTypes?: readonly string[];
  /** When it registered itself, by the server's clock in seconds; absent for other clients. */
  readonly registeredItselfAt?: number;
  /** Its metadata document, by the server's clock in milliseconds; absent if the client is registered. */
  readonly document?: { readonly fetchedAt: number; readonly validUntil: number };
}

/** Client authentication methods in words. */
const authMethodLabels: Readonly<Record<string, string>> = {
  none: "public: no secret, relies on PKCE",
  client_secret_basic: "confidential: secret in the header",
  client_secret_post: "confidential: secret in the body",
  client_secret_jwt: "confidential: assertion signed with its secret",
  "client_secret_basic client_secret_post": "confidential: no method registered, so the server accepts both",
  private_key_jwt: "confidential: assertion signed with its private key",
  tls_client_auth: "confidential: certificate of an authority",
  self_signed_tls_client_auth: "confidential: certificate of its own, registered in jwks",
};

/** What requests of a client are matched with; belongs inside `<dl class="facts">`. */
export function ClientIdentity({ client, isTitled = false }: {
  readonly client: ListedClient;
  /** Whether the title above is the client ID. Default: false. */
  readonly isTitled?: boolean;
}): VNode {
  const { id, authMethods, redirectUris, grantTypes } = client;
  return (
    <>
      {!isTitled && <CodeItem label="Client ID" text={id} />}
      <DefinitionItem label="Authentication">
        <span>
          <CodeList texts={authMethods} between=" or " />
        </span>
        {Object.hasOwn(authMethodLabels, authMethods.join(" ")) && (
          <Hint text={authMethodLabels[authMethods.join(" ")]} />
        )}
      </DefinitionItem>
      <MultiValueItem label="Redirect URI" texts={redirectUris} />
      {grantTypes.length > 0 && <CodeItem label="Grant types" text={grantTypes.join(" ")} />}
    </>
  );
}

export function ClientDetails({ client }: { readonly client: ListedClient }): VNode {
  const { postLogoutRedirectUris, scope, document } = client;
  const { registeredItselfAt, logoutUris = [], detailsTypes = [], otherMembers = [], profile } = client;
  return (
    <dl class="facts">
      <ClientIdentity client={client} />
      {profile !== undefined && <CodeItem label="Profile" text={profile} />}
      <MultiValueItem label="Post-logout redirect URI" texts={postLogoutRedirectUris} />
      <MultiValueItem label="Logout URI" texts={logoutUris} />
      {scope.length > 0 && <CodeItem label="Scope" text={scope.join(" ")} />}
      <MultiValueItem label="Authorization details" texts={detailsTypes} />
      <MultiValueItem label="Other members" texts={otherMembers} />
      {registeredItselfAt !== undefined && (
        <DefinitionItem label="Registered itself">
          at {new Date(registeredItselfAt * 1000).toISOString()}
        </DefinitionItem>
      )}
      {document !== undefined && (
        <DefinitionItem label="Metadata document">
          fetched at {new Date(document.fetchedAt).toISOString()}, valid until{" "}
          {new Date(document.validUntil).toISOString()}
        </DefinitionItem>
      )}
    </dl>
  );
}

function MultiValueItem({ label, texts }: { readonly label: string; readonly texts: readonly string[] }): VNode | null {
  if (texts.length === 0) return null;
  return (
    <DefinitionItem label={label}>
      {texts.map((text) => (
        <div key={text}>
          <Code text={text} />
        </div>
      ))}
    </DefinitionItem>
  );
}
