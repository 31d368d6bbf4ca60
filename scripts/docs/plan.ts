/** Which files of the repository are pages of the site, and in which order. */

import { globSync } from "node:fs";

/** A file that is a page. */
export interface PlannedPage {
  /** The path on the site, without an ending. */
  readonly path: string;
  /** The file in the repository. */
  readonly source: string;
}

/** The first page. */
export const firstPage: PlannedPage = { path: "index", source: "README.md" };

const guideFolder = "static/docs";

/** The guides, by the need of a reader. A guide that is not in the list comes after the others. */
const guideOrder: readonly string[] = [
  ...["start", "troubleshooting", "stacks", "test-in-javascript", "mock", "test-runners", "test-in-any-language"],
  ...[
    "control",
    "recipes",
    "configure",
    "users",
    "get-a-token",
    "verify-tokens",
    "resource-servers",
    "sessions",
    "logout",
  ],
  ...[
    "break-it",
    "check-a-client",
    "check-report",
    "providers",
    "provider-differences",
    "standards",
    "containers-and-ci",
    "mcp",
    "flows",
  ],
  ...["pages", "moving", "keycloak", "mock-oauth2-server", "oauth2-mock-server", "dex-and-oidc-server-mock"],
  ...[
    "emulators",
    "intercepted-requests",
    "registration",
    "authorization-requests",
    "signed-requests",
    "grants",
    "ciba",
  ],
  ...[
    "mutual-tls",
    "security-events",
    "test-hosts",
    "team",
    "stores",
    "embed",
    "extensions",
    "minimal-server",
    "bugs-found",
    "limits",
    "not-for",
    "glossary",
  ],
];

/** The guides. */
export function guides(): PlannedPage[] {
  const place = (name: string) => guideOrder.includes(name) ? guideOrder.indexOf(name) : guideOrder.length;
  const names = globSync(`${guideFolder}/*.md`).map((file) => /([^/\\]+)\.md$/.exec(file)![1]!).sort();
  return names.sort((a, b) => place(a) - place(b))
    .map((name) => ({ path: `guides/${name}`, source: `${guideFolder}/${name}.md` }));
}

/** The files about the code, for contributors. */
export function codePages(): PlannedPage[] {
  const files = globSync("{src,scripts,tests}/**/*.md").map((file) => file.replaceAll("\\", "/"))
    .filter((file) => file !== "tests/rules.md").sort();
  return [...files.map((source) => ({ path: `code/${source.replace(/(?:\/README)?\.md$/, "")}`, source })), changes];
}

/** The changes, which the search leaves out. */
export const changes: PlannedPage = { path: "changes", source: "static/changes.md" };
