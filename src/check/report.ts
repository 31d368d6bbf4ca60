/** The report of a check. `create_report.ts` creates it. */

import type { Exchange } from "../recorder/exchange.ts";
import type { PracticeResult } from "../recorder/practices/mod.ts";
import type { RuleResult } from "../server/pages/rule_result.ts";
import type { Attack, JourneyEvidence, JourneyOutcome } from "./attack.ts";
import type { Effect } from "./effects.ts";
import type { Capability } from "./capabilities.ts";

/** What one attack shows about the client. */
export type Verdict =
  /** The client breaks a requirement that binds it, caused harm, or crashed. */
  | "failed"
  /** The client behaves differently from a correct one, but breaks no requirement that binds it. */
  | "warning"
  /** The client behaves as a correct one. */
  | "passed"
  /**
   * The attack shows nothing about the client, and {@link AttackResult.because} says why: it was not run, it did not
   * reach the client, the driver does not know what the client did, or a correct client can do the same.
   */
  | "skipped";

/** The verdicts, the worst first: the order of a report, and that of the journeys of one attack. */
export const verdicts: readonly Verdict[] = ["failed", "warning", "passed", "skipped"];

/** The verdicts that have a cause, the worst first. */
export const failureVerdicts: readonly ("failed" | "warning")[] = ["failed", "warning"];

/** Whether the client does not behave as a correct one. */
export const isFailure = (verdict: Verdict): verdict is "failed" | "warning" =>
  verdict === "failed" || verdict === "warning";

/** The worst verdict of the journeys of one attack. */
export const worstVerdict = (journeys: readonly { readonly verdict: Verdict }[]): Verdict =>
  verdicts.find((verdict) => journeys.some((journey) => journey.verdict === verdict))!;

/** Why journeys show nothing after an attack that stopped the application. */
export const stoppedCause = "the application stopped during an earlier attack";

/** Why journeys did not run that the check had no time for. */
export const timeLimitCause = "the time limit was reached";

/** @internal The journey without an attack: what was seen of the client before the attacks. */
export interface ControlResult extends JourneyEvidence {
  /** Whether the client completed it, and again after the attacks if each has a server of its own. */
  readonly passed: boolean;
  /** How it ended. */
  readonly outcome: JourneyOutcome;
  /** Who was logged in. */
  readonly sub?: string;
  /** The claims that the application uses, if the driver knows them. */
  readonly claims?: Readonly<Record<string, unknown>>;
  /** The texts of the user that the application shows, in lower case. */
  readonly shown: readonly string[];
  /** The exchanges of the login, and of what else the driver can do, secrets included. */
  readonly exchanges: readonly Exchange[];
  /** The authorization requests of one login, such as one without pages before the other. */
  readonly authorizations: number;
  /** The endpoints that the client sent requests to. */
  readonly endpoints: ReadonlySet<string>;
  /** What was seen of the client, and what the check can do with it; empty if the login failed. */
  readonly capabilities: ReadonlySet<Capability>;
  /** What fails without an attack, with the error of the client. Attacks that need it are skipped. */
  readonly failedCapabilities: ReadonlyMap<Capability, unknown>;
}

/** One variant of one attack: the verdict, and what it rests on. */
export interface AttackResult {
  /** The attack. */
  readonly attack: Attack;
  /** The parameters of the attack that differ from their defaults. */
  readonly values: Readonly<Record<string, unknown>>;
  /** What it shows. */
  readonly verdict: Verdict;
  /** Whether it failed, and the baseline of the check has it. Default: false. */
  readonly isKnown?: boolean;
  /** Whether it was skipped although it applies to the client. Default: false. */
  readonly isUnclear?: boolean;
  /** What was seen of the client, if it failed; otherwise the usual effect of the attack. */
  readonly effect: Effect;
  /** What the client did, or why it is unknown. */
  readonly because: string;
  /**
   * What all results of one cause have in common: what a client that failed does wrong ({@link FailureCause.cause}), or
   * why it is unknown (default: `because`).
   */
  readonly cause?: string;
  /** What the attacker got in this journey; follows "the client". Absent: nothing that was seen. */
  readonly harm?: string;
  /** The MUST that binds this client and that it breaks: `RFC 9207 §2.4: the client uses several issuers`. */
  readonly requirement?: string;
  /** What was seen of the client since the attack began. */
  readonly evidence: JourneyEvidence;
}

/** @internal Failures with one cause: the effect is that of the gravest attack. */
export interface FailureCause extends Pick<Effect, "cause" | "severity" | "consequence" | "fix"> {
  /** `failed`, or else `warning`: that of the worst journey. */
  readonly verdict: "failed" | "warning";
  /** Whether the baseline of the check has every failure of it. Default: false. */
  readonly isKnown?: boolean;
  /** The attacks, by id, the gravest first. */
  readonly attacks: readonly string[];
  /** What the attacker got; follows "the client". Empty: nothing that was seen. */
  readonly harms: readonly string[];
  /** The MUSTs that the client breaks. Empty: none that binds it. */
  readonly requirements: readonly string[];
}

/** A request that the server rejected during the login without an attack. Secrets are redacted. */
export interface ControlRejection extends Pick<RuleResult, "rule" | "expected" | "received" | "fix"> {
  /** The method and the path. */
  readonly request: string;
  readonly error: string;
  /** Why, one sentence. */
  readonly reason: string;
  /** The earlier request that the request conflicts with. */
  readonly earlier?: string;
  /** The sections of specifications that the rule is from; empty without a rule. */
  readonly sources: readonly string[];
  /** The page of the rule; absent if no server shows it after the check. */
  readonly url?: string;
}

/** The failure of a login without an attack. */
export interface ControlFailure {
  /** How the login ended, and the whole error of the client, on one line. */
  readonly error: string;
  /** What the server rejected, oldest first. The last one is the cause. */
  readonly rejections: readonly ControlRejection[];
  /** How to fix it, one sentence: by a flag of the command, or at the client. Absent: no way is known. */
  readonly fix?: string;
}

/** The report of a check. */
export interface CheckReport {
  /** The name of the driver. */
  readonly client: string;
  /** @internal What is checked: a client, which logs in, or a resource server, which gets requests with a token. */
  readonly kind: "client" | "resource server";
  /**
   * Whether the login without an attack succeeded, no attack and no practice failed with a severity of
   * {@link CheckOptions.failOn} that the baseline does not have, and the check has no {@link CheckReport.problem}.
   * Warnings do not count.
   */
  readonly passed: boolean;
  /**
   * Why the check as a whole shows too little, one sentence without a full stop: it was stopped, something that the
   * client should do fails without an attack, nothing in it showed anything, or most of what applies was skipped.
   * Absent if it shows enough, and if the login without an attack failed.
   */
  readonly problem?: string;
  /** The journey without an attack. */
  readonly control: ControlResult;
  /** @internal Why the journey without an attack failed; absent if it succeeded. */
  readonly controlFailure?: ControlFailure;
  /** Every variant of every attack, in the order of the catalogue. */
  readonly results: readonly AttackResult[];
  /** The practices of the client; empty without a login, or if they were not to be checked. */
  readonly practices: readonly CheckedPractice[];
  /** The known failures that did not fail in this check, by name. */
  readonly outdatedBaseline: readonly string[];
  /** The results that failed, without those of the baseline. */
  readonly failures: readonly AttackResult[];
  /** What failed, by its cause, the worst first; warnings and known failures included. */
  readonly causes: readonly FailureCause[];
  /** How many journeys, which are the {@link CheckReport.results}, have each verdict. */
  readonly counts: Readonly<Record<Verdict, number>>;
  /** How many attacks have each verdict: that of the worst of its journeys. */
  readonly attackCounts: Readonly<Record<Verdict, number>>;
  /** How long the check took, in seconds of real time. */
  readonly seconds: number;
  /** The URL of the pages of the rules, at a server that stays. Absent: the report names the sources of a rule. */
  readonly rulesUrl?: string;
  /** The command that repeats one attack. */
  repeat(attackId: string): string;
  /** The report as text. */
  toString(): string;
  /** The report as data that JSON can carry, without secrets. */
  toJSON(): Readonly<Record<string, unknown>>;
  /** The report as an HTML document, which needs no other file and no script. */
  toHTML(): Promise<string>;
  /** The report as JUnit XML: a test case for each result; what did not pass and is required is a failure. */
  toJUnit(): string;
}

/** @internal A practice of the client. */
export interface CheckedPractice extends PracticeResult {
  /** Whether it failed, and the baseline of the check has it. */
  readonly isKnown?: boolean;
}
