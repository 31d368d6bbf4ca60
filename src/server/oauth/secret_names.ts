/** Finds secrets in text by their names: in JSON, headers, forms and URIs, and in values that contain these again. */

/**
 * Labels of the secret parameters of the specifications. They include parameters that no endpoint reads, because a text
 * may come from another server. `RegisteredSecrets.label` adds those that endpoints and grant types declare.
 */
const labelByName: Readonly<Record<string, string>> = {
  code: "code",
  access_token: "access_token",
  refresh_token: "refresh_token",
  id_token: "id_token",
  id_token_hint: "id_token",
  token: "token",
  code_verifier: "code_verifier",
  client_secret: "client_secret",
  client_assertion: "client_assertion",
  assertion: "assertion",
  device_code: "device_code",
  auth_req_id: "auth_req_id",
  subject_token: "subject_token",
  actor_token: "actor_token",
  password: "password",
  authorization: "credentials",
};

/** Words that mark a name as secret: `secret`, `client[secret]`, `db_pass`, `apiKey`, `session_token`, `auth_code`. */
const secretWord = /(?:^|_)secrets?(?:_|$)/;
const passwordWord =
  /(?:^|_)(?:pass|passwd|password|passwort|passphrase|passcode|pwd|credentials?|(?:api|private)_?key)(?:_|$)/;
const tokenWord = /(?:^|_)token$|^auth(?:orization)?_code$/;

/** The label of a secret by its name alone, such as `code`; `undefined` if the name is not secret. */
export function secretLabel(name: string): string | undefined {
  if (Object.hasOwn(labelByName, name)) return labelByName[name];
  // Accepts misspellings: clientSecret, Client-Secret, client[secret], " client_secret".
  const normalized = decodeName(name.slice(0, 200)).replace(/(?<=[a-z])(?=[A-Z])/g, "_")
    .split(/[^A-Za-z0-9]+/).filter(Boolean).join("_").toLowerCase();
  if (Object.hasOwn(labelByName, normalized)) return labelByName[normalized];
  if (secretWord.test(normalized)) return "client_secret";
  if (passwordWord.test(normalized)) return "password";
  return tokenWord.test(normalized) ? "token" : undefined;
}

/** Decodes the ASCII escapes of a name that is encoded up to three times, even if other escapes are malformed. */
export function decodeName(name: string): string {
  let decoded = name.replaceAll("+", " ");
  for (let times = 0; times < 3 && decoded.includes("%"); times++) {
    decoded = decoded.replace(/%([2-7][\da-f])/gi, (_, hex) => String.fromCharCode(parseInt(hex, 16)));
  }
  return decoded;
}

/** Escapes that are incomplete or not UTF-8, except escapes of overlong and unassigned characters. */
const malformedEscape =
  /%(?![\da-f]{2})|%(?:c[01]|f[5-9a-f])|%[c-f][\da-f](?!%[89ab])|(?<!%[c-f][\da-f](?:%[89ab][\da-f]){0,2})%[89ab]/i;

/** Form-decodes a text; returns it unchanged if it is malformed. */
export function formDecode(text: string): string {
  // An exception takes longer than all other work, and a text may contain thousands of malformed values.
  if (text.includes("%") && malformedEscape.test(text)) return text;
  try {
    return decodeURIComponent(text.replaceAll("+", " "));
  } catch {
    return text;
  }
}

/** How secrets and all other texts are rewritten. */
export interface Rewriter {
  /** Rewrites a value that is secret by its name or position; `kind` is a word for it, such as `code`. */
  secret(value: string, kind: string): string;
  /** Rewrites text of this server, or a public value. */
  trusted(text: string): string;
  /** Rewrites text of clients, which may contain misplaced secrets. */
  untrusted(text: string): string;
  /** The kind of the values of a name, such as `code`; `undefined` if they are not secret. */
  kind(name: string): string | undefined;
  /** Rewrites the registered client secrets of a text. */
  registered(text: string): string;
  /** Whether the value of a parameter is public although it looks random. */
  isPublic(name: string): boolean;
  /** Encodes a rewritten value for its pair. */
  encode(value: string): string;
}

/** Everything before the last word of a name. */
const beforeLastWord = /^[^]*[?&#;/\s"'{,]/;

type RewriteString = (text: string) => string;

/** A character between a name and its value, or at the start of an escape. Most texts have none. */
const nameSign = /[=:%]/;

/** A colon that is encoded. */
const encodedColon = /%(?:25)*3a/i;

/** JSON, or a part of it: a form parser splits JSON at `&` and `=`. */
const jsonSign = /^\s*\{|["']\s*:|[\w\]]\s*:\s*["']/;

/**
 * Text that is probably a JSON object or array. Other text is not parsed: a failed attempt takes longer than all other
 * work.
 */
const jsonShape = /^\s*[{[]\s*["{[][^]*[}\]]\s*$/;

/** A member with a string or number, of JSON that is cut, or has other quotes, or lost some. */
const looseMember =
  /(["']|(?<![\w.~+%[\]-]))([\w.~%[][\w .~+%[\]-]{0,63})(\1["']?\s{0,20}:\s{0,20})(?:(["'])((?:(?!\4)[^\\]|\\[^]?)*)(?:\4|$)|(-?\d[\w.+-]*))/g;

/** The beginning of a member with an object or array, of such JSON. */
const looseParent = /(["']|(?<![\w.~+%[\]-]))([\w.~%[][\w .~+%[\]-]{0,63})\1["']?\s{0,20}:\s{0,20}(?=[{[])/g;

/** The value of a name as in a header: `client_secret: …`. A URI has no space after the colon. */
const headerValue =
  /(?<=(?<![^\s,;{?&#/])([\w.~%+[\]-]{1,64}):\s{1,20}(?:(?:basic|bearer|dpop)\s{1,20})?)(?!(?:basic|bearer|dpop)\s)[^\s,;"]+/gi;

/** What may be base64 of a name and a value: printable ASCII, from space to `~`, begins with these digits. */
const base64Word = /(?<![\w+-])[I-Za-f][\w+/-]{7,2000}={0,2}/g;

/** A character between a name and its value, or of JSON. */
const decodedSign = /[=:]/;

/** A character of a random value: text has no control characters. */
const decodedControl = /[^\t\n\r\x20-\x7e\x80-\xff]/;

/** An ID and a secret, but no URL. */
const decodedCredentials = /^[\w.~%+@-]+:(?!\/\/)/;

/** A part between the separators of pairs. */
const partOfPairs = /[^&;?#\s]+/g;

/** Any sign of a pair. */
const pairSign = /=|%(?:25){0,2}3d/i;

/** A pair that is encoded more often than names and values are decoded. */
const deeplyEncodedPair = /%(?:25){3,}3d/i;

/** One `name=value` of a query or form: at the start of a line or string, or after `?`, `&`, `#` or `;`. */
const namedValue = /(^|[?&#;/\s"'])([\w.~%+[\]-]{1,200})(=)()([^&#;\s]+)/g;

/** The same percent-encoded, up to three times: `%3d`, `%253d`, `%25253d`. Other escapes are part of the name. */
const encodedNamedValue =
  /(^|[?&#;/\s]|%(?:25){0,2}(?:3f|26|23|3b|2f|20|0a|0d))((?:[\w.~+[\]-]|%(?:25){0,2}(?!25|3d|3f|26|23|3b|2f|20|0a|0d)[\da-f]{2}){1,200}?)(%((?:25){0,2})3d)((?:(?!%\4(?:26|0a|0d))[^&#;\s])+)/gi;

/** User and password of a URI. The password of a URI that was decoded may contain spaces. */
const userInfo = /(:\/\/)([^\s"'<>/?#]*|[^\s"'<>/?#:]*:(?!\d+\s)[^"'<>/?#\r\n]*)@/g;

/** Maximum nesting of pairs and JSON in values, such as a query in a URI in a parameter; deeper text is a secret. */
const maxNesting = 4;

/** Rewrites text of unknown format: JSON, a part of it, or text that may contain pairs. `depth` is its nesting. */
export function rewriteText(text: string, rewriter: Rewriter, rewrite = rewriter.untrusted, depth = 0): string {
  if (!nameSign.test(text)) return rewriteWords(text, rewriter, rewrite);
  if (depth > maxNesting && jsonSign.test(text)) return rewriter.secret(text, "value");
  return jsonShape.test(text)
    ? rewriteJson(text, rewriter, (inner) => rewriteText(inner, rewriter, rewrite, depth + 1), rewrite, depth)
    : rewriteOther(text, rewriter, rewrite, depth);
}

/** Rewrites text that is not JSON, is nested too deeply, or was split at `&` and `=` of a form. */
function rewriteOther(text: string, rewriter: Rewriter, rewrite: RewriteString, depth: number): string {
  if (jsonSign.test(text)) return rewriteEscaped(rewriteLooseMembers(text, rewriter, rewrite, depth), rewriter, depth);
  return encodedColon.test(text) && !pairSign.test(text)
    ? rewriteEncoded(text, rewriter, rewrite, depth)
    : rewritePairs(text, rewriter, rewrite, depth);
}

/** Rewrites a part of JSON that is in a string of JSON, and that a form parser cut out: its quotes are escaped. */
function rewriteEscaped(text: string, rewriter: Rewriter, depth: number): string {
  const unescaped = depth > maxNesting ? text : text.replace(/\\(["\\])/g, "$1");
  const rewritten = unescaped === text ? text : rewriteOther(unescaped, rewriter, (rest) => rest, depth + 1);
  return rewritten === unescaped ? text : rewritten;
}

/** Rewrites text that may be percent-encoded as a whole. */
function rewriteEncoded(text: string, rewriter: Rewriter, rewrite: RewriteString, depth: number): string {
  const decoded = formDecode(text);
  if (decoded === text || depth > maxNesting) return rewritePairs(text, rewriter, rewrite, depth);
  const rewritten = rewriteText(decoded, rewriter, rewrite, depth + 1);
  return rewritten === decoded
    ? rewritePairs(text, rewriter, rewrite, depth)
    : rewriter.encode(rewritten).replaceAll("%2F", "/");
}

/** Rewrites the value of a parameter. `depth` is its nesting. */
export function rewriteValue(
  name: string,
  value: string,
  rewriter: Rewriter,
  rewrite = rewriter.untrusted,
  depth = 0,
): string {
  if (value === "") return value;
  // A form parser takes the text before a pair for a part of its name.
  const start = beforeLastWord.exec(name)?.[0].length ?? 0;
  const kind = rewriter.kind(name) ?? (start > 0 ? rewriter.kind(name.slice(start)) : undefined);
  if (kind !== undefined) return rewriter.secret(value, kind);
  return rewriteText(value, rewriter, rewriter.isPublic(name) ? rewriter.trusted : rewrite, depth);
}

/** Rewrites JSON; `rewriteString` rewrites its strings. Of other text, it rewrites what looks like members. */
export function rewriteJson(
  text: string,
  rewriter: Rewriter,
  rewriteString: RewriteString,
  rewriteRest: RewriteString = rewriter.untrusted,
  depth = 0,
): string {
  const rewrite = (value: unknown, name = ""): unknown => {
    const kind = rewriter.kind(name);
    if (typeof value === "string") {
      return kind === undefined || value === "" ? rewriteString(value) : rewriter.secret(value, kind);
    }
    if (typeof value === "number" && kind !== undefined) return rewriter.secret(String(value), kind);
    if (Array.isArray(value)) return value.map((item) => rewrite(item, name));
    if (typeof value !== "object" || value === null) return value;
    return Object.fromEntries(
      Object.entries(value).map(([member, memberValue]) => [
        rewritePairs(member, rewriter, rewriter.trusted),
        rewrite(memberValue, kind === undefined ? member : name),
      ]),
    );
  };
  try {
    const parsed = JSON.parse(text);
    const rewritten = JSON.stringify(rewrite(parsed));
    return rewritten !== text && rewritten === JSON.stringify(parsed) && isEqualJson(rewritten, text)
      ? text
      : rewritten;
  } catch {
    return rewriteOther(text, rewriter, rewriteRest, depth);
  }
}

/** Rewrites what looks like members of JSON. */
function rewriteLooseMembers(text: string, rewriter: Rewriter, rewriteRest: RewriteString, depth: number): string {
  for (const { 0: begin, 2: name = "", index } of text.matchAll(looseParent)) {
    const kind = rewriter.kind(name);
    if (kind === undefined) continue;
    // Its end is unknown.
    const end = index + begin.length;
    return rewriteLooseMembers(text.slice(0, end), rewriter, rewriteRest, depth) +
      rewriter.secret(text.slice(end), kind);
  }
  const members = text.replace(looseMember, (whole, before, name, between, quote = "", string, number) => {
    const kind = rewriter.kind(name);
    if (string === "" || kind === undefined && string === undefined) return whole;
    if (kind !== undefined) return before + name + between + quote + rewriter.secret(string ?? number, kind) + quote;
    const value = string.replace(/\\(.)/g, "$1");
    const rewritten = rewriteText(value, rewriter, rewriteRest, depth + 1);
    return rewritten === value ? whole : before + name + between + JSON.stringify(rewritten);
  });
  return rewritePairs(members, rewriter, rewriteRest, depth);
}

/**
 * Whether two JSON texts differ only in white space. A text with a repeated member differs, because the parser keeps
 * only the last one.
 */
function isEqualJson(first: string, second: string): boolean {
  return first.replace(/\s+/g, "") === second.replace(/\s+/g, "");
}

/** Rewrites text that contains names and values: a URI, an unparsed form, or lines. `depth` is its nesting. */
function rewritePairs(text: string, rewriter: Rewriter, rewrite = rewriter.untrusted, depth = 0): string {
  if (deeplyEncodedPair.test(text) || depth > maxNesting && pairSign.test(text)) return rewriter.secret(text, "value");
  const decoded = !pairSign.test(text) ? text : text.replace(partOfPairs, (part) => {
    return encodedColon.test(part) && !pairSign.test(part)
      ? rewriteEncoded(part, rewriter, (rest) => rest, depth)
      : part;
  });
  const withoutHeaders = rewrite === rewriter.trusted ? decoded : decoded.replace(headerValue, (value, name) => {
    const kind = rewriter.kind(name);
    return kind === undefined ? value : rewriter.secret(value, kind);
  });
  const rewritten = !pairSign.test(withoutHeaders) ? withoutHeaders : replaceNamedValues(
    withoutHeaders,
    (name, value) => {
      const replaced = rewriteValue(name, value, rewriter, rewrite, depth + 1);
      return replaced === value ? value : rewriter.encode(replaced);
    },
  );
  return rewriteWords(rewritten, rewriter, rewrite);
}

/** Rewrites text without names: registered secrets, user and password of URIs (RFC 3986 §3.2.1), and the rest. */
export function rewriteWords(text: string, rewriter: Rewriter, rewrite = rewriter.untrusted): string {
  const redacted = rewriter.registered(text).replace(userInfo, (_, slashes, info) => {
    const parts = (info as string).split(":").map((part) => part === "" ? part : rewriter.secret(part, "password"));
    return `${slashes}${parts.join(":")}@`;
  });
  return rewrite(rewrite === rewriter.trusted ? redacted : rewriteBase64(redacted, rewriter));
}

/** Rewrites base64 and base64url of credentials (RFC 7617 §2) and of text that contains a secret. */
function rewriteBase64(text: string, rewriter: Rewriter): string {
  return text.replace(base64Word, (word) => {
    const digits = word.replace(/=+$/, "").replaceAll("-", "+").replaceAll("_", "/");
    // An exception takes longer than all other work.
    const decoded = digits.length % 4 === 1 ? "" : atob(digits);
    const isText = decodedSign.test(decoded) && !decodedControl.test(decoded);
    const isPublic = !isText || !decodedCredentials.test(decoded) &&
        rewriteText(decoded, { ...rewriter, secret: () => "…" }, (rest) => rest, maxNesting) === decoded;
    return isPublic ? word : rewriter.secret(word, "value");
  });
}

/** `replace` returns the new value, or the same value to keep the pair. Names and values are decoded. */
function replaceNamedValues(text: string, replace: (name: string, value: string) => string): string {
  const rewrite = (whole: string, before: string, name: string, equals: string, escapes: string, raw: string) => {
    let value = formDecode(raw);
    // The value of a pair that is percent-encoded is encoded as often, and once more for the pair.
    for (let times = equals === "=" ? 0 : 1 + escapes.length / 2; times > 0; times--) value = formDecode(value);
    const replacement = replace(decodeName(name), value);
    return replacement === value ? whole : `${before}${name}${equals}${replacement}`;
  };
  return text.replace(namedValue, rewrite).replace(encodedNamedValue, rewrite);
}

/**
 * Removes secrets that are found by their names, and registered secrets. All other text is redacted as a whole,
 * afterwards.
 */
export function removingRewriter(kind: Rewriter["kind"], registered: Rewriter["registered"]): Rewriter {
  return {
    ...{ kind, registered },
    secret: () => "…",
    trusted: (text) => text,
    untrusted: (text) => text,
    isPublic: () => false,
    encode: (value) => encodeURIComponent(value.toWellFormed()).replaceAll("%E2%80%A6", "…"),
  };
}

/** Redacts the value of a setting: the values of secret names, and user and password of a URI. */
export function redactSetting(value: string): string {
  const text = rewritePairs(value, removingRewriter(secretLabel, (text) => text));
  // A password that is not percent-encoded may contain any character, also spaces.
  const colon = text.indexOf(":");
  const at = text.lastIndexOf("@");
  if (colon < 0 || at < colon) return text;
  const start = colon + (text.startsWith("//", colon + 1) ? 3 : 1);
  return `${text.slice(0, start)}…${text.slice(at)}`;
}
