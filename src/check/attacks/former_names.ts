/** Former names of faults, by the attack that includes them now. They keep working where somebody wrote them. */

const parts: Readonly<Record<string, readonly string[]>> = {
  "error/userinfo-401": ["tokens.expiresIn"],
  "id-token/alg-none": ["idToken.unsigned"],
  "id-token/at-hash-wrong": ["idToken.wrongAtHash"],
  "id-token/aud-wrong": ["idToken.wrongAudience"],
  "id-token/exp-past": ["idToken.expired"],
  "id-token/iss-wrong": ["idToken.wrongIssuer"],
  "id-token/nbf-future": ["idToken.notYetValid"],
  "id-token/nonce-wrong": ["idToken.wrongNonce", "idToken.missingNonce"],
  "id-token/signed-by-stranger": ["idToken.wrongSignature", "idToken.unknownKid"],
  "keys/extra": ["keys.extra"],
  "keys/rotated": ["keys.rotated"],
  "metadata/issuer-other": ["metadata.wrongIssuer"],
  "refresh/token-omitted": ["tokens.withoutRefreshToken"],
  "resource/metadata-of-another": ["resource.wrongResource"],
  "response/iss-missing": ["authorizationResponse.missingIss"],
  "response/iss-wrong": ["authorizationResponse.wrongIss"],
  "response/state-wrong": ["authorizationResponse.wrongState", "authorizationResponse.missingState"],
  "token/members": ["body.padded"],
  "token/type-case": ["tokens.tokenType"],
  "transport/body-wrong": ["body.html", "body.empty", "body.truncated", "body.contentType"],
  "transport/hang": ["drip"],
  "transport/redirect": ["metadata.redirecting"],
  "resource/challenge-missing": ["resource.missingMetadataUrl"],
  "userinfo/sub-other": ["idToken.wrongSubject"],
};

/** The former names that lead to an attack. */
export const formerNames = (id: string): readonly string[] => parts[id] ?? [];
