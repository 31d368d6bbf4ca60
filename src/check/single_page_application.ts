/** A driver of a single-page application in a browser: its pages show who is logged in. */

import { browserApplication } from "./browser_application.ts";
import type { ClientDriver } from "./driver.ts";
import type { ScriptedPage } from "../platform/runtime/chromium.ts";
import { userReader, type UserTexts } from "./user_texts.ts";
import { timers } from "../core/http/timers.ts";

/** Options of {@link singlePageApplication}. */
export interface SinglePageOptions extends UserTexts {
  /** Opens a page in a browser context of its own, without cookies. */
  openPage(): Promise<ScriptedPage>;
}

/** A login has ended when the page stays as it is for this time, in milliseconds; and how often the check looks. */
const [quietMs, stepMs] = [1500, 100] as const;

/** The URL and the text of the page. */
const state = "location.href + '\\n' + (document.body?.innerText ?? '')";

/** Clicks the first button or link that logs in. @returns Whether there is one. */
const clickLogin = `(() => {
  const all = [...document.querySelectorAll("button, a, [role=button], input[type=submit]")];
  const found = all.find((element) => /^\\s*(?:log|sign)[ -]?in\\b/i.test(element.innerText || element.value || ""));
  found?.click();
  return found !== undefined;
})()`;

/** Drives a single-page application: opens its URL, and clicks "Log in" or "Sign in" if the page waits for that. */
export function singlePageApplication(
  loginUrl: string,
  { openPage, ...texts }: SinglePageOptions,
): ClientDriver {
  const readTexts = userReader(texts);
  const read = async (page: ScriptedPage) => String(await page.evaluate(state) ?? "");
  const userIn = (text: string) => readTexts(text).sub;
  /** Whether the page waited for a click at the first login. */
  let waits = false;
  return browserApplication({
    name: new URL(loginUrl).origin,
    openPage,
    async logIn(page) {
      await page.navigate(loginUrl);
      let hasClicked = false;
      /** The page at a click that may have come before its scripts. */
      let tried: string | undefined;
      let last = "";
      for (let quiet = 0; quiet < quietMs; quiet += stepMs) {
        await new Promise((resolve) => timers.setTimeout(resolve, stepMs));
        const text = await read(page);
        if (userIn(text) !== undefined) {
          waits ||= hasClicked;
          return;
        }
        if (text !== last) {
          quiet = 0;
          hasClicked ||= tried !== undefined;
        }
        last = text;
        const isEarly = waits && !hasClicked && tried === undefined &&
          await page.evaluate("document.readyState") === "complete";
        if (isEarly && await page.evaluate(clickLogin) === true) tried = text;
        if (quiet + stepMs < quietMs || hasClicked) continue;
        hasClicked = true;
        if (await page.evaluate(clickLogin) === true) quiet = 0;
      }
      throw new Error(`the page shows no user: ${last.slice(0, 300)}`);
    },
    readUser: async (page) => userIn(await read(page)),
  });
}
