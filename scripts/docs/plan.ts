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
  ...["start", "stacks", "test-in-javascript", "test-runners", "special-clients", "intercepted-requests"],
  ...["test-in-any-language", "recipes", "configure", "test-hosts", "get-a-token", "verify-tokens", "resource-servers"],
  ...["sessions", "break-it", "providers", "containers-and-ci", "mcp", "check-a-client", "check-report"],
  ...["troubleshooting", "pages", "moving", "oauth2-mock-server", "emulators", "control", "team", "stores", "embed"],
  ...["bugs-found", "limits", "glossary"],
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
