/** Users whom attacks invent: no user of the server has their claims. */

/** The first of them is described, unless it is the user who logs in. */
export const inventedUsers = [
  { sub: "mallory", given_name: "Mallory", family_name: "Miller" },
  { sub: "trudy", given_name: "Trudy", family_name: "Turner" },
] as const;

/** The `sub` of each of them, unless it is a part of a text of the user who logs in. */
export function inventedSubsBeside(texts: readonly string[]): string[] {
  return inventedUsers.map(({ sub }) => sub as string).filter((sub) => !texts.some((text) => text.includes(sub)));
}
