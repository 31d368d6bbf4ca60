/** A driver of an application in a real browser, such as Chromium with Playwright. */

import type { ClientDriver } from "./driver.ts";

/** Options of {@link browserApplication}. A `Page` is one of Playwright, or of another library. */
export interface BrowserApplicationOptions<Page extends { close(): Promise<void> }> {
  /** The name in the report. */
  readonly name: string;
  /** Opens a page in a browser context of its own, without cookies: `() => browser.newPage()` with Playwright. */
  openPage(): Promise<Page>;
  /**
   * Starts a login, and waits until the application shows how it ended, whether or not the user is logged in.
   *
   * @throws If the application shows an error.
   */
  logIn(page: Page): Promise<void>;
  /** Reads who is logged in; `undefined` if no one is. */
  readUser(page: Page): Promise<string | undefined>;
}

/**
 * Drives an application in a real browser, with its scripts: a single-page application, or one with a consent banner.
 * The server must listen, and the application must be configured with its issuer ({@link CheckOptions.as}).
 *
 * @example
 * ```ts ignore
 * await as.listen({ port: 9000 });
 * const application = browserApplication({
 *   name: "shop",
 *   openPage: () => browser.newPage(),
 *   async logIn(page) {
 *     await page.goto("http://localhost:3000");
 *     await page.getByRole("button", { name: "Log in" }).click();
 *     await page.locator("#user, #error").waitFor();
 *   },
 *   readUser: async (page) => await page.locator("#user").textContent({ timeout: 1 }).catch(() => undefined),
 * });
 * const report = await checkClient(application, { as });
 * ```
 */
export function browserApplication<Page extends { close(): Promise<void> }>(
  options: BrowserApplicationOptions<Page>,
): ClientDriver {
  const { name, openPage, logIn, readUser } = options;
  return {
    name,
    opensBrowser: true,
    async logIn({ signal }) {
      const page = await openPage();
      const close = () => void page.close().catch(() => {});
      // Every wait for the page then rejects.
      signal.addEventListener("abort", close, { once: true });
      try {
        signal.throwIfAborted();
        await logIn(page);
        const sub = await readUser(page);
        if (sub === undefined) throw new Error("the application shows no logged-in user");
        return { sub };
      } finally {
        signal.removeEventListener("abort", close);
        await page.close();
      }
    },
  };
}
