/**
 * Recognizes a problem by its words, whatever library wrote them: in a sentence, in the name of an exception
 * (`ExpiredSignatureError`), in a code (`ERR_JWT_EXPIRED`). The time is linear in the length of the text.
 *
 * A sign is a line of groups: each needs one of its words (`a|b`) among a few words of the same clause, in any order.
 * `a_b` are neighbours. `!a|b` may not be in the clause. A `?` before the first group: the text must also be about
 * OAuth or OpenID Connect. `2>`: the second cause of the problem stands first. `-`: the words only say what failed, so
 * each sign that says why counts more.
 */

/** A sign in a text. */
export interface FoundSign<Owner> {
  readonly owner: Owner;
  /** The number of groups: a sign with more says more; 0 if it does not say why. */
  readonly weight: number;
  /** The cause that stands first, counted from 1, if a sign tells it. */
  readonly cause?: number;
  readonly start: number;
  readonly end: number;
  /** Where the last of its words begins. */
  readonly last: number;
}

interface Sign<Owner> {
  readonly owner: Owner;
  readonly isWeak: boolean;
  readonly weight: number;
  /** Whether it has words of a fault of the program itself. */
  readonly namesFault: boolean;
  readonly cause?: number;
  /** Words, or neighbours, of which one must be there. */
  readonly groups: readonly (readonly (readonly string[])[])[];
  readonly excluded: readonly (readonly string[])[];
}

interface Clause {
  readonly words: readonly string[];
  /** Where each word begins. */
  readonly places: readonly number[];
  readonly start: number;
  readonly end: number;
}

/** How far the words of a sign may stand from each other. */
const maxDistance = 9;
/** Longer clauses are cut, so that each costs the same. */
const maxClauseWords = 60;

/** A text of so few words is about OAuth although it does not say so. */
const maxWordsAlone = 3;

const ignored = new Set(
  "a an the of is are was were be been being has had does do did this that these to for with in on by and or it its your you from could should would will as t s"
    .split(" "),
);

/** Words by which a text is about OAuth or OpenID Connect, and others that it often has. */
const protocol =
  "oauth|oidc|openid|open_id|jwt|jws|jwk|jwks|jose|id_token|access_token|refresh_token|bearer|client_secret|" +
  "keycloak|cognito|auth0|okta|entra|msal|azuread|nextauth|omniauth|socialite|identity_model|pkce|redirect_uri|userinfo|" +
  "oauthlib|jsonwebtoken|ueberauth|goth|oidcc|appauth|token_endpoint|authorization_server|well_known";
const context =
  `${protocol}|sso|idp|authorization|authentication|authenticate|auth|login|log_in|sign_in|signin|issuer|` +
  "client_id|identity_provider|claim|security_token|user_pool|user_not_found|user_not_confirmed|dex|decode_token|verify_token|validate_token";
/** Words of the field: without one of them, the words of a problem are about something else. */
const field =
  `${context}|token|cookie|cookies|securecookie|redirect|callback|csrf|xsrf|cors|cross_origin|same_site|client|clientid|` +
  "scope|audience|aud|azp|kid|kty|x5t|acr|amr|mfa|auth_time|max_age|at_hash|c_hash|s_hash|sub|nonce|consent|grant|" +
  "authorize|assertion|discovery|introspection|response_type|types_supported|logout|account|email_address|" +
  "missing_attribute|state_mismatch|state_not_match|matching_state|session_storage|signing_key|key_set|verify_signature|" +
  "signature_verification|rs256|jwe|pem|dpop|mtls|certificate|subtle|cleartext|" +
  "url_scheme|registered_handler|csp|content_security|mixed_content|popup|iframe|frame|sse|header|buffer|attempt|mcp|" +
  "200_401|401_200|200_403|403_200|expected_401|expected_403|status_401|status_403";
/** Other services, whose network and access errors are theirs. */
const otherServices =
  "postgres|postgresql|psql|psycopg|mysql|mariadb|redis|mongo|mongodb|smtp|imap|kafka|rabbitmq|amqp|" +
  "elasticsearch|memcached|sql_server|aws|buckets|caller_identity|tmux|ssh|git|docker|npm|pip|apt|amazon_s3|ldap|5432|3306|6379|27017|5672|9092";

/** Whether a text is about another service, such as a database. */
export function isOtherService(text: string): boolean {
  const clauses = clausesOf(text);
  return mentions(clauses, otherServices) && !mentions(clauses, protocol);
}

/** Codes of Microsoft's libraries and server. */
const vendorCode = /\b(?:IDX|AADSTS)\d{5}/;

/** What a fault of a program says, whatever its names are: "Cannot read properties of undefined (reading 'state')". */
const programFault =
  "undefined_reading|null_reading|not_function|not_iterable|null_pointer|undefined_method|none_type|unexpected_token|" +
  "attribute_error|find_module|no_module|module_not_found|nil_class|segmentation_fault|not_assignable|undefined_variable|undefined_index|undefined_local";

/** Compiles the signs of all owners to one function, which finds the best sign of each owner in a text. */
export function compileSigns<Owner>(
  table: readonly (readonly [owner: Owner, signs: readonly string[]])[],
  anywhere: (owner: Owner) => boolean,
): (text: string, isAbout: boolean) => readonly FoundSign<Owner>[] {
  const signs = table.flatMap(([owner, lines]) => lines.map((line) => parseSign(owner, line)));
  const byWord = new Map<string, (readonly [sign: Sign<Owner>, group: number, phrase: readonly string[]])[]>();
  for (const sign of signs) {
    for (const [index, group] of sign.groups.entries()) {
      for (const phrase of group) {
        const last = phrase.at(-1)!;
        byWord.set(last, [...byWord.get(last) ?? [], [sign, index, phrase]]);
      }
    }
  }
  return (text, isAboutOAuth) => {
    const clauses = clausesOf(text);
    // A few words alone are what somebody asks about.
    const isAlone = clauses.length === 1 &&
      clauses[0]!.words.filter((word) => word !== "error").length <= maxWordsAlone;
    let isAbout = isAboutOAuth || isAlone ? true : undefined;
    if (isOtherService(text)) return [];
    const isField = isAbout || vendorCode.test(text) || mentions(clauses, field);
    const best = new Map<Owner, FoundSign<Owner>>();
    for (const { words, places: begins, start, end } of clauses) {
      const isFault = hasAny(words, faultPhrases);
      const places = new Map<Sign<Owner>, number[][]>();
      for (const [at, word] of words.entries()) {
        for (const [sign, group, phrase] of byWord.get(word) ?? []) {
          if (!endsAt(words, at, phrase)) continue;
          if (!places.has(sign)) places.set(sign, sign.groups.map(() => []));
          places.get(sign)![group]!.push(at);
        }
      }
      for (const [{ owner, isWeak, namesFault, weight, excluded, cause }, found] of places) {
        const last = lastOf(found);
        if (last === undefined || hasAny(words, excluded) || isFault && !namesFault) continue;
        if (isWeak && !(isAbout ??= vendorCode.test(text) || mentions(clauses, context))) continue;
        if (!isField && !anywhere(owner)) continue;
        const other = best.get(owner);
        if (other === undefined || other.weight < weight) {
          best.set(owner, { owner, weight, cause: cause ?? other?.cause, start, end, last: begins[last]! });
        } else if (other.cause === undefined) best.set(owner, { ...other, cause });
      }
    }
    return [...best.values()];
  };
}

function parseSign<Owner>(owner: Owner, line: string): Sign<Owner> {
  const [, cause, vague, weak, rest = ""] = /^(?:(\d)>)?(-)?(\?)?(.*)$/.exec(line)!;
  const [groups, excluded] = [false, true].map((isExcluded) =>
    rest.split(" ").filter((group) => group.startsWith("!") === isExcluded)
  ) as [string[], string[]];
  const words = groups.map(parseGroup);
  return {
    ...{ owner, isWeak: weak !== undefined, cause: cause === undefined ? undefined : Number(cause), groups: words },
    weight: vague === undefined ? words.length : 0,
    namesFault: words.some((group) => faultPhrases.some((fault) => group.some((one) => one.join() === fault.join()))),
    excluded: excluded.flatMap((group) => parseGroup(group.slice(1))),
  };
}

/** The words of a group, each as its parts. */
const parseGroup = (group: string): readonly (readonly string[])[] =>
  group.split("|").map((phrase) => phrase.replace(/^(log|sign)_(?=in|up|out)/, "$1").split("_").map(stem));

const faultPhrases = parseGroup(programFault);

const mentions = (clauses: readonly Clause[], group: string) => {
  const phrases = parseGroup(group);
  return clauses.some(({ words }) => hasAny(words, phrases));
};

const endsAt = (words: readonly string[], at: number, phrase: readonly string[]) =>
  phrase.every((part, index) => words[at - phrase.length + 1 + index] === part);

const hasAny = (words: readonly string[], phrases: readonly (readonly string[])[]) =>
  phrases.some((phrase) => words.some((_, at) => endsAt(words, at, phrase)));

/** The last of the places, one for each group, that are near the place of the first; `undefined` if one has none. */
function lastOf([first = [], ...others]: readonly (readonly number[])[]): number | undefined {
  return first.flatMap((at) => {
    const near = others.map((places) =>
      places.findLast((place) => place !== at && Math.abs(place - at) <= maxDistance)
    );
    return near.includes(undefined) ? [] : [Math.max(at, ...near as number[])];
  }).at(-1);
}

/** The words of a text by clauses: lines and sentences. */
function clausesOf(text: string): readonly Clause[] {
  const clauses: Clause[] = [];
  let words: string[] = [];
  let places: number[] = [];
  let start = 0;
  const close = (end: number) => {
    if (words.length > 0) clauses.push({ words, places, start, end });
    [words, places, start] = [[], [], end];
  };
  for (
    const { 0: part, index } of text.matchAll(
      /(?:sign|log)(?:g?ed|g?ing)?[ -](?:in|up|out)(?!\p{L})|[\p{L}\p{N}]+|n['’]t(?!\p{L})|\n|(?<!\.)[.;!?](?=\s)/giu,
    )
  ) {
    if (/^[\n.;!?]/.test(part)) close(index);
    else {
      const own = wordsOf(part);
      words.push(...own);
      places.push(...own.map(() => index));
      if (words.length >= maxClauseWords) close(index + part.length);
    }
  }
  close(text.length);
  return clauses;
}

/** The stems of an identifier's words: `JWTExpired` is `jwt expir`. */
function wordsOf(identifier: string): readonly string[] {
  const written = identifier.replace(/(?:g?ed|g?ing)?[ -]/, "").replace(
    /oauth|openid|jwks|dpop/gi,
    (name) => name.toLowerCase(),
  )
    .replace(/(?<![A-Za-z])([A-Z]{2,9})s$/, "$1");
  const parts = written.match(/[A-Z]{1,40}(?=[A-Z][a-z])|[A-Z]?[\p{Ll}\d]+|\p{L}[A-Z\d]*|\p{N}+/gu) ?? [];
  return parts.flatMap((part) => {
    const word = part.toLowerCase();
    if (word === "cannot") return ["not"];
    return ignored.has(word) ? [] : [stem(word)];
  });
}

/** A word without its ending; of a negated verb, `not`. */
function stem(word: string): string {
  if (/^(?:do|does|did|is|was|were|are|could|ca|wo|has|have|had)n$/.test(word)) return "not";
  if (/^types?$/.test(word)) return "type"; // not the header typ
  if (word === "https" || word === "cors") return word;
  if (/^.{2,}ie[sd]$/.test(word)) return `${word.slice(0, -3)}y`;
  const [, stemmed = word] = /^(.{3,}?)(?:ing|ed|es|s|e)$/.exec(word) ?? [];
  return /ss$/.test(word) ? word : stemmed;
}
