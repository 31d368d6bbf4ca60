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
const program = "src/cli/README.md";
const mock = "src/testing/README.md";
const protocol = "src/server/explain/README.md";
const server = "src/server/README.md";
const extensions = "src/server/extensions/README.md";

/** The first page. */
export const firstPage: PlannedPage = { path: "index", source: "src/cli/stacks.md" };

/** The four sections, in order. */
export const plan: readonly { readonly title: string; readonly pages: readonly PlannedPage[] }[] = [{
  title: "Learn",
  pages: [
    { path: "learn/start", source: "static/docs/start.md" },
    { path: "learn/quick-start", source: readme, sections: ["Quick start", "Connect your app"] },
    { path: "learn/in-a-test", source: readme, sections: ["In a test"] },
    { path: "learn/check-your-client", source: readme, sections: ["Check your client"] },
    { path: "learn/recipes", source: "src/testing/recipes/README.md" },
  ],
}, {
  title: "Do",
  pages: [
    { path: "do/troubleshooting", source: protocol, sections: ["Troubleshooting"] },
    { path: "do/messages", source: "static/docs/troubleshooting.md" },
    { path: "do/test-in-javascript", source: mock },
    { path: "do/test-runners", source: mock, sections: ["In your test runner"] },
    { path: "do/log-in", source: mock, sections: ["Log in, or let your client do it"] },
    { path: "do/mint-tokens", source: mock, sections: ["Mint tokens without a login"] },
    { path: "do/faults", source: mock, sections: ["Faults: what your client must survive"] },
    { path: "do/vary", source: mock, sections: ["Vary: everything that a server may do"] },
    { path: "do/check-a-client", source: mock, sections: ["Check a client"] },
    { path: "do/read-the-log", source: mock, sections: ["The log", "Habits: what your client sends"] },
    { path: "do/test-in-any-language", source: program, sections: ["Tests in any language"] },
    { path: "do/run-a-suite", source: program, sections: ["Run a test suite beside a server"] },
    { path: "do/check-an-application", source: program, sections: ["Check an application"] },
    { path: "do/faults-by-hand", source: program, sections: ["Faults by hand"] },
    { path: "do/containers", source: program, sections: ["Containers"] },
    { path: "do/claims", source: program, sections: ["Claims"] },
    { path: "do/client-libraries", source: protocol, sections: ["Client libraries"] },
    { path: "do/mcp", source: protocol, sections: ["Model Context Protocol"] },
    { path: "do/protect-an-api", source: "src/resource/README.md" },
    { path: "do/agents", source: program, sections: ["Tools for an agent"] },
    { path: "do/move-over", source: "src/testing/moving/README.md" },
    { path: "do/oauth2-mock-server", source: "src/testing/oauth2_mock_server/README.md" },
    { path: "do/embed", source: server },
    { path: "do/operate", source: "src/cli/operating/README.md" },
  ],
}, {
  title: "Look up",
  pages: [
    { path: "look-up/glossary", source: "src/core/glossary.md" },
    { path: "look-up/configuration", source: program },
    { path: "look-up/test-hosts", source: program, sections: ["Test hosts"] },
    { path: "look-up/control", source: "src/testing/control/README.md" },
    { path: "look-up/profiles", source: protocol, sections: ["Profiles", "FAPI 2.0"] },
    { path: "look-up/provider-profiles", source: "src/server/profiles/README.md" },
    { path: "look-up/extensions", source: extensions, children: extensionPages },
    { path: "look-up/stores", source: "src/platform/store/README.md" },
    { path: "look-up/pages", source: "src/devtools/README.md" },
    { path: "look-up/flows", source: "src/devtools/requests/README.md" },
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
    { path: "understand/correct-client", source: "src/client/README.md" },
    { path: "understand/tests", source: "tests/README.md" },
    { path: "understand/tasks", source: "scripts/README.md" },
  ],
}];
