/** Former ids of attacks and faults, by the attack that includes them now. They keep working where somebody wrote them. */

const parts: Readonly<Record<string, readonly string[]>> = {
  "device/slow-down": ["device/pending"],
  "error/userinfo-401": ["token/expires-in-lie"],
  "id-token/alg-none": ["idToken.unsigned"],
  "id-token/alg-other": ["id-token/key-unfit"],
  "id-token/at-hash-wrong": ["idToken.wrongAtHash"],
  "id-token/aud-wrong": ["idToken.wrongAudience"],
  "id-token/iss-wrong": ["idToken.wrongIssuer"],
  "id-token/nbf-future": ["idToken.notYetValid"],
  "id-token/nonce-wrong": ["id-token/replayed", "idToken.wrongNonce"],
  "id-token/signed-by-stranger": ["device/id-token-forged", "idToken.wrongSignature"],
  "jarm/signature": ["jarm/claims"],
  "keys/down": ["keys/lost-by-failure"],
  "keys/extra": ["keys.extra"],
  "keys/rotated": ["keys.rotated"],
  "logout/back-channel-other": ["logout/back-channel-other-issuer"],
  "logout/fails": ["error/revocation"],
  "logout/tokens-used": ["logout/back-channel-tokens"],
  "metadata/issuer-other": ["metadata/rejected-kept", "metadata.wrongIssuer"],
  "par/rejected": ["par/response-shape", "par/expired-at-once"],
  "refresh/id-token-other": ["refresh/id-token-forged"],
  "refresh/rejected": ["refresh/dead-token-kept"],
  "refresh/token-omitted": ["tokens.withoutRefreshToken"],
  "refresh/token-rotated": ["refresh/id-token-absent"],
  "registration/rejected": ["cimd/rejected"],
  "resource/introspection-meaning": ["resource/introspection-audience"],
  "resource/metadata-of-another": ["resource/metadata-url-foreign", "resource.wrongResource"],
  "resource/token-outlived": ["resource/token-early"],
  "response/iss-missing": ["authorizationResponse.missingIss"],
  "response/iss-wrong": ["response/iss-known", "authorizationResponse.wrongIss"],
  "response/mix-up": ["response/request-forgery", "response/other-callback", "metadata/endpoint-of-another"],
  "response/state-of-another-browser": ["session/login-url-fixed"],
  "response/state-wrong": ["authorizationResponse.wrongState"],
  "session/cookie-forged": ["session/cookie-changed"],
  "session/markup": ["id-token/claims-odd"],
  "session/return-target": ["session/target-in-cookie", "response/initiated-login"],
  "session/two-users": ["session/logins-shared", "session/refreshes-shared"],
  "token/access-token-odd": ["token/access-token-opaque"],
  "token/members": ["token/members-unknown"],
  "token/type-case": ["tokens.tokenType"],
  "transport/huge": ["body.padded"],
  "transport/hang": ["transport/drip"],
  "transport/redirect": ["metadata/redirected"],
  "transport/unavailable": ["transport/status-complete"],
};

/** The former ids that lead to an attack. */
export const formerIds = (id: string): readonly string[] => parts[id] ?? [];

/** The id of the attack that has a former one; of any other name, the name itself. */
export const currentId = (name: string): string => Object.keys(parts).find((id) => parts[id]!.includes(name)) ?? name;
