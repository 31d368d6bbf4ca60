/** The names that Google's responses have for scope values. */

const longNames: Readonly<Record<string, string>> = {
  email: "https://www.googleapis.com/auth/userinfo.email",
  profile: "https://www.googleapis.com/auth/userinfo.profile",
};

/** Scope values as responses name them: https://developers.google.com/identity/openid-connect/openid-connect */
export function longScope(scope: readonly string[]): string {
  return [...new Set(scope.map((value) => Object.hasOwn(longNames, value) ? longNames[value]! : value))].join(" ");
}
