/** URLs in messages. */

import { StoreError } from "../../core/store/store.ts";

/**
 * The URL of a server without user and password.
 *
 * @throws {StoreError} If it is not a URL. The error of the driver would contain the password.
 */
export function displayUrl(url: string, location: string, example: string): string {
  if (!URL.canParse(url)) {
    throw new StoreError({
      location,
      expected: `a URL like ${example}`,
      received: "text that is not a URL (hidden)",
      hint: "percent-encode all characters of user and password except letters and digits, and put @host after them",
    });
  }
  const { protocol, host, pathname } = new URL(url);
  return `${protocol}//${host}${pathname}`;
}
