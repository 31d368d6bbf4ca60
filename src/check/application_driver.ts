/** The driver of a web application that has this server as its issuer, with what its pages may show of the users. */

import { webApplication, type WebApplicationOptions } from "./web_application.ts";
import type { TestLatchkey } from "../testing/test_latchkey.ts";
import type { ClientDriver } from "./driver.ts";

/** The claims that a page may show of a user, the longest first. */
const userTexts = ["email", "name", "preferred_username", "sub"] as const;

/**
 * Creates the driver.
 *
 * @param server Its first user logs in.
 * @param options Those of {@link webApplication}. Default of `loggedInText`: the texts that only the first user has.
 */
export async function applicationDriver(
  { users }: Pick<TestLatchkey, "users">,
  loginUrl: string,
  { loggedInText, ...options }: Omit<WebApplicationOptions, "otherUserTexts">,
): Promise<ClientDriver> {
  const user = await users.first();
  const own = textsOf(user);
  const others = (await users.all()).filter(({ sub }) => sub !== user?.sub).flatMap(textsOf);
  return webApplication(loginUrl, {
    ...options,
    loggedInText: loggedInText ?? own.filter((text) => !isPartOf(text, others)),
    otherUserTexts: others.filter((text) => !isPartOf(text, own)),
  });
}

/** Whether a page that shows one of the texts has this one, too. */
const isPartOf = (text: string, texts: readonly string[]): boolean => texts.some((other) => other.includes(text));

/** What a page may show of a user; a very short text can be part of any page. */
function textsOf(user: object | undefined): string[] {
  const claims: Readonly<Record<string, unknown>> = { ...user };
  return userTexts.map((claim) => String(claims[claim] ?? "")).filter((text) => text.length > 2);
}
