/** The options of a check. */

import { choice, flag, list, object, objectField, text, texts, whole } from "../core/policy/field.ts";
import { suggest } from "../core/policy/suggest.ts";
import type { Recorder } from "../recorder/recorder.ts";
import { anyOption, assertOptions } from "../testing/options.ts";
import type { TestLatchkey, TestLatchkeyOptions } from "../testing/test_latchkey.ts";
import { type Attack, categoryOf, idsNamed } from "./attack.ts";
import { attacks } from "./attacks/mod.ts";
import type { Baseline } from "./baseline.ts";
import type { BrowserContext } from "../platform/runtime/chromium.ts";
import { severities, type Severity } from "./effects.ts";
import type { AttackResult, ControlFailure } from "./report.ts";

/** Options of a check. Everything has a default. */
export interface CheckOptions {
  /**
   * The attacks to run, by id or by category: `["id-token", "keys/rotated"]`; `practices`: the best practices. Default:
   * all.
   */
  readonly only?: readonly string[];
  /** The attacks to leave out, by id or by category. Default: none. */
  readonly except?: readonly string[];
  /** Whether to run the attacks that end only by a time limit of the client. Default: false. */
  readonly timeLimits?: boolean;
  /** How long to wait for the client in each journey, in milliseconds. Default: 5000. */
  readonly timeoutMs?: number;
  /** How many journeys run at the same time. Default: 8; 1 for a client that can only handle one login. */
  readonly concurrency?: number;
  /** Options of the server of each journey. Default: those of {@link testLatchkey}. */
  readonly server?: Omit<TestLatchkeyOptions, "issuer" | "clients">;
  /**
   * A mock server that listens, with the issuer that the client is configured with, such as an application in another
   * process. The journeys run one after the other; between them the server is reset, except for clients, users and
   * keys. Attacks on keys and metadata, which clients keep, come last. Default: a separate server for each journey.
   */
  readonly as?: TestLatchkey;
  /**
   * Restarts the client, and resolves when it can log in; rejects if it does not start. For `as`: attacks on metadata
   * and keys that the client reads only at its start are skipped without it.
   */
  readonly restart?: () => Promise<void>;
  /**
   * For how long a login after an attack may fail, in milliseconds, because clients limit how often they fetch keys,
   * and how long to wait for an application that limits logins.
   * Default: 60,000 with `as`, else 0.
   */
  readonly recoveryMs?: number;
  /**
   * The failures that are known: the JSON report of an earlier check. They do not fail the check again.
   * Default: none.
   */
  readonly baseline?: Baseline;
  /**
   * The severities of failures with which the check fails. A required practice that the client lacks is `medium`.
   * Default: `critical` and `high`.
   */
  readonly failOn?: readonly Severity[];
  /**
   * Ends the check when it is aborted: the report has the results until then, and lists all other attacks as skipped.
   * Default: the check runs to its end.
   */
  readonly signal?: AbortSignal;
  /** The command in the report that repeats one attack. Default: a call of `checkClient`. */
  readonly repeat?: (attackId: string) => string;
  /** @internal The flag of the command that fixes a failed login, one sentence. Default: none. */
  readonly suggestFlag?: (failure: ControlFailure) => string | undefined;
  /** The URL of the pages of the rules, for the report. Default: the report names the sources of a rule. */
  readonly rulesUrl?: string;
  /**
   * How long to wait before each journey, in milliseconds, for an application that limits logins: a journey has up to
   * three. Default: 0.
   */
  readonly pauseMs?: number;
  /**
   * How many minutes the attacks may take, the most severe first; what remains is skipped. For `as`. Default: no limit,
   * but restarts take at most twice as long as the rest.
   */
  readonly minutes?: number;
  /**
   * Whether the client may run in this process: an error that no code catches is then a crash of the client. Default:
   * true.
   */
  readonly inProcess?: boolean;
  /** Called when the check waits, such as for a limit of logins: why, and for how many milliseconds at most. */
  readonly onWait?: (because: string, milliseconds: number) => void;
  /** Called with the id of each attack before its journey. */
  readonly onStart?: (attackId: string) => void;
  /**
   * Called with each result, and the total number of results. Not called if the login without an attack fails,
   * because no attack runs then.
   */
  readonly onResult?: (result: AttackResult, total: number) => void;
}

/** @internal Options that only the operator of the machine may set, not a visitor of a page. */
export interface OperatorOptions extends
  Pick<
    CheckOptions,
    | "timeLimits"
    | "timeoutMs"
    | "recoveryMs"
    | "pauseMs"
    | "minutes"
    | "restart"
    | "baseline"
    | "failOn"
    | "repeat"
    | "suggestFlag"
    | "onWait"
    | "onStart"
    | "onResult"
  > {
  /** Records the requests of the check. */
  readonly recorder: Recorder;
  /**
   * The URL is that of a resource server, which takes access tokens in this place
   * ({@link ResourceApplicationOptions.tokenIn}). Default: it starts a login.
   */
  readonly tokenIn?: string;
  /** Opens a browser for a single-page application. Default: the check requests pages, and runs no script. */
  readonly openContext?: () => Promise<BrowserContext>;
}

/** @internal Severities of failures, for options and flags. */
export const severitiesField = list<Severity>(choice(severities), [["critical", "high", "medium"]]);

const optionsField = object<CheckOptions>("CheckOptions", {
  only: texts(["id-token"]),
  except: texts(["transport"]),
  timeLimits: flag(false),
  timeoutMs: whole(5000, { min: 1, expected: "a whole number of milliseconds, at least 1" }),
  concurrency: whole(8, { min: 1, expected: "a whole number, at least 1" }),
  server: objectField,
  as: objectField,
  restart: anyOption,
  recoveryMs: whole(60_000, { min: 0, expected: "a whole number of milliseconds" }),
  baseline: objectField,
  failOn: severitiesField,
  signal: anyOption,
  repeat: anyOption,
  suggestFlag: anyOption,
  rulesUrl: text(["http://localhost:9000/docs/rules"]),
  pauseMs: whole(0, { min: 0, expected: "a whole number of milliseconds" }),
  minutes: whole(10, { min: 1, expected: "a whole number of minutes, at least 1" }),
  inProcess: flag(true),
  onWait: anyOption,
  onStart: anyOption,
  onResult: anyOption,
}, {});

/** @throws {TypeError} If an option is invalid, or names an unknown attack. */
export function assertCheckOptions(options: CheckOptions): void {
  assertOptions("checkClient", optionsField, options);
  assertKnown("only", options.only ?? []);
  assertKnown("except", options.except ?? []);
}

/** Whether a list has the attack or its category. */
export function isNamed({ id }: Attack, names: readonly string[]): boolean {
  return names.some((name) => name === id || name === categoryOf(id));
}

/** The id that a name without its category stands for, if it is the only one; otherwise the name itself. */
export function completeName(name: string): string {
  const [id, ...others] = findNamed(name);
  return id === undefined || others.length > 0 || attacks.some(({ id }) => categoryOf(id) === name) ? name : id;
}

/** The ids of the attacks that have a name after their category. */
const findNamed = (name: string) => idsNamed(name, attacks.map(({ id }) => id));

/** The first name that is neither an attack nor a category, and how to fix it. */
export function findUnknown(names: readonly string[]): { readonly name: string; readonly hint: string } | undefined {
  const known = [...new Set(attacks.flatMap(({ id }) => [categoryOf(id), id])), "practices"];
  const name = names.find((name) => !known.includes(completeName(name)));
  if (name === undefined) return undefined;
  const named = findNamed(name);
  const closest = named.length > 0 ? named : suggest(name, known) ?? [];
  const quoted = [closest].flat().map((id) => `"${id}"`).join(" or ");
  return { name, hint: quoted === "" ? "latchkey explain faults lists all." : `Did you mean ${quoted}?` };
}

/** @throws {TypeError} If a name is neither an attack nor a category. */
function assertKnown(option: string, names: readonly string[]): void {
  const unknown = findUnknown(names);
  if (unknown === undefined) return;
  const { name, hint } = unknown;
  throw new TypeError(
    `checkClient, ${option}: expected an attack or a category, received ${JSON.stringify(name)}. ${hint}`,
  );
}

/** @internal What is checked, and how. */
export interface ClientCheckOptions {
  /** The ID of a configured client. */
  readonly client: string;
  /** The URL that starts a login of the application, on a test host. */
  readonly loginUrl: string;
  /** A page that shows whether, and who, is logged in. Default: the page where the login ends. */
  readonly loggedInUrl?: string;
  /** A text that only the page of the user has. Default: the claims that only this user has. */
  readonly loggedInText?: string;
  /** A page where the application refreshes tokens. Default: the attacks on refreshes are skipped. */
  readonly refreshUrl?: string;
  /** A page where the application uses its access token. Default: the attacks on its use are skipped. */
  readonly apiUrl?: string;
  /** Where the application logs out. Default: the attacks on logout are skipped. */
  readonly logoutUrl?: string;
  /** The attacks to run, by id or by category. Default: all. */
  readonly only?: readonly string[];
  /** The attacks to leave out, by id or by category. Default: none. */
  readonly except?: readonly string[];
}
