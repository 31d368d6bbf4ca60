/** Pages of an embedding program that fail, each one that the option `pages` has. */

import { optionsField } from "../../src/server/hosting/options_field.ts";
import type { Pages } from "../../src/server/pages.ts";

/** Pages that throw this error. */
export function failingPages(error: () => Error): Pages {
  const fail = () => {
    throw error();
  };
  return Object.fromEntries(Object.keys(optionsField().members!.pages!.members!).map((name) => [name, fail]));
}
