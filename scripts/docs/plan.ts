/** Which page of the site shows which part of which README. */

/** A page: a whole file, or some of its sections. */
export interface PlannedPage {
  /** The path on the site, without an ending. */
  readonly path: string;
  /** The file in the repository. */
  readonly source: string;
  /** The headings (`## …`) that it shows. Default: everything that no other page of the file shows. */
  readonly sections?: readonly string[];
  /** Pages that are listed below this one. */
  readonly children?: readonly PlannedPage[];
}

const extensionPages = [
  ...["assertion_grants", "authorization_details", "ciba", "client_documents", "client_logout", "device", "dpop"],
  ...["encrypted_responses", "mutual_tls", "pairwise", "par", "registration", "response_types", "shared_signals"],
  ...["signed_requests", "signed_responses", "step_up", "token_exchange"],
].map((name) => ({
  path: `look-up/${name.replaceAll("_", "-")}`,
  source: `src/server/extensions/${name}/README.md`,
}));

const readme = "README.md";
const protocol = "src/server/explain/README.md";
const server = "src/server/README.md";
const extensions = "src/server/extensions/README.md";

/** The first page. */
export const firstPage: PlannedPage = { path: "index", source: "static/docs/stacks.md" };

/** The four sections, in order. */
export const plan: readonly { readonly title: string; readonly pages: readonly PlannedPage[] }[] = [{
  title: "Learn",
  pages: [
    { path: "learn/start", source: "static/docs/start.md" },
    { path: "learn/quick-start", source: readme, sections: ["Quick start", "Connect your app"] },
    { path: "learn/in-a-test", source: readme, sections: ["In a test"] },
    { path: "learn/check-your-client", source: readme, sections: ["Check your client"] },
    { path: "learn/recipes", source: "static/docs/recipes.md" },
  ],
}, {
  title: "Do",
  pages: [
    { path: "do/troubleshooting", source: protocol, sections: ["Troubleshooting"] },
    ...[
      ...["test-in-javascript", "test-runners", "test-in-any-language", "configure", "get-a-token", "sessions"],
      ...[
        "verify-tokens",
        "resource-servers",
        "break-it",
        "containers-and-ci",
        "mcp",
        "check-a-client",
        "moving",
        "oauth2-mock-server",
        "providers",
        "team",
        "emulators",
        "pages",
        "bugs-found",
      ],
    ].map((name) => ({ path: `do/${name}`, source: `static/docs/${name}.md` })),
    { path: "do/client-libraries", source: protocol, sections: ["Client libraries"] },
    { path: "do/embed", source: server },
  ],
}, {
  title: "Look up",
  pages: [
    { path: "look-up/glossary", source: "src/core/glossary.md" },
    { path: "look-up/control", source: "static/docs/control.md" },
    { path: "look-up/limits", source: "static/docs/limits.md" },
    { path: "look-up/provider-profiles", source: "src/server/profiles/README.md" },
    { path: "look-up/extensions", source: extensions, children: extensionPages },
    { path: "look-up/stores", source: "src/platform/store/README.md" },
    { path: "look-up/attacks", source: "src/check/README.md" },
    { path: "look-up/figures", source: "scripts/bench/README.md" },
    { path: "look-up/changes", source: "static/changes.md" },
  ],
}, {
  title: "Understand",
  pages: [
    { path: "understand/latchkey", source: readme },
    { path: "understand/core", source: "src/core/README.md" },
    { path: "understand/protocol", source: protocol },
    { path: "understand/client-libraries", source: "tests/check/drivers/README.md" },
    { path: "understand/code", source: server, sections: ["Where to change what", "Decisions"] },
    { path: "understand/extending", source: extensions, sections: ["How to add an extension"] },
    { path: "understand/resource", source: "src/resource/README.md" },
    { path: "understand/pages", source: "src/devtools/README.md" },
    { path: "understand/operating", source: "src/cli/operating/README.md" },
    { path: "understand/program", source: "src/cli/README.md" },
    { path: "understand/mock", source: "src/testing/README.md" },
    { path: "understand/verbs", source: "src/testing/control/README.md" },
    { path: "understand/correct-client", source: "src/client/README.md" },
    { path: "understand/tests", source: "tests/README.md" },
    { path: "understand/tasks", source: "scripts/README.md" },
  ],
}];
