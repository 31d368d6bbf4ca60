/** Attempts at what extensions add to metadata (MD-09). Each extension has its attempts beside its other tests. */

import type { TestServer } from "../../kit.ts";
import { cibaAttempts } from "./ciba/metadata.ts";
import { encryptionAttempts } from "./encrypted_responses/metadata.ts";

/** Tries what a member of metadata promises. */
export type MetadataAttempt = (
  b: TestServer,
  metadata: Readonly<Record<string, unknown>>,
  value: never,
) => unknown;

/** What to do about a member of metadata that no test tries. */
export const untested =
  "Declare each untested member: in tests/server/extensions/metadata_attempts.ts if an extension adds it.";

/** Attempts by the name of the member. */
export type MetadataAttempts = Readonly<Record<string, MetadataAttempt>>;

/** A grant type that an extension adds to every server on a test host, and an attempt at it. */
export interface ExtensionGrantType {
  /** The value of `grant_type`. */
  readonly type: string;
  /** Uses it. @returns The status, and the error of a rejection. */
  attempt(b: TestServer, metadata: Readonly<Record<string, unknown>>): Promise<string>;
}

/** What one extension adds to a server with default settings on a test host. */
export interface ExtensionAttempts {
  /** Attempts at its members of metadata. Default: none. */
  readonly metadata?: MetadataAttempts;
  /** Its grant types, in the order of metadata. Default: none. */
  readonly grantTypes?: readonly ExtensionGrantType[];
  /** Its endpoints in metadata, by the member, and the status of a GET request. Default: none. */
  readonly endpoints?: Readonly<Record<string, number>>;
  /** The endpoints that accept no request without credentials, by name, and why. Default: none. */
  readonly closedEndpoints?: Readonly<Record<string, string>>;
}

/** The extensions that declare their attempts, in the order of `server/hosting/extensions.ts`. */
const all: readonly ExtensionAttempts[] = [cibaAttempts, encryptionAttempts];

/** The attempts at the metadata of all extensions. */
export const extensionAttempts: MetadataAttempts = Object.assign({}, ...all.map(({ metadata }) => metadata));

/** The grant types of all extensions. */
export const extensionGrantTypes: readonly ExtensionGrantType[] = all.flatMap(({ grantTypes = [] }) => grantTypes);

/** The endpoints of all extensions in metadata. */
export const extensionEndpoints: Readonly<Record<string, number>> = Object.assign(
  {},
  ...all.map(({ endpoints }) => endpoints),
);

/** The endpoints of all extensions that accept no request without credentials. */
export const closedExtensionEndpoints: Readonly<Record<string, string>> = Object.assign(
  {},
  ...all.map(({ closedEndpoints }) => closedEndpoints),
);
