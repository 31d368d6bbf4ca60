/** The pages of the documentation, rendered on the server by Preact; loaded at the first visit. */

import type { VNode } from "preact";
import { render } from "preact-render-to-string";
import type { Asset } from "../pages.ts";
import { assets } from "./assets.gen.ts";
import { CataloguePage } from "./catalogue.tsx";
import { Guide } from "./guide.tsx";
import type {
  CatalogueProps,
  GuideProps,
  RuleGroupProps,
  RuleProps,
  RulesProps,
  SettingProps,
  SettingsProps,
  StartProps,
} from "./props.ts";
import { RuleGroupPage, RulePage, Rules } from "./rules.tsx";
import { SettingPage, Settings } from "./settings.tsx";
import { Start } from "./start.tsx";

/** The pages: props in, an HTML document out. */
export interface DocsPages {
  start(props: StartProps): string;
  guide(props: GuideProps): string;
  rules(props: RulesProps): string;
  ruleGroup(props: RuleGroupProps): string;
  rule(props: RuleProps): string;
  settings(props: SettingsProps): string;
  setting(props: SettingProps): string;
  catalogue(props: CatalogueProps): string;
  /** Style sheets and scripts, by the last segment of `{base}/docs/{name}`. */
  readonly assets: Readonly<Record<string, Asset>>;
}

const toDocument = (page: VNode) => `<!DOCTYPE html>\n${render(page)}\n`;

/** Renders the pages. Links to other sites lead only to specifications and to what the READMEs link. */
export const docsPages: DocsPages = {
  start: (props) => toDocument(Start(props)),
  guide: (props) => toDocument(Guide(props)),
  rules: (props) => toDocument(Rules(props)),
  ruleGroup: (props) => toDocument(RuleGroupPage(props)),
  rule: (props) => toDocument(RulePage(props)),
  settings: (props) => toDocument(Settings(props)),
  setting: (props) => toDocument(SettingPage(props)),
  catalogue: (props) => toDocument(CataloguePage(props)),
  assets,
};
