/** Attempts at what extensions add to metadata (MD-09). Each extension has its attempts beside its other tests. */

import type { TestServer } from "../flows/harness.ts";
import { cibaAttempts, cibaGrantType } from "./ciba/metadata.ts";
import { encryptionAttempts } from "./encrypted_responses/metadata.ts";

/** Tries what a member of metadata promises. */
export type MetadataAttempt = (
  b: TestServer,
  metadata: Readonly<Record<string, unknown>>,
  value: never,
) => unknown;

/** Attempts by the name of the member. */
export type MetadataAttempts = Readonly<Record<string, MetadataAttempt>>;

/** The attempts of all extensions. */
export const extensionAttempts: MetadataAttempts = { ...cibaAttempts, ...encryptionAttempts };

/** A grant type that an extension adds to every server on a test host, and an attempt at it. */
export interface ExtensionGrantType {
  /** The value of `grant_type`. */
  readonly type: string;
  /** Uses it. @returns The status, and the error of a rejection. */
  attempt(b: TestServer, metadata: Readonly<Record<string, unknown>>): Promise<string>;
}

/** The grant types, in the order of metadata. */
export const extensionGrantTypes: readonly ExtensionGrantType[] = [cibaGrantType];

/** The endpoints that extensions add to metadata, and the status of a GET request. */
export const extensionEndpoints: Readonly<Record<string, number>> = { backchannel_authentication_endpoint: 405 };
