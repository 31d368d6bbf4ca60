/** The client libraries that `latchkey init` writes settings for. */

import { libraries as snippetTexts } from "../../admin/client_snippets/mod.ts";
import type { ClientAuthMethod } from "../../oauth/clients/client.ts";

/** The requirements of a library for its client. */
interface Library {
  /** The name of the library in the settings for client libraries. */
  readonly title: string;
  /** The redirect URI of an application that follows the guide of the library. */
  readonly redirectUri: string;
  /** How a confidential client authenticates. Default: `client_secret_basic`. */
  readonly authMethod?: ClientAuthMethod;
  /** Whether an application keeps a secret unless the user decides otherwise. Default: true. */
  readonly isConfidential?: boolean;
}

/** By the name that the command takes. */
export const libraries: Readonly<Record<string, Library>> = Object.fromEntries(
  snippetTexts.map(({ name, library: title, redirectUri, isPublic, methods = [] }) => [name, {
    ...{ title, redirectUri, isConfidential: !isPublic },
    authMethod: methods.find((method) => method.startsWith("client_secret_")),
  }]),
);

/** Their names, in the order of the help. */
export const libraryNames = Object.keys(libraries);
