/** Hostile texts: markup, line breaks, foreign URLs, names of prototypes, excessive length. */

import fc from "fast-check";

/** Stands in every text with markup, so that it is found wherever it comes back as it was sent. */
export const marker = "q7zq7z";

const markup = [
  `<${marker}>`,
  `"${marker}="'><${marker} on${marker}=1>`,
  `'><${marker}>`,
  `</title><${marker}>`,
  `</textarea></script><${marker}>`,
  `&lt;${marker}&quot;"${marker}`,
  `{{<${marker}>}}`,
];

const lineEnds = [
  "\r\nSet-Cookie: q7zq7z=1",
  "\r\n\r\n<q7zq7z>",
  "%0d%0aLocation:%20https://evil.example",
  "\n",
  "\0",
  "good\0",
  "\u2028",
  "\u0085",
  "\x7F",
  "\t",
];

const addresses = [
  ...["https://evil.example/", "//evil.example", "/\\evil.example", "\\\\evil.example", "javascript:alert(1)"],
  ...["https://spa.example/cb@evil.example", "https://spa.example.evil.example/cb", "https://spa.example/cb/../x"],
  ...["https://spa.example/cb?x=1", "https://spa.example/cb#x", "https://spa.example/CB", "http://127.0.0.1:1/cb"],
  ...[
    "http://[::1]:8080/cb",
    "https://as.test/authorized",
    "data:text/html,<q7zq7z>",
    "com.example.app:/cb",
    "urn:x:y",
  ],
  ...["https://docs.example/client.json", "https://docs.example/a/../client.json", "https://docs.example/<q7zq7z>"],
  ...["https://docs.example", "https://q7zq7z@docs.example/c", "https://docs.example/client.json#x"],
  ...["http://127.0.0.1:99999/cb", "http://127.0.0.1:80:80/cb", "https://[::1", "http://a:b@c/", "http://%00/"],
];

const names = [
  ...["__proto__", "constructor", "prototype", "toString", "hasOwnProperty", "a[b]", "code[]", "then", "length"],
  ...["null", "undefined", "true", "NaN", "[object Object]", "alice", "bob", "new", "first", "remove", "all", "."],
  ...["..", "../..", "%2e%2e", "%", "%zz", "%ff", "%c0%af", "%00", "*", "+", "&", "=", ";", ",", "#", "?"],
];

const numbers = ["0", "-1", "-0", "1e999", "9007199254740993", "1.5", "0x10", "٣", "99999999999999999999", "1970"];

const values = [
  ...["code", "query", "form_post", "fragment", "S256", "plain", "none", "login", "consent", "select_account"],
  ...["openid", "openid profile email read write offline_access", "read read", "authorization_code"],
  ...["refresh_token", "client_credentials", "password", "urn:ietf:params:oauth:grant-type:jwt-bearer"],
  ...["urn:ietf:params:oauth:client-assertion-type:jwt-bearer", "access_token", "delete", "stop", "record", "exchange"],
  ...["replay", "introspect", "revoke", "userinfo", "edit", "secrets", "har", "spa", "web", "demo-public"],
];

const documents = [
  ...["{}", "[]", "null", '""', "{", '{"__proto__":{"sub":"bob"}}', '{"sub":"bob"}', '{"id_token":{"sub":null}}'],
  ...['{"id_token":{"acr":{"essential":true,"values":["<q7zq7z>"]}},"userinfo":{"email":null}}', '{"userinfo":[1]}'],
  ...['{"name":{"a":[1,2,{"b":"<q7zq7z>"}]}}', '{"name":"<q7zq7z>","email":"\\u0000\\ud800"}', '{"password":"x"}'],
  ...['[{"type":"files","<q7zq7z>":"\\u202e"}]', '[{"type":"payment","creditor":1}]', '[{"type":"files"},{"a":[]}]'],
  ...['{"toString":1,"constructor":null}', '{"address":{"country":1e999}}', '{"exp":"x","iat":-1,"aud":{}}'],
];

const tokens = [
  "eyJhbGciOiJub25lIn0.e30.",
  "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiJhbGljZSJ9.AAAA",
  "eyJhbGciOiJFUzI1NiIsImNyaXQiOlsieCJdLCJ4Ijp0cnVlfQ.e30.AAAA",
  "...",
  "a.b.c",
  "Bearer",
  "Basic Og==",
  "Basic !!!!",
  "Basic d2ViOiVmZg==",
  "Bearer Bearer x",
];

/** The same text many times over, up to `size` characters. */
const long = fc.record({
  text: fc.constantFrom("a", "[", "[", '{"a":', "<", "%20", "é", "a=1&", " ", "/", "..;/", "\u{1F600}"),
  size: fc.constantFrom(64, 257, 1025, 4097, 17_000, 30_000, 70_000),
}).map(({ text, size }) => {
  const whole = text.repeat(Math.ceil(size / text.length));
  // What is deep is only dangerous where it is well-formed.
  if (text === "[") return `{"a":${whole}${"]".repeat(whole.length)}}`;
  return text === '{"a":' ? `${whole}1${"}".repeat(whole.length / 5)}` : whole;
});

/** Any character. The library's own unit of all characters builds a map of a million of them first. */
const character = fc.integer({ min: 0, max: 0x10ffff - 0x800 }).map((place) =>
  String.fromCodePoint(place < 0xd800 ? place : place + 0x800)
);

/** One hostile text, or one that merely stands where it should not. */
export const hostileText: fc.Arbitrary<string> = fc.oneof(
  { weight: 6, arbitrary: fc.constantFrom(...markup) },
  { weight: 4, arbitrary: fc.constantFrom(...addresses) },
  { weight: 4, arbitrary: fc.constantFrom(...values) },
  { weight: 3, arbitrary: fc.constantFrom(...names) },
  { weight: 3, arbitrary: fc.constantFrom(...lineEnds) },
  { weight: 2, arbitrary: fc.constantFrom(...documents) },
  { weight: 2, arbitrary: fc.constantFrom(...tokens) },
  { weight: 1, arbitrary: fc.constantFrom(...numbers, "") },
  { weight: 2, arbitrary: fc.string({ unit: character, maxLength: 12 }) },
  { weight: 1, arbitrary: long },
);
