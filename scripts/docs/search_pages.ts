/** The search, for the browser and for the script that writes its index. */

import MiniSearch, { type Options, type SearchResult } from "minisearch";
import { stemmer } from "stemmer";

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

/** What the index has of a section: its own words, or one of its phrases, which is found by itself. */
type IndexEntry = Omit<IndexedSection, "aliases"> | { readonly id: string; readonly aliases: string };

/** Words that say nothing about a page. */
const stopWords = new Set(
  "a an and are as at be by can do does for from get how i in into is it its me my not of on or should that the their them then there this to use using we what when where which why with work you your me my make makes let want need put if has have was will would could any some just so please every am been but had he her him his may more than too very give mean means anything something still whether out off don doesn isn can t know happened there show"
    .split(" "),
);

/** Words whose stem is another word: `https` is not `http`, `logs` not the `log` of `log in`. */
const unstemmed = new Set("https logs jwks jws dns tls cors ios sms css aws kms news express redis rails".split(" "));

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
const absence = /\b(?:without|no|not)\s(?:(?:a|an|any|the|opening|using|having|being)\s){0,3}(\p{L}+)/gu;

/** Everyday words and the word that the documentation has for them. */
const synonyms: Readonly<Record<string, string>> = Object.fromEntries(
  Object.entries({
    reset: "forget wipe clear erase clean empty purge initial fresh",
    clock: "tomorrow later week month year future past",
    simulate: "purpose deliberately deliberate cause behave",
    mock: "fake dummy pretend imitate imitation mimic act simulate replica",
    outage: "answer respond return die dead crash unreachable",
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
    loop: "jump bounce circle forever endlessly flicker",
    silent: "hidden invisible background iframe frame quietly unnoticed",
    style: "colour color logo theme design css font dark ugly appearance branding",
    lifetime: "last until",
    expire: "stale outdated old",
    uninstall: "quit exit terminate kill",
    start: "begin launch boot",
    offline: "plane airplane internet network",
    production: "customer",
    health: "alive ready",
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
    "junit jest vitest kubernetes docker mcp claude wordpress curl postman iphone ipad mobile cloudflare nock msw")
    .split(" ").map(stemmer),
);

/** A query with the words of the documentation: `sign in` is `login`, `10 s` a duration. */
function plainQuery(query: string): string {
  return query.replaceAll(
    /\b(turn|switch|shut|put|speed|log|sign|throw|get) (?:it|this|me|them|him|her|users?|people|everybody|everyone|all|out of) (?=off|down|on|out|up|in\b)/gi,
    "$1 ",
  ).replaceAll(
    /\b(?:sign|log)(?:ing|ged|s)?[ -](in|out|off|up|on)\b/gi,
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
  /^(?!.*(?:_|error|message))(?:what (?:on earth|exactly) is|what(?:'s| is| are) (?!in\b|inside|wrong)(?:\S+ ){0,2}\S+$|what does .* mean|meaning of|explain )/i;

/** Words of somebody who wants something to go wrong; the guide to errors is for those who do not. */
const causing = /\b(?:purpose|make|let|pretend|simulate|fake|force|cause|return|answer|deliberately|want|i need)\b/i;

/** Words of somebody who sees a symptom. */
const symptom =
  /\b(?:why|says?|said|wrong|fail(?:s|ed|ing)?|error|keeps?|cannot|can['’]?t|doesn['’]?t|not|immediately|broken)\b/i;

/** Sections for those who write tests or code, and the words of a query of theirs. */
const forAuthors =
  /(?:test-in|test-runners|mock|control|embed|extensions|minimal-server|bugs-found|check-|recipes)[\w-]*\.html|in-a-test/;
const author =
  /\b(?:tests?|testing|suite|code|script|api|javascript|typescript|npm|node|vitest|jest|playwright|cypress|selenium|pytest|junit|python|ci|pipeline|my own program|plugin|attacks?|bugs?|security|holes?|time|clock)\b/i;

/** Pages for those who know the protocol: they have its words, so they need no weight in questions of others. */
const forExperts =
  /(?:ciba|mutual-tls|grants|registration|signed-requests|standards|security-events|authorization-requests|resource-servers|verify-tokens|emulators|moving|limits|embed)\.html/;

/** Stems that half of the site has: the other words of a query say more. */
const common = new Set(
  ("test login log user server token app application client page run get set access request example start see say click button instead " +
    "tell look change try another other different new second work go read check one find send write give add all long use create")
    .split(" ")
    .map(stemmer),
);

const sumOf = (numbers: readonly number[]) => numbers.reduce((sum, one) => sum + one, 0);

const indexOptions: Options<IndexEntry> = {
  fields: ["names", "page", "heading", "aliases", "line", "text"],
  storeFields: ["id", "page", "heading", "line", "part"],
  tokenize(text, field) {
    if (field === "names") return text.split("\n");
    if (field === "line" || field === "text") return wordsOf(text);
    const plain = plainQuery(text);
    return [...pairsOf(plain), ...wordsOf(field === "aliases" ? plain.replaceAll(absence, "") : plain)];
  },
  processTerm(term, field) {
    const word = term.toLowerCase();
    if (field === "names") return word;
    return stopWords.has(word) ? null : unstemmed.has(word) ? word : stemmer(word);
  },
};

/** Writes the index of these sections. */
export function writeIndex(sections: readonly IndexedSection[]): string {
  const index = new MiniSearch(indexOptions);
  for (const { aliases, ...section } of sections) {
    index.add({ ...section, text: `${section.text} ${aliases.join(" ")}` });
    index.addAll(aliases.map((phrase, i) => ({ id: `${section.id}~${i}`, aliases: phrase })));
  }
  return JSON.stringify(index);
}

/** Reads what `writeIndex` wrote. */
export const readIndex = (text: string): MiniSearch<IndexEntry> => MiniSearch.loadJSON(text, indexOptions);

/** How much a section of each part counts: users read the guides first, and the rules last. */
const weights: Readonly<Record<SitePart, number>> = { guides: 1, reference: 1 / 2, code: 1 / 4, rules: 1 / 8 };

/** How much the number of the words of a query in a section counts. */
const coverage = 0.5;

/** How much a section of the product that a query names counts. */
const ofProduct = 1.5;

/** How much a section for those who write tests counts in a query that names neither tests nor code. */
const authorsOnly = 0.6;

/** How much the word of the documentation for an everyday word counts. */
const meaning = 0.8;

/** How many sections are shown, and how many of one page. */
const maxSections = 8;
const maxOfPage = 3;

/** The best sections: those whose name is the query come before those that have its words. */
export function findPages(index: MiniSearch<IndexEntry>, query: string): FoundSection[] {
  const named = index.search(query, {
    fields: ["names"],
    tokenize: (query) => [query.trim()],
    processTerm: (term) => term.toLowerCase(),
    // With these numbers, the order is that of the pages.
    bm25: { k: 0, b: 0, d: 0 },
  });
  const absent = absentOf(query);
  const text = plainQuery(query);
  const written = wordsOf(text).map((word) => stemmer(word.toLowerCase()));
  const meant = written.flatMap((word) => synonyms[word] ?? []).filter((word) => !written.includes(word));
  const weightOf = (term: string) =>
    (meant.includes(term) ? meaning : 1) *
    (products.has(term)
      ? 3
      : /^(?:no|from|to)_/.test(term)
      ? 1.5
      : common.has(term)
      ? 0.6
      : absent.includes(term)
      ? 0.3
      : 1);
  const found = index.search(query, {
    fields: ["page", "heading", "aliases", "line", "text"],
    boost: { page: 2, heading: 4, aliases: 4, text: 0.4 },
    boostDocument: (id, _term, section) =>
      (weights[section?.part as SitePart] ?? 1) *
      (/provider-differences/.test(id) ? 1 / 6 : 1) *
      (!/troubleshooting|why-did|login-fails/.test(id)
        ? 1
        : causing.test(query)
        ? 1 / 3
        : symptom.test(query)
        ? 1
        : 2 / 3) *
      (/break-it/.test(id) && /^why\b/i.test(query) ? 1 / 3 : 1) *
      (!forAuthors.test(id) || author.test(query) ? 1 : authorsOnly) *
      (forExperts.test(id) ? 0.7 : 1) *
      (/glossary/.test(id) && definition.test(query) ? 20 : 1),
    // A word may be unfinished or misspelled; the word itself counts much more.
    prefix: (term) => term.length > 2,
    fuzzy: (term) => term.length > 5 ? 0.2 : false,
    weights: { prefix: 0.1, fuzzy: 0.1 },
    tokenize: () => [...pairsOf(text), ...wordsOf(text), ...meant],
    boostTerm: weightOf,
    // A heading with many aliases is not worth less for it.
    bm25: { k: 1.2, b: 0.6, d: 0.5 },
  });
  const sections = new Map<string, { own?: SearchResult; phrase?: SearchResult }>();
  for (const hit of found) {
    const [id = "", phrase] = String(hit.id).split("~");
    const section = sections.get(id) ?? {};
    sections.set(id, section);
    if (phrase === undefined) section.own = hit;
    else section.phrase ??= hit; // the hits are in the order of their scores
  }
  const ranked = [...sections].map(([id, { own, phrase }]) => {
    const terms = new Set([...own?.queryTerms ?? [], ...phrase?.queryTerms ?? []]);
    const isOfProduct = [...products].some((product) =>
      [own, phrase].some((hit) => hit?.match[product]?.some((field) => field !== "text"))
    );
    // A section with several words of the query comes before one with a rare word.
    const score = ((own?.score ?? 0) + (phrase?.score ?? 0)) * sumOf([...terms].map(weightOf)) ** coverage *
      (isOfProduct ? ofProduct : 1);
    return { id, score };
  }).sort((one, other) => other.score - one.score);
  const shown: FoundSection[] = [];
  const pageOf = ({ id }: FoundSection) => id.split("#")[0];
  for (const { id } of [...named, ...ranked]) {
    const section = { id, ...index.getStoredFields(id) } as FoundSection;
    const isNew = !shown.some(({ id }) => id === section.id);
    if (isNew && shown.filter((one) => pageOf(one) === pageOf(section)).length < maxOfPage) shown.push(section);
  }
  return shown.slice(0, maxSections);
}
