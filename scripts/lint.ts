/** Plugin of `deno lint` that restricts platform globals, the clock and random sources of src/ to a few files. */

import { fileURLToPath } from "node:url";

interface Reserved {
  /** Only files that match are searched for nodes: the search takes three quarters of the time of `deno lint`. */
  readonly text: RegExp;
  /** Selects the nodes (https://docs.deno.com/runtime/reference/lint_plugins). */
  readonly selectors: readonly string[];
  /** Files, and folders ending in a slash, below src/. */
  readonly allowedIn: readonly string[];
  readonly message: string;
}

const reserved: readonly Reserved[] = [
  {
    text: /\b(?:Deno|Bun)\b|\bprocess\b/,
    selectors: [
      "Identifier[name=/^(?:Deno|Bun)$/]",
      'MemberExpression[object.name="process"]',
      'MemberExpression[object.name="globalThis"][property.name="process"]',
    ],
    allowedIn: [
      "platform/runtime/",
      "core/http/timers.ts",
      "core/keys/node_crypto.ts",
      "core/store/sqlite.ts",
      "platform/store/sql/postgres_sockets.ts",
    ],
    message: "The rest of src/ runs unchanged everywhere, workers included.",
  },
  {
    text: /\bDate\b/,
    selectors: [
      'MemberExpression[object.name="Date"][property.name="now"]',
      'NewExpression[callee.name="Date"][arguments.length=0]',
    ],
    allowedIn: [
      "server/hosting/open_app.ts",
      "platform/runtime/",
      "core/http/timers.ts",
      "testing/clock.ts",
      "resource/authorization_server.ts",
    ],
    message: "The rest of src/ receives a clock.",
  },
  {
    text: /\b(?:set(?:Timeout|Interval|Immediate)|performance\.now)\b/,
    selectors: [
      "CallExpression[callee.name=/^set(?:Timeout|Interval|Immediate)$/]",
      'MemberExpression[object.name="performance"][property.name="now"]',
    ],
    allowedIn: ["platform/runtime/", "core/http/timers.ts", "testing/faults/fault_injector.ts", "cli/", "main.ts"],
    message: "The rest of src/ uses core/http/timers.ts, which fake timers of tests do not replace.",
  },
  {
    text: /\b(?:random|getRandomValues|randomUUID)\b/,
    selectors: [
      'MemberExpression[object.name="Math"][property.name="random"]',
      "Identifier[name=/^(?:getRandomValues|randomUUID)$/]",
    ],
    allowedIn: ["platform/runtime/", "core/keys/web_crypto.ts"],
    message: "The rest of src/ receives a random source.",
  },
  {
    text: /\bimport\s*\((?!")/,
    selectors: ['ImportExpression[source.type!="Literal"]'],
    allowedIn: [],
    message: "Write the module name out, so that deno task imports can check it.",
  },
];

const source = fileURLToPath(new URL("../src/", import.meta.url));

/** The plugin `latchkey` with the rule `latchkey/reserved`. */
const plugin: Deno.lint.Plugin = {
  name: "latchkey",
  rules: {
    reserved: {
      create(context) {
        if (!context.filename.startsWith(source)) return {};
        const path = context.filename.slice(source.length).replaceAll("\\", "/");
        const { text } = context.sourceCode;
        const forbidden = reserved.filter((one) =>
          one.text.test(text) && !one.allowedIn.some((place) => path.startsWith(place))
        );
        return Object.fromEntries(
          forbidden.flatMap(({ selectors, allowedIn, message }) =>
            selectors.map((selector) => [
              selector,
              (node: Deno.lint.Node) =>
                context.report({ node, message, hint: `Allowed in ${allowedIn.join(", ") || "no file"}.` }),
            ])
          ),
        );
      },
    },
  },
};

export default plugin;
