/** Scope values in words for users (OpenID Connect Core §5.4, §11). */

const labels: ReadonlyMap<string, string> = new Map([
  ["openid", "Know who you are"],
  ["profile", "See your profile: name, picture and other details"],
  ["email", "See your e-mail address"],
  ["address", "See your postal address"],
  ["phone", "See your telephone number"],
  ["offline_access", "Keep access while you are away, even after you log out"],
  ["read", "Read your data"],
  ["write", "Change your data"],
]);

/**
 * A phrase that follows "The client may". A scope value without a description is shown with its name and its claims.
 *
 * @param claims The claims that it releases.
 */
export function scopeLabel(value: string, claims: readonly string[]): string {
  return labels.get(value) ?? (claims.length > 0 ? `See ${claims.join(", ")}` : `Use the scope ${value}`);
}
