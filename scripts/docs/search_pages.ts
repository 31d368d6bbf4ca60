/** The search, for the browser and for the script that writes its index. */

import MiniSearch, { type Options } from "minisearch";
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
  /** Everyday words that lead to the section. */
  readonly aliases: string;
  readonly text: string;
}

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

/** Neighbours as one word: `log out` is `logout`, and what is absent is a word of its own: `without typing`. */
function pairsOf(text: string): string[] {
  const words = text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];
  return [
    ...words.flatMap((word, i) => i === 0 || stopWords.has(words[i - 1]!) ? [] : [`${words[i - 1]}${word}`]),
    ...absentOf(text).map((word) => `no_${word}`),
  ];
}

/** The stems of what is absent. */
const absentOf = (text: string) => [...text.toLowerCase().matchAll(absence)].map(([, word]) => stemmer(word!));

/** What is not there, `no keyboard`, `without opening a browser`. */
const absence = /\b(?:without|no|not)\s(?:(?:a|an|any|the|opening|using|having|being)\s){0,3}(\p{L}+)/gu;

/** Everyday words and the word that the documentation has for them. */
const synonyms: Readonly<Record<string, string>> = Object.fromEntries(
  Object.entries({
    reset: "forget wipe clear erase clean empty purge initial fresh",
    clock: "tomorrow later week month year future past",
    simulate: "purpose deliberately deliberate pretend imitate mimic cause act behave",
    mock: "fake dummy",
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
    /\b(turn|switch|shut|put|speed|log|sign|throw|get) (?:it|this|me|them) (?=off|down|on|out|up|in\b)/gi,
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
  /^(?:what(?:'s| is| are) (?!in\b|inside|wrong)(?:\S+ ){0,2}\S+$|what does .* mean|meaning of|explain )/i;

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
    "tell look change try another other different new second work go read check one find send").split(" ")
    .map(stemmer),
);

const sumOf = (numbers: readonly number[]) => numbers.reduce((sum, one) => sum + one, 0);

const indexOptions: Options<IndexedSection> = {
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
  index.addAll(sections);
  return JSON.stringify(index);
}

/** Reads what `writeIndex` wrote. */
export const readIndex = (text: string): MiniSearch<IndexedSection> => MiniSearch.loadJSON(text, indexOptions);

/** How much a section of each part counts: users read the guides first, and the rules last. */
const weights: Readonly<Record<SitePart, number>> = { guides: 1, reference: 1 / 2, code: 1 / 4, rules: 1 / 8 };

/** How much the number of the words of a query in a section counts. */
const coverage = 0.5;

/** How much a section for those who write tests counts in a query that names neither tests nor code. */
const authorsOnly = 0.6;

/** How much the word of the documentation for an everyday word counts. */
const meaning = 0.8;

/** How many sections are shown, and how many of one page. */
const maxSections = 8;
const maxOfPage = 3;

/** The best sections: those whose name is the query come before those that have its words. */
export function findPages(index: MiniSearch<IndexedSection>, query: string): FoundSection[] {
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
    (products.has(term) ? 3 : term.startsWith("no_") ? 1.5 : common.has(term) ? 0.6 : absent.includes(term) ? 0.3 : 1);
  const found = index.search(query, {
    fields: ["page", "heading", "aliases", "line", "text"],
    boost: { page: 2, heading: 4, aliases: 4, text: 0.4 },
    boostDocument: (id, _term, section) =>
      weights[(section as unknown as FoundSection).part] *
      (/provider-differences/.test(id) ? 1 / 6 : 1) *
      (!/troubleshooting|why-did|login-fails/.test(id)
        ? 1
        : causing.test(query)
        ? 1 / 3
        : symptom.test(query)
        ? 1
        : 2 / 3) *
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
    bm25: { k: 1.2, b: 0.3, d: 0.5 },
  });
  // A section with several words of the query comes before one with a rare word.
  for (const section of found) section.score *= sumOf(section.queryTerms.map(weightOf)) ** coverage;
  found.sort((one, other) => other.score - one.score);
  const shown: FoundSection[] = [];
  const pageOf = ({ id }: FoundSection) => id.split("#")[0];
  for (const section of [...named, ...found] as unknown as FoundSection[]) {
    const isNew = !shown.some(({ id }) => id === section.id);
    if (isNew && shown.filter((one) => pageOf(one) === pageOf(section)).length < maxOfPage) shown.push(section);
  }
  return shown.slice(0, maxSections);
}
