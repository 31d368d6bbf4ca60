/** What scope values allow, in the words of whoever is asked (OpenID Connect Core §5.4, §11). */

const labels: ReadonlyMap<string, string> = new Map([
  ["openid", "Know that it is you"],
  ["profile", "See your profile: your name, and what else you tell about yourself"],
  ["email", "See your e-mail address"],
  ["address", "See your postal address"],
  ["phone", "See your telephone number"],
  ["offline_access", "Go on while you are away, also after you have logged out here"],
  ["read", "Read your data"],
  ["write", "Change your data"],
]);

/**
 * One phrase after "It may". For a scope value without a description it shows the name and the released claims.
 *
 * @param claims The claims that it releases.
 */
export function scopeLabel(value: string, claims: readonly string[]): string {
  return labels.get(value) ?? (claims.length > 0 ? `See ${claims.join(", ")}` : `Do what ${value} stands for`);
}
