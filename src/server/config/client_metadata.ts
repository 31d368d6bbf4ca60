/** The metadata of a client at the whole server. */

import {
  type AuthMethods,
  authMethodsOf as authMethodsOfCore,
  type ClientMetadata as CoreMetadata,
} from "../../core/clients/client.ts";
import type { Client } from "../../core/clients/clients.ts";
import type { SigningAlgorithm } from "../../core/keys/signing_algorithm.ts";
import type { RuleExplanation } from "../../core/rules/errors.ts";
import type { ExtensionClientMembers } from "./extension_members.gen.ts";
import type { ProfileName } from "./strictness.ts";

/** @internal A name of an extension of the program. Editors suggest the names that are listed beside it. */
export type OtherName = string & Record<never, never>;

/** The methods of client authentication, in the order of `token_endpoint_auth_methods_supported`. */
export const clientAuthMethodNames = [
  ...["client_secret_basic", "client_secret_post", "client_secret_jwt", "private_key_jwt"] as const,
  ...["tls_client_auth", "self_signed_tls_client_auth", "none"] as const,
] as const;

/** @internal How a client authenticates at the token endpoint (RFC 7591 §2, `token_endpoint_auth_method`). */
export type ClientAuthMethod = typeof clientAuthMethodNames[number] | OtherName;

/** A response type (OAuth 2.0 Multiple Response Types §3, §5): `code` of every server, the others of an extension. */
export type ResponseType = "code" | "id_token" | "code id_token" | OtherName;

/** The names of all response types, their words in alphabetical order. */
export const responseTypeNames: readonly ResponseType[] = ["code", "id_token", "code id_token"];

/**
 * How a response is sent. `query`: in the query of the redirect URI; `fragment`: in its fragment, which scripts of the
 * page there read; `form_post`: in a form that submits itself there. The modes with `jwt` are signed, by an extension.
 */
export type ResponseMode =
  | "query"
  | "fragment"
  | "form_post"
  | "jwt"
  | "query.jwt"
  | "fragment.jwt"
  | "form_post.jwt"
  | OtherName;

/** The names of all response modes. A server has those of `ownResponseModes` and of its extensions. */
export const responseModeNames: readonly ResponseMode[] = [
  ...["query", "fragment", "form_post", "jwt", "query.jwt", "fragment.jwt", "form_post.jwt"] as const,
];

/**
 * A client with the names of RFC 7591 §2. With a `client_secret` or keys it is confidential, otherwise public.
 *
 * @example
 * ```ts
 * const spa: ClientMetadata = { client_id: "spa", redirect_uris: ["http://localhost:5173/callback"] };
 * const web: ClientMetadata = {
 *   client_id: "web",
 *   client_secret: "correct-horse-battery-staple",
 *   redirect_uris: ["https://web.example/cb"],
 * };
 * ```
 */
export interface ClientMetadata extends CoreMetadata, ExtensionClientMembers {
  /**
   * The only accepted method. Default: `client_secret_basic` for a client with a secret, which then may also send it in
   * the body; `private_key_jwt` for a client with keys; otherwise `none`.
   */
  readonly token_endpoint_auth_method?: ClientAuthMethod;
  /** The client's public keys, for `private_key_jwt` and signed authorization requests (RFC 7517 §5). */
  readonly jwks?: { readonly keys: readonly Readonly<Record<string, unknown>>[] };
  /**
   * The https URL of these keys; fetched when a JWT of the client needs them, and again when none suits it.
   */
  readonly jwks_uri?: string;
  /** The only response modes that the client may request. Default: all of the server. */
  readonly response_modes?: readonly ResponseMode[];
  /**
   * A profile for the requests of this client only. Only an operator sets it. It makes settings stricter, never weaker.
   * Default: the profile of the server.
   */
  readonly profile?: ProfileName;
  /** The URIs that the browser may be redirected to after logout. Compared character by character. */
  readonly post_logout_redirect_uris?: readonly string[];
  /**
   * Whether ID tokens must have `auth_time` (OpenID Connect Registration §2); all ID tokens have it. Default: false.
   */
  readonly require_auth_time?: boolean;
  /** The home page of the client, for users; not fetched. */
  readonly client_uri?: string;
  /**
   * The logo of the client, for users: login and consent show it for a client that the operator has configured or
   * approved. Not fetched by the server.
   */
  readonly logo_uri?: string;
  /** The privacy policy of the client, for users: login and consent link to it; not fetched. */
  readonly policy_uri?: string;
  /** The terms of service of the client, for users: login and consent link to them; not fetched. */
  readonly tos_uri?: string;
  /**
   * The https URL at which others start a login of the client (OpenID Connect Core §4); the page of the client links to
   * it.
   */
  readonly initiate_login_uri?: string;
  /** E-mail addresses or names of those responsible for the client. */
  readonly contacts?: readonly string[];
  /** The resources that the client serves: it may introspect the access tokens for them. */
  readonly serves?: readonly string[];
  /** `pairwise`: users have another `sub` for each sector (OpenID Connect Core §8). Default: `public`. */
  readonly subject_type?: "public" | "pairwise";
  /** Signs the userinfo responses for this client. Default: plain JSON. */
  readonly userinfo_signed_response_alg?: SigningAlgorithm;
  /** `opaque`: resources introspect the access tokens of this client. Default: `jwt`. */
  readonly access_token_format?: "jwt" | "opaque";
}

/** A client as it is registered and stored: its metadata, and members that no client can set itself. */
export interface ClientEntry extends ClientMetadata {
  /** The digest of its secret, if the server no longer has the secret. */
  readonly client_secret_digest?: string;
  /** Present if the client registered itself. */
  readonly registration?: ClientRegistration;
}

/** @internal The metadata document of a client: its `client_id` is the URL of the document. */
export interface ClientDocument {
  /** When it was fetched, by the server's clock in milliseconds. */
  readonly fetchedAt: number;
  /** When it expires and must be fetched again, in milliseconds. */
  readonly validUntil: number;
  /** A digest of the redirect URIs, the method and the keys: a consent given under another digest does not count. */
  readonly identity: string;
  /** The warnings: values that a client should not use, or that this server does not support. */
  readonly warnings: readonly RuleExplanation[];
}

/** @internal The facts about a client that registered itself, besides its metadata. */
export interface ClientRegistration {
  /** When it registered, in seconds since the epoch: `client_id_issued_at`. */
  readonly issuedAt: number;
  /** The digest of its registration access token. */
  readonly tokenDigest: string;
  readonly usedInitialAccessToken: boolean;
  /** The verified software statement, unmodified. */
  readonly softwareStatement?: string;
  /**
   * A random value. Each change of the redirect URIs, the method or the keys replaces it, so that earlier consents do
   * not count. Absent before the first such change.
   */
  readonly identity?: string;
}

/** A client, with what only the whole server reads. */
export interface HostedClient extends Client {
  /** The registered metadata, without the secret. */
  readonly metadata: ClientMetadata;
  /**
   * Distinguishes clients of the same id that were added one after the other; absent for a configured client that was
   * never removed, and for one with a metadata document.
   */
  readonly generation?: string;
  /** The secret itself while its digest is computed: logs redact it from the start. */
  readonly pendingSecret?: string;
  /** The scope values that it may request on its own behalf, if no user can grant some of them. Default: `scope`. */
  readonly ownScope?: readonly string[];
  /** The type of its subjects (OpenID Connect Core §8). Default: `public`. */
  readonly subjectType?: NonNullable<ClientMetadata["subject_type"]>;
  /** The secret itself, only if it is the key of client assertions. */
  readonly assertionSecret?: string;
  /** The members of its metadata that its software statement contains; absent if it registered without one. */
  readonly approvedMembers?: readonly string[];
  /** Present if the client registered itself (RFC 7591). */
  readonly registration?: ClientRegistration;
  /** Whether the client is not registered, and accepted because the setting `clients` is `"any"`. */
  readonly isUnregistered?: true;
  /**
   * Why the client may not use a redirect URI that it has not registered; `undefined` if it may. Absent: it may use only
   * registered ones.
   */
  redirectUriIssue?(
    redirectUri: string,
    server: { isOwnEndpoint?(uri: string): boolean },
  ): { readonly expected: string; readonly hint: string } | undefined;
  /** Its metadata document; absent if the client is registered. */
  readonly document?: ClientDocument;
}

/** The methods that a client may use, the default one first; one with keys and without a secret signs assertions. */
export function authMethodsOf(metadata: ClientMetadata): AuthMethods {
  const { token_endpoint_auth_method: method, client_secret, jwks, jwks_uri } = metadata;
  const hasOnlyKeys = (method ?? client_secret) === undefined && (jwks ?? jwks_uri) !== undefined;
  return hasOnlyKeys ? ["private_key_jwt"] : authMethodsOfCore(metadata);
}

/** The metadata of a client, with the members that the core does not read. */
export function metadataOf({ metadata }: Pick<Client, "metadata">): ClientMetadata {
  return metadata;
}

/** Whether a client must authenticate, by a secret or a key that the server verifies. */
export function mustAuthenticate({ confidential, isUnregistered }: HostedClient): boolean {
  return confidential && isUnregistered !== true;
}

/** What a client is registered for: with and without a user. */
export function registeredScopeOf({ scope, ownScope = scope }: HostedClient): readonly string[] {
  return ownScope;
}

/** Whether a response of this type has a code. Default: `code`. */
export function hasCode(type: ResponseType | undefined): boolean {
  return type === undefined || type.split(" ").includes("code");
}
