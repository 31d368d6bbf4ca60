/** The rules whose messages a text has: what the server wrote, where a log or a page left out the ID of the rule. */

import { coreRules, type Rule } from "../../core/rules/mod.ts";
import type { RuleId } from "../../core/rules/rule.ts";
import { extensionRules, rules } from "../../server/rules.ts";
import { serverRules } from "../../server/rules/mod.ts";
import { longestWords, searchedText, textPattern } from "../messages/find_messages.ts";

/**
 * Sentences that a function makes: messages of the rules, and reasons that the log and the pages show instead. `*`
 * stands for a value.
 */
export const madeSentences: Readonly<Record<RuleId, readonly string[]>> = {
  "AZ-02": ["client_id is missing", "client_id is not registered"],
  "AZ-06": ["* was sent more than once"],
  "AZ-09": ["response_type is missing", "response_type is not supported"],
  "AZ-11": ["this client is not registered for *"],
  "AZ-13": ["the request is too large to store during login"],
  "AZ-16": [
    "scope is missing, and this client may not request the default scope",
    "scope is missing, and this server has no default scope",
  ],
  "AZ-17": [
    "scope contains an unknown value",
    "scope contains no value that this client may request",
    "scope contains a value that this client may not request",
  ],
  "AZ-18": ["the scope openid was not granted, so there is no ID token", "no part of the request was granted"],
  "AZ-21": ["this server has no users", "the user does not exist", "the client was removed during the login"],
  "AZ-22": ["the server cannot reach its store, try again later", "the server encountered an unexpected condition"],
  "JR-01": [
    "request and request_uri are mutually exclusive",
    "request is not supported for this client, which has no keys",
  ],
  "PK-01": ["a public client must send a code_challenge"],
  "PK-10": ["code_verifier is missing", "a public client cannot exchange a code without code_challenge"],
  "RU-07": ["redirect_uri is required in an OpenID Connect request"],
  "TK-05": ["grant_type is missing", "grant_type is not supported by this server"],
  "TK-06": ["this client may not use this grant_type", "this client is not registered for this grant_type"],
  "CA-07": [
    "the request identifies no client",
    "the client is unknown",
    "client * is confidential and must authenticate",
    "client * is public and has no secret; this request used *",
    "client * must use *; this request used *",
    "the secret of client * is wrong; this request used *",
  ],
  "CI-02": ["the code has expired"],
  "TK-16": ["the code is unknown or has expired"],
  "RT-07": ["the refresh token is unknown"],
  "CI-05": ["the code belongs to another client"],
  "CI-06": ["authorization code used twice"],
  "OI-03": ["* is required, but prompt=none forbids it", "prompt combines none with another value"],
  "OI-05": ["max_age is not a whole number of seconds", "the login is older than the request allows"],
  "OI-06": ["login_hint names no user"],
  "BR-01": ["the access token was sent in two places", "the access token was sent in the form"],
  "BR-02": ["the access token is unknown, expired, revoked, or for another resource"],
  "LO-03": [
    "post_logout_redirect_uri is not registered for this client",
    "post_logout_redirect_uri was sent without id_token_hint and client_id, so its client is unknown",
  ],
  "PR-08": ["the access token is not one of the authorization server"],
  "UI-14": ["this login is finished, has expired or belongs to another browser"],
  "CB-04": ["the client must wait * seconds between two polls"],
  "DO-01": ["the header DPoP is not one signed JWT", "the DPoP proof has no valid signature"],
  "DO-02": ["htm of the DPoP proof is another method", "htu of the DPoP proof is another URL"],
  "DO-03": ["the DPoP proof is not valid at this time", "the DPoP proof is too old"],
  "DO-06": ["a DPoP proof is required"],
  "DO-07": ["the * is bound to a key, and the request has no DPoP proof"],
  "DO-09": ["ath of the DPoP proof is not the digest of the access token"],
  "PA-05": ["request_uri was not pushed by this client"],
  "PA-07": ["the authorization request must be pushed"],
  "DR-05": ["too many registrations, try again later", "registration requires a valid initial access token"],
  "DR-06": ["the registration access token is invalid"],
  "DR-12": ["registration is off"],
  "HY-02": ["response_type=* needs the scope openid"],
  "HY-03": ["nonce is missing, and response_type=* needs it"],
  "JR-05": ["the authorization request must be signed"],
  "RT-04": ["refresh token used twice"],
};

/** Every message, passed check and fix with its rules, the longest first: a sentence may begin like another one. */
const sentences: readonly (readonly [sentence: string, ids: readonly RuleId[]])[] = [
  ...Map.groupBy(
    [
      ...[coreRules, serverRules, ...Object.values(extensionRules)].flatMap((table) => Object.entries<Rule>(table))
        .flatMap(([id, rule]) => "message" in rule && typeof rule.message === "string" ? [[rule.message, id]] : []),
      ...Object.entries(madeSentences).flatMap(([id, made]) => made.map((sentence) => [sentence, id])),
      ...Object.entries(rules).flatMap(([id, { passes, fix }]) =>
        [passes, fix?.replace(/\.$/, "")].flatMap((sentence) => sentence === undefined ? [] : [[sentence, id]])
      ),
    ] as [string, RuleId][],
    ([sentence]) => sentence,
  ),
].map(([sentence, rows]) => [sentence, [...new Set(rows.map(([, id]) => id))]] as const)
  .sort(([one], [other]) => other.length - one.length);

/** The rules that write the longest sentence in a text; none if it has no such sentence. */
export function rulesOfSentence(text: string): readonly RuleId[] {
  const searched = searchedText(text);
  const lowerCased = searched.toLowerCase();
  const mayHave = (sentence: string) => longestWords(sentence).every((word) => lowerCased.includes(word));
  return sentences.find(([sentence]) => mayHave(sentence) && sentencePattern(sentence).test(searched))?.[1] ?? [];
}

/** A sentence at the start of a line or after punctuation: behind other words it is a part of another sentence. */
function sentencePattern(sentence: string): RegExp {
  const parts = sentence.split("*").map(textPattern);
  return new RegExp(`(?<=^|[^\\w\\s,;] ?)${parts.join("[^\\n]{0,300}?")}(?![\\w]| [\\w"'(])`, "im");
}
