/** Attempts at what extensions add to metadata (MD-09). Each extension has its attempts beside its other tests. */

import type { TestServer } from "../flows/harness.ts";
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
export const extensionAttempts: MetadataAttempts = { ...encryptionAttempts };
