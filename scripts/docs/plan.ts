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

/** The guides, by the need of a reader. */
const guideGroups: Readonly<Record<string, readonly string[]>> = {
  "Start": ["start", "stacks", "get-a-token", "troubleshooting"],
  "Test": ["test-in-javascript", "mock", "test-runners", "test-in-any-language", "recipes", "control", "verify-tokens"],
  "Configure": [
    ...["configure", "users", "sessions", "logout", "grants", "registration", "authorization-requests"],
    ...["signed-requests", "mutual-tls", "ciba", "security-events", "resource-servers", "standards", "mcp"],
  ],
  "Providers": ["providers", "provider-differences", "keycloak", "emulators"],
  "Break and check": ["break-it", "check-a-client", "check-report", "bugs-found", "intercepted-requests"],
  "Operate": ["containers-and-ci", "team", "stores", "test-hosts", "embed", "minimal-server", "extensions"],
  "Reference": ["pages", "flows", "limits", "not-for", "glossary"],
  "Moving": ["moving", "mock-oauth2-server", "oauth2-mock-server", "dex-and-oidc-server-mock"],
};

/** The guides, in groups. @throws {Error} If a guide is in no group, in two, or does not exist. */
export function guides(): { readonly title: string; readonly pages: readonly PlannedPage[] }[] {
  const files = globSync(`${guideFolder}/*.md`).map((file) => /([^/\\]+)\.md$/.exec(file)![1]!).sort();
  const grouped = Object.values(guideGroups).flat().sort();
  if (String(files) !== String(grouped)) {
    const [missing, extra] = [
      files.filter((name) => !grouped.includes(name)),
      grouped.filter((name) => !files.includes(name)),
    ];
    throw new Error(`scripts/docs/plan.ts: in no group: ${missing.join()}; no file, or twice: ${extra.join()}`);
  }
  return Object.entries(guideGroups).map(([title, names]) => ({
    title,
    pages: names.map((name) => ({ path: `guides/${name}`, source: `${guideFolder}/${name}.md` })),
  }));
}

/** How to contribute, and the files about the code. */
export function codePages(): PlannedPage[] {
  const first = ["CONTRIBUTING", "SECURITY"].map((name) => ({
    path: `code/${name.toLowerCase()}`,
    source: `.github/${name}.md`,
  }));
  const files = globSync("{src,scripts,tests}/**/*.md").map((file) => file.replaceAll("\\", "/"))
    .filter((file) => file !== "tests/rules.md").sort();
  return [
    ...first,
    ...files.map((source) => ({ path: `code/${source.replace(/(?:\/README)?\.md$/, "")}`, source })),
    changes,
  ];
}

/** The changes, which the search leaves out. */
export const changes: PlannedPage = { path: "changes", source: "static/changes.md" };
