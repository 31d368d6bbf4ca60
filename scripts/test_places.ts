/** Which tests run on which runtimes. */

import { readFileSync } from "node:fs";
import type { RuntimeName } from "./test_runtimes.ts";

/** Test files whose subject cannot differ between runtimes: the beginnings of their paths, and why. */
interface Group {
  readonly why: string;
  readonly paths: readonly string[];
  /** Whether a file that uses what {@link differences} name runs on Deno alone too. */
  readonly always?: true;
  /** Whether the files run on Bun too, for its engine: that of Node is Deno's. */
  readonly onBun?: true;
}

/** The beginnings of paths below a folder. */
const below = (folder: string, ...names: string[]) => names.map((name) => folder + name);

/** What does not run everywhere. Every other test file, and so every new one of another name, runs on every runtime. */
export const notEverywhere: readonly Group[] = [
  {
    why: "scripts, READMEs and files for other languages",
    paths: [
      "tests/scripts/",
      "tests/testing/control/container_languages_",
      "tests/readme_test.ts",
      "tests/testing/moving_readme_test.ts",
    ],
    always: true,
  },
  {
    why: "client libraries, whose own sockets may keep a process of Node running; other files run them on each runtime",
    paths: ["tests/testing/vary/libraries_"],
    always: true,
  },
  {
    why: "the time of regular expressions, on Deno and Bun: the engine of Node is Deno's",
    paths: ["tests/fuzz/costly_texts_"],
    always: true,
    onBun: true,
  },
  {
    why: "values in, values out",
    paths: [
      ...["tests/server/oauth/", "tests/server/pages/", "tests/recorder/habits/", "tests/recorder/"],
      ...below("tests/cli/", "about_", "check_", "example_", "import_realm_", "init_", "mock_oauth2_config_"),
      ...below("tests/cli/", "read_config_", "realm_", "schema_", "shortcuts_", "validate_"),
    ],
  },
  {
    why: "decisions about parameters that were read before; reading them, keys, stores and whole journeys are tested " +
      "in other files, on every runtime",
    paths: [
      ...below("tests/server/authorize/", "authorization_", "pending_", "redirect_uri_"),
      ...below("tests/server/token/", "client_credentials_", "grant_types_"),
      "tests/server/endpoints/wrong_address_",
      ...below("tests/testing/", "accept_any_", "own_rejection_", "plugin_endpoint_", "signed_responses_"),
      ...below("tests/cli/", "banner_", "exposure_"),
      ...below("tests/server/", "clients/claims_", "client_profile_", "clock_skew_", "fapi_message_signing_", "hosts_"),
      ...below("tests/server/profiles/", "apple_", "cognito_", "entra_", "github_test"),
      ...below("tests/server/", "profile_", "resource_", "settings_", "standing_", "test_secrets_"),
      ...below(
        "tests/server/extensions/",
        "absent_extension_",
        "assertion_grants/id_jag_",
        "authorization_details/",
        "signed_responses/jarm_",
        "token_exchange/",
      ),
    ],
  },
  {
    why: "pages as text, and what their forms send",
    paths: [
      ...below(
        "tests/devtools/connect/",
        "client_change_",
        "client_edit_",
        "clients_page_",
        "user_switch_",
        "users_page_",
      ),
      ...below("tests/devtools/", "error_pages_", "hosts_", "disabled_page_", "rules/", "requests/flow_list_"),
      ...below("tests/server/login/", "consent_", "login_"),
      ...below("tests/server/", "authorize/form_post_"),
      "tests/server/extensions/client_logout/frontchannel_logout_",
    ],
  },
  {
    why: "what each attack sends, and to which client it is dangerous; the check itself, with timers, streams and " +
      "sockets, is tested in other files, on every runtime",
    paths: [
      ...below("tests/check/", "broken_", "catalogue_", "causes_", "client_check_", "client_settings_"),
      ...below(
        "tests/check/",
        "confirmation_",
        "extensions_",
        "fixed_issuer_verdicts_",
        "framework_",
        "legal_",
        "one_sided_harm_",
        "report_",
        "session_starts_",
        "unseen_",
        "userinfo_each_request_",
        "users_",
        "varied_styles_",
        "web_styles_",
      ),
      ...below("tests/check/drivers/", "libraries_", "sources_", "web_applications_"),
      ...["tests/cli/check_application_", "tests/fuzz/verdict_"],
    ],
    always: true,
  },
  {
    why:
      "decisions above the store, the network, processes and the keys, and pages as text; stores, outgoing requests, " +
      "processes, signatures and digests are tested in other files, on every runtime",
    paths: [
      ...below("tests/devtools/", "authorized/steps_", "requests/flow_habits_", "requests/flow_share_"),
      "tests/devtools/connect/older_form_",
      ...below("tests/server/", "authorize/openid_request_", "endpoints/metadata_features_", "fetches_"),
      ...below("tests/server/", "providers_", "replaced_", "token/client_auth_", "token/refresh_"),
      "tests/server/unauthenticated_writes_",
      ...below(
        "tests/server/extensions/",
        "device/",
        "par/",
        "registration/management_",
        "registration/stores_",
      ),
      ...below("tests/testing/", "control/access_", "never_", "tenants_", "token_shapes_", "vary/vary_"),
      "tests/server/never_",
      ...below("tests/cli/", "operating/cross_site_", "operating/mistakes_", "vary_"),
      "tests/platform/runtime/program_texts_",
    ],
    always: true,
  },
];

/** What differs between runtimes: sockets, processes, timers, streams, keys and digests, stores. */
const differences: readonly RegExp[] = [
  /"node:(?:async_hooks|child_process|crypto|dgram|http|http2|https|net|sqlite|timers|tls|worker_threads)\b/,
  /(?<!src)\/platform\/store\/|\/store\/(?:sql\/|redis\.ts)/,
  /\/src\/platform\/runtime\//,
  /\/until\.ts"/,
  /\b(?:setTimeout|setInterval|ReadableStream|TransformStream)\(/,
  /\bcrypto\.subtle\b/,
  /\.listen\(/,
];

/** Files that take turns: all but `core/`, `platform/` and those with `race` or `store` in their path. */
const takeTurns = /^tests\/(?:check|cli|client|devtools|fuzz|recorder|resource|server|testing)\/(?!.*(?:race|store))/;

/** What one run with --all knows of a test file. */
interface FilePlace {
  /** Whether it runs in the folder that has only the server, without most extensions. */
  readonly isAlone: boolean;
  /** The number of the week, if each file takes its turn; absent if each file runs wherever it can. */
  readonly week?: number;
}

/**
 * The runtimes of a test file in a run with --all: Deno, and Node and Bun if its subject can differ there. With all
 * extensions a file of the server runs on Bun, if not on Node too. A file that takes turns runs on Node in one week and
 * on Bun in the next; if it runs on Bun for the extensions alone, it runs there every other week.
 */
export function runtimesOf(file: string, { isAlone, week }: FilePlace): readonly RuntimeName[] {
  const others = (["node", "bun"] as const).filter((name) => runsOn(name, file) || name === "bun" && isAlone);
  if (week === undefined || !takeTurns.test(file)) return ["deno", ...others];
  const turn = (file.length + week) % 2;
  return ["deno", ...others.slice(turn, turn + 1)];
}

/** Whether the subject of a test file can differ on a runtime. */
export function runsOn(runtime: RuntimeName, file: string): boolean {
  if (runtime === "deno") return true;
  const groups = notEverywhere.filter(({ paths }) => paths.some((path) => file.startsWith(path)));
  if (groups.length === 0) return true;
  if (runtime === "bun" && groups.every(({ onBun }) => onBun)) return true;
  if (groups.some(({ always }) => always)) return false;
  const text = readFileSync(file, "utf8");
  return differences.some((pattern) => pattern.test(text));
}
