/** Secrets of a request and of its response, to search for where none may be. */

/** Parameters and members of JSON whose values are secrets. */
const secretNames = new Set([
  ...["code", "code_verifier", "client_secret", "client_assertion", "refresh_token", "access_token", "id_token"],
  ...["assertion", "subject_token", "actor_token"],
  ...["id_token_hint", "token", "password", "form_token", "confirm", "interaction", "login"],
  ...["registration_access_token", "software_statement", "request_uri", "response", "device_code"],
]);

/** The secrets in the text of a JSON object. */
export function* findJsonSecrets(text: string): Generator<string> {
  for (const [, name, value] of text.matchAll(/"(\w+)"\s*:\s*"([^"\\]*)"/g)) {
    if (secretNames.has(name!)) yield* ifLikelySecret(value!);
  }
}

/** Shorter values, and values with other characters, could be words of a log and are ignored. */
const likelySecretPattern = /^[\w.~+/= -]{12,}$/;

/** The values of a form, or of a query. A value of a secret field that another field has too is public. */
export function readFieldValues(text: string): { readonly secrets: string[]; readonly publicValues: string[] } {
  if (text === "") return { secrets: [], publicValues: [] };
  const fields = [...new URLSearchParams(text)];
  const publicValues = fields.flatMap(([name, value]) => secretNames.has(name) ? [] : [value]);
  const secrets = fields.flatMap(([name, value]) =>
    secretNames.has(name) && !publicValues.includes(value) ? [...ifLikelySecret(value)] : []
  );
  return { secrets, publicValues };
}

/** The secrets in the headers of a request. */
export function* findHeaderSecrets(headers: { get(name: string): string | null }): Generator<string> {
  for (const pair of (headers.get("cookie") ?? "").split(";")) {
    yield* ifLikelySecret(pair.slice(pair.indexOf("=") + 1).trim());
  }
  const [scheme = "", credentials = ""] = (headers.get("authorization") ?? "").split(" ");
  yield* ifLikelySecret(credentials);
  if (/^basic$/i.test(scheme)) yield* findBasicSecrets(credentials);
}

function* findBasicSecrets(credentials: string): Generator<string> {
  try {
    const text = atob(credentials);
    const secret = text.slice(text.indexOf(":") + 1);
    yield* ifLikelySecret(secret);
    yield* ifLikelySecret(decodeURIComponent(secret.replaceAll("+", " ")));
  } catch {
    // It is no Basic header, and holds no secret.
  }
}

/** Hidden fields that this server makes; what others hold came from the request. */
const serverFields = new Set(["form_token", "confirm", "interaction", "login"]);

/** Secrets in a response: in its redirect, its cookies, its JSON, and the hidden fields of its pages. */
export function* findResponseSecrets(headers: Headers, body: string): Generator<string> {
  const location = headers.get("location") ?? "";
  yield* readFieldValues(location.slice(location.indexOf("?") + 1)).secrets;
  for (const line of headers.getSetCookie()) yield* ifLikelySecret(line.slice(line.indexOf("=") + 1).split(";", 1)[0]!);
  const type = headers.get("content-type") ?? "";
  if (type.startsWith("application/json")) {
    for (const [, name, value] of body.matchAll(/"(\w+)":"([^"\\]*)"/g)) {
      if (serverFields.has(name!)) yield* ifLikelySecret(value!);
    }
    // Only a registration has this member; the credentials of other responses are found when they are sent.
    if (body.includes('"registration_access_token":')) yield* findJsonSecrets(body);
  } else if (type.startsWith("text/html")) {
    for (const [, name, value] of body.matchAll(/name="(\w+)" value="([^"&]*)"/g)) {
      if (serverFields.has(name!)) yield* ifLikelySecret(value!);
    }
  }
}

/**
 * The names of members of a token response in an authorization response: in a redirect with query or fragment, or in a
 * form that is posted to a client.
 */
export function findTokenMembers(headers: Headers, body: string): string[] {
  const [, ...parts] = (headers.get("location") ?? "").split(/[?#]/);
  const names = parts.flatMap((part) => [...new URLSearchParams(part).keys()]);
  if ((headers.get("content-type") ?? "").startsWith("text/html")) {
    // The forms of this server's own pages have a path as their action.
    for (const [form] of body.matchAll(/<form\b[^>]* action="(?!\/)[^"]*"[^]*?<\/form>/g)) {
      for (const [, name] of form.matchAll(/<input type="hidden" name="(\w+)"/g)) names.push(name!);
    }
  }
  return names.filter((name) => ["access_token", "token_type", "expires_in", "refresh_token"].includes(name));
}

/** Values in a program's output that look like codes, tokens, verifiers or cookies; key names look similar. */
export function findRandomSecrets(text: string): string[] {
  const withoutKids = text.replace(/"kid":"[^"]*"/g, "");
  return withoutKids.match(/(?<![\w$+/-])(?:[\w-]{43}|eyJ[\w-]+\.[\w-]+\.[\w-]+|[\w-]{20,}\.[\w-]{43})(?![\w+/-])/g) ??
    [];
}

function* ifLikelySecret(text: string): Generator<string> {
  const value = text.replace("urn:ietf:params:oauth:request_uri:", "");
  if (likelySecretPattern.test(value)) yield value;
}
