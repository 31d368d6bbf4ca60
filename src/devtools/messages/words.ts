/** Groups of words that many signs have (see `find_signs.ts`). */

/** That a value is not the one that was expected. */
export const wrong =
  "invalid|mismatch|mismatching|unexpected|wrong|incorrect|bad|unacceptable|not_match|not_equal|not_valid|no_match|" +
  "unmatched|inconsistent|not_expected|not_allow|not_accept|rejected|fail|failure|expected|untrusted|unrecognized|" +
  "unknown|not_configured|not_same|not_include|not_trusted|differ|check_failed|not_correspond|illegal|disallow|not_agree";

/** That a value is missing. */
export const absent =
  "missing|absent|no|not_exist|not_find|none|empty|without|not_found|not_present|require|lack|undefined|null|blank|not_provide|" +
  "not_contain|not_have|must_have|not_set|not_specified|not_include|lost|not_receive|omitted|not_supplied|unable";

/** That a value has another type. */
export const typed = "unmarshal|deserialize|convert|cast|must|expect|expected|instead|but|type|not|invalid|parse " +
  "string|array|list|number|boolean|bool|integer|int|int64|float|sequence";

/** That a step fails. */
export const fails =
  "fail|failure|error|unable|not|could_not|cannot|invalid|unexpected|timeout|refuse|exception|404|500|502|503|" +
  "unreachable|denied|rejected";

/** That nobody knows a name. */
export const unknown =
  "unknown|not_found|not_exist|unregistered|not_registered|no_such|not_know|unrecognized|not_recognized|" +
  "disabled|not_identified|deleted|not_defined|no_client|invalid";

/** What `tells` a text about a claim that the token does not have, before what tells others. */
export const withoutClaim = `missing (?:the |required )?(?:claim )?["']?(?:aud|exp|iss)\\b > ` +
  "The token has no such claim. Every access token of this server has it, so a test minted the token without it, or it comes from another server: paste it at /tokens. ; ";
