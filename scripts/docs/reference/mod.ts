/** The pages of the reference, which are generated from the code, in their order. */

import { commandsPage } from "./commands.ts";
import { controlPage } from "./control.ts";
import { faultsPage } from "./faults.ts";
import { mockOptionsPage } from "./mock_options.ts";
import type { ReferencePage } from "./page.ts";
import { rulesPage } from "./rules.ts";
import { settingsPages } from "./settings.ts";

/** All pages. @param read Reads a file of the repository as text. */
export const referencePages = (read: (path: string) => string): readonly ReferencePage[] => [
  commandsPage(),
  ...settingsPages(read("static/config.schema.json")),
  mockOptionsPage(),
  faultsPage(),
  controlPage(read("static/control.openapi.json")),
  rulesPage(read),
];
