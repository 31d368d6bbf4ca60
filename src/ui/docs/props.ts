/** The props of the pages of the documentation. */

import type { RuleResult } from "../../oauth/explanation.ts";
import type { Site } from "../layout.tsx";
import type { Block, Inline } from "./markdown.tsx";

export type { Block, Inline } from "./markdown.tsx";

/** Rules with the same prefix. */
export interface RuleGroup {
  /** The first part of the IDs, such as `PK`. */
  readonly prefix: string;
  /** What the rules are about. */
  readonly title: string;
  readonly rules: readonly { readonly id: string; readonly summary: string }[];
}

/** The list of all rules. */
export interface RulesProps extends Site {
  readonly groups: readonly RuleGroup[];
}

/** The list of the rules of one group. */
export interface RuleGroupProps extends Site {
  readonly group: RuleGroup;
}

/** What a page says of a rule. */
export interface RuleDescription {
  readonly id: string;
  /** The level of BCP 14. */
  readonly level: string;
  /** Whether the rule applies even where a specification allows something else. */
  readonly isOwnDecision: boolean;
  /** The title of its group. */
  readonly group: string;
  /** What the rule demands. */
  readonly demand: readonly Inline[];
  /** What is true when the check has passed; absent if passed checks are not traced. */
  readonly passes?: string;
  /** How to fix a request that breaks it; absent if the rule rejects no request. */
  readonly fix?: string;
  /** The sections that it cites. */
  readonly cites: readonly string[];
  /** The names of the settings that its texts mention. */
  readonly settings: readonly string[];
  /** The ID of the rule before it. */
  readonly previous?: string;
  /** The ID of the rule after it. */
  readonly next?: string;
}

/** A request that breaks a rule, and how a server rejects it. */
export interface RejectedExample extends Pick<RuleResult, "rule" | "expected" | "received"> {
  /** The method and the path, such as `POST /oauth2/token`. */
  readonly to: string;
  /** The parts that differ from a correct request. Empty: the request is correct, but sent too often or too late. */
  readonly sent: readonly string[];
  /** Seconds between the previous request and this one; absent: none. */
  readonly seconds?: number;
  /** The number of earlier requests. */
  readonly earlier: number;
  /** The settings of the server, as JSON; absent: the default ones. */
  readonly settings?: string;
  /** The error code of the response. */
  readonly error: string;
  readonly reason: string;
}

/** The page of a rule. */
export interface RuleProps extends Site {
  readonly rule: RuleDescription;
  /** A request that breaks it; absent: breaking it takes a key, a page or another server. */
  readonly example?: RejectedExample;
}

/** A part of a JSON Schema. */
export interface Schema {
  readonly type?: string;
  readonly description?: string;
  readonly default?: unknown;
  readonly enum?: readonly unknown[];
  readonly examples?: readonly unknown[];
  readonly minimum?: number;
  readonly maximum?: number;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly items?: Schema;
  readonly anyOf?: readonly Schema[];
  readonly additionalProperties?: boolean | Schema;
}

/** A setting in short. */
export interface SettingSummary {
  readonly name: string;
  readonly summary: string;
}

/** The list of all settings. */
export interface SettingsProps extends Site {
  readonly settings: readonly SettingSummary[];
}

/** A setting, or a member of one. */
export interface SettingMember {
  /** The path in the configuration file, such as `pkce.requireMethod`. */
  readonly name: string;
  /** The JSON type. */
  readonly type: string;
  readonly description: string;
  /** The allowed values, as JSON; absent if any value of the type is allowed. */
  readonly values?: readonly string[];
  /** The allowed numbers. */
  readonly range?: string;
  /** The default, as JSON; absent if it depends on other settings or if there is none. */
  readonly standard?: string;
}

/** What a page says of a setting. */
export interface SettingDescription extends SettingMember {
  /** The flag that sets it; absent: only the configuration file does. */
  readonly flag?: string;
  /** The environment variable that sets it. */
  readonly variable?: string;
  /** A configuration file with it. */
  readonly example?: string;
  readonly members: readonly SettingMember[];
  /** The setting before it. */
  readonly previous?: string;
  /** The setting after it. */
  readonly next?: string;
}

/** The page of a setting. */
export interface SettingProps extends Site {
  readonly setting: SettingDescription;
}

/** A link to a guide or to a section of it. */
export interface GuideLink {
  readonly title: string;
  /** The path below `/docs`. */
  readonly path: string;
}

/** Guides about one subject. */
export interface GuideGroup {
  readonly title: string;
  /** What a reader does with the guides, one sentence. */
  readonly about: string;
  readonly guides: readonly (GuideLink & { readonly sections: readonly GuideLink[] })[];
}

/** The start of the documentation. */
export interface StartProps extends Site {
  readonly groups: readonly GuideGroup[];
  /** The number of entries of each list of the reference. */
  readonly counts: Readonly<Record<"rules" | "settings" | "faults" | "attacks" | "habits", number>>;
}

export interface GuidePage extends GuideLink {
  /** The guide that this section belongs to; absent: the page is the guide, or the beginning of it. */
  readonly guide?: GuideLink;
  readonly blocks: readonly Block[];
  /** The sections of the guide. */
  readonly sections: readonly GuideLink[];
  readonly previous?: GuideLink;
  readonly next?: GuideLink;
}

/** The props of a page of a guide. */
export interface GuideProps extends Site {
  readonly page: GuidePage;
}

/** A fault, an attack or a habit. */
export interface CatalogueItem {
  readonly id: string;
  /** What it is, a few words or a sentence. */
  readonly title: string;
  readonly facts: readonly (readonly [label: string, text: string])[];
}

/** A list of definitions, in groups. */
export interface Catalogue extends GuideLink {
  /** What the list is, and how to use it. */
  readonly lead: string;
  readonly groups: readonly { readonly name: string; readonly items: readonly CatalogueItem[] }[];
}

/** The props of a catalogue, or of one group of it. */
export interface CatalogueProps extends Site {
  readonly catalogue: Catalogue;
  /** The name of the group. Default: all, in short. */
  readonly group?: string;
}

/** A page or a heading that the search finds. */
export interface SearchEntry extends GuideLink {
  /** What it is about, or the guide that it belongs to. */
  readonly detail: string;
  /** The other words on it, each once, in lower case. */
  readonly words: string;
}
