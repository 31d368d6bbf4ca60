/** The search, for the browser and for the script that writes its index. */

import { stemmer } from "stemmer";
import { editDistance, findNearest } from "../../src/core/policy/suggest.ts";

/** A part of the site. */
export type SitePart = "guides" | "reference" | "code" | "rules";

/** A section of a page, as it is found. */
export interface FoundSection {
  /** The URL from the root of the site, with the anchor. */
  readonly id: string;
  /** The heading of the page. */
  readonly page: string;
  /** The heading of the section. */
  readonly heading: string;
  /** The beginning of its text. */
  readonly line: string;
  /** The part of the site. */
  readonly part: SitePart;
}

/** A section with its words. */
export interface IndexedSection extends FoundSection {
  /** Names of settings, flags, commands and rules in the heading, one a line. */
  readonly names: string;
  /** Everyday phrases and questions that lead to the section. */
  readonly aliases: readonly string[];
  readonly text: string;
}

/** Words that say nothing about a page. */
const stopWords = new Set(
  "a an and are as at be by can do does for from get how i in into is it its me my not of on or should that the their them then there this to use using we what when where which why with work you your me my make makes let want need put if has have was will would could any some just so please every am been but had he her him his may more than too very give mean means anything something still whether out off don doesn isn can t know happened there show without no all lets your yours our ours really already"
    .split(" "),
);

/** Words whose stem is another word: `https` is not `http`, `logs` not the `log` of `log in`. */
const unstemmed = new Set(
  "https logs jwks jws dns tls cors ios sms css aws kms news express redis rails windows".split(" "),
);

const terms = new Map<string, string>();

/** The stem of a word in small letters. The same words come again and again. */
function termOf(word: string): string {
  const term = terms.get(word) ?? (unstemmed.has(word) ? word : stemmer(word));
  terms.set(word, term);
  return term;
}

/** The words of a text. `invalid_grant` and `issuerHosts` are found by their parts too, and `nextjs` is `Next.js`. */
function wordsOf(text: string): string[] {
  return (text.match(/[\p{L}\p{N}]+(?:[._-][\p{L}\p{N}]+)*/gu) ?? []).flatMap((word) => {
    const parts = word.split(/[._-]|(?<=[a-z])(?=[A-Z])/);
    return parts.length === 1 ? [word] : [parts.join(""), ...parts];
  });
}

/**
 * Neighbours as one word: `log out` is `logout`. What is absent is a word of its own, `without typing`, and so is where
 * somebody goes: `from Keycloak to this`, `this instead of Auth0`.
 */
function pairsOf(text: string): string[] {
  const words = text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];
  return [
    ...words.flatMap((word, i) => i === 0 || stopWords.has(words[i - 1]!) ? [] : [`${words[i - 1]}${word}`]),
    ...absentOf(text).map((word) => `no_${word}`),
    ...leaving.test(text) ? ["from_server"] : reaching.test(text) ? ["to_server"] : [],
  ];
}

const servers =
  "(?:keycloak|auth0|okta|entra|azure|cognito|google|dex|navikt|mock-?oauth2|oauth2-mock|oidc-|identityserver|duende|" +
  "zitadel|authentik|authelia|ory|hydra|logto|fusionauth|supabase|firebase|wiremock|mockserver|msw|nock|real |production)";

/** Somebody who uses another server and wants this one. */
const leaving = new RegExp(
  `\\b(?:from|off|instead of|use|(?:replac|leav|drop|ditch|swap|substitut|abandon)\\w{0,5}(?: out)?) (?:the |our |my |a )?${servers}`,
  "i",
);

/** Somebody who uses this one and wants another. */
const reaching = new RegExp(
  `\\b(?:mov|migrat|switch|chang|go|replac|swap)\\w{0,5} (?:\\S{1,20} ){0,4}?(?:to|by|with|for) (?:the |our |my |a )?${servers}`,
  "i",
);

/** The stems of what is absent. */
const absentOf = (text: string) => [...text.toLowerCase().matchAll(absence)].map(([, word]) => stemmer(word!));

/** What is not there, `no keyboard`, `without opening a browser`. */
const absence = /\b(?:without|no|not)\s(?:(?:a|an|any|all|that|the|opening|using|having|being)\s){0,3}(\p{L}+)/gu;

/** Everyday words and the word that the documentation has for them. */
const synonyms: Readonly<Record<string, string | undefined>> = Object.fromEntries(
  Object.entries({
    reset: "forget wipe clear erase clean empty purge initial fresh",
    clock: "tomorrow later week month year future past",
    simulate: "purpose deliberately deliberate cause behave",
    mock: "fake dummy pretend imitate imitation mimic act simulate replica",
    outage: "answer respond return die dead crash unreachable down",
    user: "person people human somebody someone everybody everyone anybody bob alice",
    role: "admin administrator manager boss chief moderator editor rights permission",
    install: "setup",
    team: "colleague coworker teammate office",
    decode: "inside contain content open eyj readable",
    logout: "signout logoff",
    register: "themselves itself",
    login: "signin logon",
    https: "insecure padlock lock",
    issuer: "authority domain hostname",
    url: "address link",
    claims: "field attribute extra department team country language birthday nickname avatar photo info information",
    paste: "write enter insert",
    email: "mail mailbox",
    attack: "hack hacker forge stolen safe",
    redirect: "callback land",
    loop: "jump bounce circle forever endlessly flicker",
    silent: "hidden invisible background iframe frame quietly unnoticed",
    style: "colour color logo theme design css font dark ugly appearance branding",
    lifetime: "last until",
    expire: "stale outdated old ended",
    uninstall: "quit exit terminate kill",
    start: "begin launch boot",
    offline: "plane airplane internet network",
    tenant: "company customer organisation instance",
    health: "alive ready up liveness readiness",
    proxy: "front nginx apache",
    database: "postgres mysql",
    parallel: "simultaneously together disturb interfere",
    passkeys: "fingerprint face biometric",
    machine: "job cron daemon",
    deny: "cancel refuse decline",
    configuration: "config preferences",
    fail: "wrong broken problem trouble",
  }).flatMap(([word, others]) => others.split(" ").map((other) => [stemmer(other), stemmer(word)])),
);

/** Names of products: they say more than other words. */
const products = new Set(
  ("react vue angular svelte nextjs nuxt django flask fastapi laravel symfony rails spring express expo flutter android " +
    "apple google okta auth0 entra azure microsoft keycloak github gitlab facebook cypress playwright selenium pytest " +
    "grafana jenkins nextcloud gitea forgejo argo vault minio proxmox portainer harbor discord linkedin cognito iphone tv " +
    "junit jest vitest windows kubernetes docker mcp claude wordpress curl postman iphone ipad mobile cloudflare nock msw")
    .split(" ").map(termOf),
);

/** Errors of a system, whose words have other meanings elsewhere: `permission` is no role here. */
const systemErrors =
  /\b(?:permission denied|connection refused|(?:address|port) (?:is )?already in use|no such file)\b/gi;

/** A query with the words of the documentation: `sign in` is `login`, `10 s` a duration. */
function plainQuery(query: string): string {
  return query.replaceAll(systemErrors, (error) => error.replaceAll(" ", "")).replaceAll(
    /\b(?:alice|bob)\b/gi,
    "somebody",
  ).replaceAll(
    /\b(turn|switch|shut|put|speed|log|sign|throw|get) (?:it|this|me|them|him|her|users?|people|everybody|everyone|all|out of) (?=off|down|on|out|up|in\b)/gi,
    "$1 ",
  ).replaceAll(
    /\b(?:sign|log)(?:g?ing|g?ed|s)?[ -](in|out|off|up|on)\b/gi,
    (_, direction: string) => ({ in: "login", on: "login", up: "signup" })[direction.toLowerCase()] ?? "logout",
  )
    .replaceAll(/\bc#|\bcsharp\b/gi, "asp.net").replaceAll(/\bhow long\b/gi, "how long lifetime")
    .replaceAll(
      /\b\d+ ?(?:s|secs?|seconds?|mins?|minutes?|h|hours?|days?|weeks?)\b/gi,
      "duration",
    );
}

/** A question for the meaning of a word. */
const definition =
  /^(?!.*(?:_|error|message))(?:what (?:on earth|exactly) is|what(?:'s| is| are) (?!in\b|inside|wrong)(?:\S+ ){0,2}\S+$|what does .* mean|meaning of|explain |tell me what \S+ \S+ is$)/i;

/** Words of somebody who wants something to go wrong; the guide to errors is for those who do not. */
const causing = /\b(?:purpose|make|let|pretend|simulate|fake|force|cause|return|answer|deliberately|want|i need)\b/i;

/** Words of somebody who sees a symptom. */
const symptom =
  /\b(?:why|says?|said|message|explain|wrong|fail(?:s|ed|ing)?|error|keeps?|cannot|can['’]?t|doesn['’]?t|has no|refuse[sd]?|reject\w*|denied|unauthorized|missing|unknown|invalid|not|immediately|broken)\b/i;

/** Sections for those who write tests or code, and the words of a query of theirs. */
const forAuthors =
  /(?:test-in|test-runners|mock|control|embed|extensions|minimal-server|bugs-found|check-|recipes)[\w-]*\.html|in-a-test/;
const author =
  /\b(?:tests?|testing|suite|code|script|api|javascript|typescript|npm|node|vitest|jest|playwright|cypress|selenium|pytest|junit|python|ci|pipeline|my own program|plugin|attacks?|bugs?|security|holes?|time|clock)\b/i;

const sumOf = (numbers: readonly number[]) => numbers.reduce((sum, one) => sum + one, 0);

/** The terms of a text: stems, without words that say nothing. */
function termsOf(words: readonly string[]): string[] {
  return words.map((word) => word.toLowerCase()).filter((word) => !stopWords.has(word)).map(termOf);
}

/** The terms of a heading or a phrase: words, neighbours, and what is absent. */
function topicTerms(text: string): Set<string> {
  const plain = plainQuery(text);
  return new Set(termsOf([...pairsOf(plain), ...wordsOf(plain)]));
}

/** A section, as it is searched. */
interface SearchedSection extends FoundSection {
  /** The names, in small letters. */
  readonly names: readonly string[];
  readonly inPage: ReadonlySet<string>;
  readonly inHeading: ReadonlySet<string>;
  readonly phrases: readonly ReadonlySet<string>[];
  /** The heading of a guide's section without phrases, and its parts: they are compared like phrases. */
  readonly titles: readonly ReadonlySet<string>[];
  /** How many phrases have a term. */
  readonly inPhrases: ReadonlyMap<string, number>;
  readonly inText: ReadonlyMap<string, number>;
  readonly length: number;
}

/** The sections in memory. */
export interface SearchIndex {
  readonly sections: readonly SearchedSection[];
  readonly byTerm: ReadonlyMap<string, readonly SearchedSection[]>;
  /** How much a term says: much if few headings and phrases of the guides have it. */
  weightOf(term: string): number;
  readonly averageLength: number;
}

/** Writes the index of these sections. */
export const writeIndex = (sections: readonly IndexedSection[]): string => JSON.stringify(sections);

/** Reads what `writeIndex` wrote. */
export function readIndex(text: string): SearchIndex {
  const sections = (JSON.parse(text) as IndexedSection[]).map((section): SearchedSection => {
    const { id, page, heading, line, part, aliases } = section;
    const words = termsOf(wordsOf(section.text));
    const phrases = aliases.map(topicTerms);
    const titles = aliases.length > 0 || part !== "guides" ? [] : [heading, ...heading.split(/[,:;]/)].map(topicTerms);
    return {
      ...{ id, page, heading, line, part, phrases, titles },
      names: section.names.toLowerCase().split("\n"),
      inPage: topicTerms(page),
      inHeading: topicTerms(heading),
      inPhrases: countOf(phrases.flatMap((terms) => [...terms])),
      inText: countOf(words),
      length: words.length,
    };
  });
  const byTerm = new Map<string, SearchedSection[]>();
  const topics = new Map<string, number>();
  for (const section of sections) {
    const { part, inPage, inHeading, inPhrases, inText } = section;
    const own = new Set([...inHeading, ...inPhrases.keys()]);
    for (const term of new Set([...own, ...inPage, ...inText.keys()])) {
      const others = byTerm.get(term);
      if (others === undefined) byTerm.set(term, [section]);
      else others.push(section);
      if (part === "guides" && own.has(term)) topics.set(term, (topics.get(term) ?? 0) + 1);
    }
  }
  const guides = sections.filter(({ part }) => part === "guides").length;
  const weightOf = (term: string) => {
    const count = topics.get(term) ?? 0;
    return Math.log(1 + (guides - count + 0.5) / (count + 0.5));
  };
  return { sections, byTerm, weightOf, averageLength: sumOf(sections.map(({ length }) => length)) / sections.length };
}

function countOf(terms: readonly string[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const term of terms) counts.set(term, (counts.get(term) ?? 0) + 1);
  return counts;
}

/** How much a section of each part counts: users read the guides first, and the rules last. */
const parts: Readonly<Record<SitePart, number>> = { guides: 1, reference: 1 / 2, code: 1 / 4, rules: 1 / 8 };

/**
 * How much the places of a term count. All of them together count up to 1, half of it at `half`: a term in the heading
 * is enough to say what a section is about.
 */
const places = { heading: 2.5, page: 0.6, phrases: 3, text: 0.3, half: 2.5 };

/** How fast further phrases with a term add less, and how many phrases of a section halve that. */
const repetition = { rate: 0.4, half: 100 };

/** How much the nearest phrases count beside the places of the terms; the higher the power, the less the others add. */
const nearness = { factor: 1, power: 5 };

/** How much the name of a product counts, a section without it, and a word in place of an unknown one. */
const factors = { product: 1.5, otherProduct: 0.8, guess: 0.5 };

/** How much a section for those who write tests counts in a query that names neither tests nor code. */
const authorsOnly = 0.8;

/** How many sections are shown, and how many of one page. */
const maxSections = 8;
const maxOfPage = 3;

/** The best sections: those whose name is the query come before those that have its words. */
export function findPages(index: SearchIndex, query: string): FoundSection[] {
  const name = query.trim().toLowerCase();
  const shown: SearchedSection[] = [];
  const pageOf = ({ id }: FoundSection) => id.split("#")[0];
  for (const section of [...index.sections.filter(({ names }) => names.includes(name)), ...rank(index, query)]) {
    const isFull = shown.filter((one) => pageOf(one) === pageOf(section)).length === maxOfPage;
    if (!isFull && !shown.includes(section)) shown.push(section);
    if (shown.length === maxSections) break;
  }
  return shown.map(({ id, page, heading, line, part }) => ({ id, page, heading, line, part }));
}

/** The sections that have a term of the query, the best first. */
function rank(index: SearchIndex, query: string): SearchedSection[] {
  const { byTerm, weightOf, averageLength } = index;
  const weights = new Map<string, number>();
  const text = plainQuery(query);
  const words = new Set<string>();
  const add = (term: string, factor: number) => weights.has(term) || weights.set(term, factor * weightOf(term));
  for (const written of termsOf(wordsOf(text))) {
    for (const term of byTerm.has(written) ? [written] : similarTerms(index, written)) {
      words.add(term);
      add(term, term !== written ? factors.guess : products.has(term) ? factors.product : 1);
    }
  }
  for (const term of termsOf(pairsOf(text))) add(term, 1);
  for (const term of words) if (synonyms[term] !== undefined) add(synonyms[term], 1);
  const all = sumOf([...words].map((term) => weights.get(term)!)) || 1;

  const named = [...words].filter((term) => products.has(term));

  const score = (section: SearchedSection) => {
    const { inPage, inHeading, inPhrases, inText, length, phrases, titles } = section;
    const rate = repetition.rate / (1 + phrases.length / repetition.half);
    let [sum, covered] = [0, 0];
    for (const [term, weight] of weights) {
      const found = (inHeading.has(term) ? places.heading : 0) + (inPage.has(term) ? places.page : 0) +
        places.phrases * (1 - Math.exp(-rate * (inPhrases.get(term) ?? 0))) +
        places.text * (inText.get(term) ?? 0) / (0.4 + 0.6 * length / averageLength);
      const value = weight * found / (found + places.half);
      sum += value;
      if (words.has(term)) covered += value;
    }
    const near =
      sumOf([...phrases, ...titles].map((phrase) => likeness(phrase, weights, weightOf) ** nearness.power)) **
        (1 / nearness.power);
    const isNamed = named.every((term) => [inHeading, inPage, inPhrases, inText].some((terms) => terms.has(term)));
    // A section with several words of the query comes before one with a rare word.
    return (sum + nearness.factor * near) * Math.sqrt(covered / all + 0.001) * parts[section.part] *
      (isNamed ? 1 : factors.otherProduct) * fit(section, query);
  };
  const candidates = new Set([...weights.keys()].flatMap((term) => byTerm.get(term) ?? []));
  return [...candidates].map((section) => ({ section, score: score(section) }))
    .sort((one, other) => other.score - one.score).map(({ section }) => section);
}

/** How much of a phrase a query has, and how much of the query that is. */
function likeness(
  phrase: ReadonlySet<string>,
  weights: ReadonlyMap<string, number>,
  weightOf: SearchIndex["weightOf"],
): number {
  const common = [...phrase].filter((term) => weights.has(term));
  return common.length === 0 ? 0 : sumOf(common.map((term) => weights.get(term)!)) /
    Math.sqrt(sumOf([...phrase].map(weightOf)));
}

/** Maximum number of words in place of an unknown one. */
const maxGuesses = 3;

/** The words in place of one that no section has: the most frequent that begin with it, or else the most similar one. */
function similarTerms({ byTerm }: SearchIndex, term: string): string[] {
  const count = (one: string) => byTerm.get(one)!.length;
  const begun = [...byTerm.keys()].filter((one) => term.length > 2 && one.startsWith(term));
  if (begun.length > 0) return begun.sort((one, other) => count(other) - count(one)).slice(0, maxGuesses);
  const maxDistance = term.length > 5 ? Math.round(term.length / 5) : 0;
  return [findNearest(term, [...byTerm.keys()], maxDistance, editDistance) ?? []].flat();
}

/** How much a section counts for those who ask like this. */
function fit({ id }: FoundSection, query: string): number {
  return (/provider-differences/.test(id) ? 1 / 6 : 1) *
    (!/troubleshooting|why-did|login-fails/.test(id)
      ? 1
      : causing.test(query)
      ? 1 / 3
      : symptom.test(query)
      ? 1
      : 2 / 3) *
    (/break-it/.test(id) && /^why\b/i.test(query) ? 1 / 3 : 1) *
    (!forAuthors.test(id) || author.test(query) ? 1 : authorsOnly) *
    (/glossary/.test(id) && definition.test(query) ? 20 : 1);
}
