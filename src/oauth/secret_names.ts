/** Names of parameters, members and settings that contain secrets, for logs, pages and messages. */

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

/** Any sign of a pair. */
const pairPattern = /=|%(?:25){0,2}3d/i;

/** A pair that is encoded more often than names and values are decoded. */
export const deeplyEncodedPair = /%(?:25){3,}3d/i;

/** One `name=value` of a query or form: at the start of a line, or after `?`, `&`, `#` or `;`. */
const namedValue = /(^|[?&#;/\s])([\w.~%+[\]-]{1,200})(=)()([^&#;\s]+)/g;

/** The same percent-encoded, up to three times: `%3d`, `%253d`, `%25253d`. Other escapes are part of the name. */
const encodedNamedValue =
  /(^|[?&#;/\s]|%(?:25){0,2}(?:3f|26|23|3b|2f|20|0a|0d))((?:[\w.~+[\]-]|%(?:25){0,2}(?!25|3d|3f|26|23|3b|2f|20|0a|0d)[\da-f]{2}){1,200}?)(%((?:25){0,2})3d)((?:(?!%\4(?:26|0a|0d))[^&#;\s])+)/gi;

/**
 * Replaces the values of `name=value` pairs anywhere in a text.
 *
 * @param replace Returns the new value, or the same value to keep the pair. Names and values are decoded.
 */
export function replaceNamedValues(text: string, replace: (name: string, value: string) => string): string {
  if (!pairPattern.test(text)) return text;
  const rewrite = (whole: string, before: string, name: string, equals: string, _: string, raw: string) => {
    const value = formDecode(raw);
    const replacement = replace(decodeName(name), value);
    return replacement === value ? whole : `${before}${name}${equals}${replacement}`;
  };
  return text.replace(namedValue, rewrite).replace(encodedNamedValue, rewrite);
}

/** Maximum depth of pairs in values of pairs. */
const maxNesting = 4;

/** Redacts the values of secret names in all pairs of a text, and in values that contain pairs again. */
export function redactNamedValues(
  text: string,
  label: (name: string) => string | undefined = secretLabel,
  depth = 0,
): string {
  if (deeplyEncodedPair.test(text) || depth > maxNesting && pairPattern.test(text)) return "…";
  return replaceNamedValues(text, (name, value) => {
    if (label(name) !== undefined) return "…";
    const redacted = redactNamedValues(value, label, depth + 1);
    return redacted === value ? value : encodeURIComponent(redacted.toWellFormed()).replaceAll("%E2%80%A6", "…");
  });
}

/** Decodes the ASCII escapes of a name that is encoded up to three times, even if other escapes are malformed. */
export function decodeName(name: string): string {
  let decoded = name.replaceAll("+", " ");
  for (let times = 0; times < 3 && decoded.includes("%"); times++) {
    decoded = decoded.replace(/%([2-7][\da-f])/gi, (_, hex) => String.fromCharCode(parseInt(hex, 16)));
  }
  return decoded;
}

/** Escapes that are incomplete, or no UTF-8: all but those of overlong and unassigned characters. */
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

/** Replaces user and password of the URIs in a text (RFC 3986 §3.2.1). */
export function replaceUserInfo(text: string, replace: (part: string) => string): string {
  return text.replace(/(:\/\/)([^\s"'<>/?#]*)@/g, (_, slashes, info) => {
    const parts = (info as string).split(":").map((part) => part === "" ? part : replace(part));
    return `${slashes}${parts.join(":")}@`;
  });
}

/** Redacts one value: the values of secret parameters, and user and password of a URI. */
export function redactSecrets(value: string): string {
  // A password that is not percent-encoded may contain any character, also spaces.
  return redactNamedValues(value).replace(/:(\/\/)?.*@/s, ":$1…@");
}
