/** What the files of exported flows contain: HAR with the facts of this server, and test fixtures. */

import { anyValue, choice, type Field, list, record, text, texts, whole } from "../../oauth/config/field.ts";
import { findRule } from "../../oauth/rules/mod.ts";

/** An object; members that end with `?` may be absent, and others are rejected. */
function members(described: Readonly<Record<string, Field>>, expected = "an object"): Field {
  const entries = Object.entries(described);
  return {
    type: "object",
    expected,
    examples: [{}],
    members: Object.fromEntries(entries.map(([name, field]) => [name.replace("?", ""), field])),
    required: entries.flatMap(([name]) => name.endsWith("?") ? [] : name),
  };
}

/** A list of any items. */
function listOf(items: Field, expected: string): Field {
  return { type: "array", expected, examples: [[]], items };
}

const outcome = choice(["done", "pending", "interaction", "challenged", "missing", "rejected", "dropped"]);
const status = whole(200, { min: 100, max: 999, expected: "an HTTP status" });

const rejectionRule = text(["TK-15"], {
  expected: "the ID of a rule of this server",
  accepts: (id) => findRule(id) !== undefined,
});

const passedRule = text(["PK-09"], {
  expected: "the ID of a check of this server",
  accepts: (id) => findRule(id)?.passes !== undefined,
});

const warningRule = text(["PK-11"], {
  expected: "the ID of a rule of this server that has a fix",
  accepts: (id) => findRule(id)?.fix !== undefined,
});

const anyText = text(["text"]);

/** Headers by lower-case name. */
const headersByName = record(anyText, { "content-type": "application/json" }, "an object of headers");

/** Parameters by name. The reader replaces a text by a list of one. */
const valuesByName: Field = record(
  list(anyText, [["value"]], { expected: "a string or an array of strings" }),
  { scope: ["openid"] },
  "an object of parameters",
);

/** A test fixture, see `recorder/export/fixture.ts`. */
export const fixtureFile = members({
  "client?": anyText,
  outcome,
  exchanges: {
    ...listOf(
      members({
        endpoint: anyText,
        outcome,
        "client?": anyText,
        "auth?": anyText,
        request: members({
          method: anyText,
          path: anyText,
          "headers?": headersByName,
          "query?": valuesByName,
          "form?": valuesByName,
          "body?": anyText,
        }),
        "response?": members({
          status,
          "headers?": headersByName,
          "authorizationResponse?": members({ uri: anyText, params: valuesByName }),
          "body?": anyValue,
        }),
        passed: texts(["PK-09"], { expected: "an array of IDs", items: passedRule }),
        "rejection?": members({
          error: anyText,
          "rule?": rejectionRule,
          reason: anyText,
          "expected?": anyText,
          "received?": anyText,
          "earlier?": anyText,
          "fix?": anyText,
        }),
        warnings: texts(["PK-11"], { expected: "an array of IDs", items: warningRule }),
        faults: texts(["slow"]),
      }),
      "an array of exchanges, at least one",
    ),
    min: 1,
  },
}, "an exported flow: an object of a test fixture or a HAR");

const explanation = members({
  "rule?": rejectionRule,
  reason: anyText,
  "expected?": anyText,
  "received?": anyText,
  "isComputed?": { type: "boolean", expected: "true or false", examples: [true] },
  "earlier?": anyText,
  "fix?": anyText,
  // Not read: it leads to a form that changes the clients of this server.
  "change?": anyValue,
});

const pairs = listOf(members({ name: anyText, value: anyText }), "an array of names and values");

const instant = text(["2026-01-31T12:00:00.000Z"], {
  expected: "a time in UTC",
  pattern: /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/,
  accepts: (time) => !Number.isNaN(Date.parse(time)),
});

const duration: Field = whole(12, { min: 0, max: 1e12, expected: "a number of milliseconds" });

/** Members that HAR requires, and that this server does not read. */
const unread = { cookies: anyValue, headersSize: anyValue, bodySize: anyValue, httpVersion: anyValue };

const harEntry = members({
  "pageref?": anyText,
  startedDateTime: instant,
  time: duration,
  request: members({
    ...unread,
    method: anyText,
    url: text(["https://as.example/oauth2/token"], { expected: "an absolute URL", pattern: /^https?:\/\/[^/?#]/i }),
    headers: pairs,
    queryString: pairs,
    "postData?": members({ mimeType: anyText, "params?": pairs, "text?": anyText }),
  }),
  response: members({
    ...unread,
    // 0: there was no response.
    status: whole(200, { min: 0, max: 999, expected: "an HTTP status" }),
    statusText: anyValue,
    headers: pairs,
    content: members({ size: anyValue, mimeType: anyText, "text?": anyText }),
    redirectURL: anyValue,
  }),
  cache: anyValue,
  timings: anyValue,
  _latchkey: members({
    "newestAtResponse?": anyValue,
    endpoint: anyText,
    "origin?": text(["https://api.example"], {
      expected: "an origin",
      accepts: (origin) => /^https?:\/\//.test(origin) && URL.canParse(origin) && new URL(origin).origin === origin,
    }),
    title: anyText,
    "doneLabel?": anyText,
    caller: choice(["browser", "client", "resource client", "any"]),
    outcome,
    "client?": anyText,
    "auth?": anyText,
    passed: listOf(members({ rule: passedRule, "value?": anyText }), "an array of checks"),
    "rejection?": members({ error: anyText, explanation }),
    warnings: listOf(explanation, "an array of explanations"),
    faults: texts(["slow"]),
    "experimentOf?": whole(1, { min: 1, expected: "a number" }),
    flow: anyText,
    "authorizationResponse?": members({
      uri: anyText,
      params: listOf(
        { ...list(anyText, [["state", "xyz"]]), min: 2, expected: "an array of a name and a value" },
        "an array of pairs",
      ),
    }),
  }, "an object: only a HAR that this page exported has it"),
});

/** A HAR of this server, see `recorder/export/har.ts`. */
export const harFile = members({
  log: members({
    version: choice(["1.2"]),
    creator: anyValue,
    pages: anyValue,
    entries: { ...listOf(harEntry, "an array of entries, at least one"), min: 1 },
  }),
});
