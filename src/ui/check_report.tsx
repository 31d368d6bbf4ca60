/** @jsxImportSource preact */
/** The report of a check of a client: a page of the server, and a document of its own that needs no other file. */

import type { VNode } from "preact";
import { render } from "preact-render-to-string";
import { assets } from "./assets.gen.ts";
import { assets as flowAssets } from "./flows/assets.gen.ts";
import { Layout, Section, type Site } from "./layout.tsx";
import { Notice } from "./notice.tsx";
import { StatusBadge, type Tone } from "./status_badge.tsx";
import { DefinitionItem } from "./value.tsx";

/** An attack or a habit, with the variants that have one verdict. */
export interface ReportedAttack {
  /** Its id. */
  readonly name: string;
  /** What the server does. */
  readonly title: string;
  /** What is expected: `must-reject`. */
  readonly level: string;
  /** How grave a failure is; absent for a habit. */
  readonly severity?: string;
  /** What a failure leads to; absent for a habit. */
  readonly consequence?: string;
  /** What a correct client does. */
  readonly correctClient: string;
  /** How to fix the client; absent for a habit. */
  readonly fix?: string;
  /** The command that repeats the attack; absent for a habit. */
  readonly repeat?: string;
  /** The specifications and reports that it rests on. */
  readonly sources: readonly string[];
  /** What the client did in each variant. */
  readonly variants: readonly ReportedVariant[];
}

/** One variant of an attack. */
export interface ReportedVariant {
  /** The values of its parameters; empty without parameters. */
  readonly values: string;
  /** What the client did. */
  readonly because: string;
  /** What the server sent, in place of what it sends without an attack. */
  readonly sent: readonly string[];
  /** A line for each exchange. */
  readonly exchanges: readonly string[];
}

/** The results with one verdict. */
export interface ReportedVerdict {
  /** `failed`, `known`, `warning`, `inconclusive`, `noted`, `skipped` or `passed`. */
  readonly verdict: string;
  /** How many attacks and habits have it. */
  readonly count: number;
  /** With everything that is known, the gravest first. */
  readonly attacks?: readonly ReportedAttack[];
  /** In one line each. */
  readonly brief?: readonly { readonly name: string; readonly title: string }[];
  /** By the cause. */
  readonly causes?: readonly {
    readonly cause: string;
    readonly attacks: readonly string[];
    readonly example?: string;
  }[];
}

/** The report of a check. */
export interface CheckReportProps {
  /** The name of the client. */
  readonly client: string;
  /** Whether the login without an attack succeeded and no attack did. Absent: the check is running. */
  readonly passed?: boolean;
  /** Why the check as a whole shows too little; absent if it shows enough. */
  readonly problem?: string;
  /** Lines about the failure of the login without an attack; absent if it succeeded. */
  readonly controlFailure?: readonly string[];
  /** The known failures that passed. */
  readonly outdatedBaseline: readonly string[];
  /** How many attacks and journeys there were, and how long they took. */
  readonly summary: string;
  /** Those that have results, the worst first. */
  readonly verdicts: readonly ReportedVerdict[];
}

const verdictTexts: Readonly<Record<string, readonly [tone: Tone, heading: string]>> = {
  failed: ["bad", "Failed"],
  known: ["warn", "Known failures"],
  warning: ["warn", "Warnings"],
  inconclusive: ["open", "Inconclusive"],
  noted: ["open", "Noted"],
  skipped: ["open", "Skipped"],
  passed: ["good", "Passed"],
};

function Summary({ passed, summary, problem, controlFailure, outdatedBaseline }: CheckReportProps): VNode {
  const [tone, label] = passed === undefined
    ? ["open", "The check is running"] as const
    : passed
    ? ["good", "Passed"] as const
    : ["bad", "Failed"] as const;
  return (
    <>
      <p>
        <StatusBadge tone={tone} label={label} /> {summary}
      </p>
      {controlFailure !== undefined && (
        <Notice kind="bad">
          {controlFailure.filter((line) => line !== "").map((line) => <p key={line}>{line.trim()}</p>)}
        </Notice>
      )}
      {problem !== undefined && (
        <Notice kind="bad">
          <p>{sentence(problem)}</p>
        </Notice>
      )}
      {outdatedBaseline.length > 0 && (
        <Notice kind="warn">
          <p>Failures of the baseline that passed: {outdatedBaseline.join(", ")}.</p>
        </Notice>
      )}
    </>
  );
}

/** An attack with everything that is known, for what deserves attention. */
function Details({ attack, tone }: { readonly attack: ReportedAttack; readonly tone: Tone }): VNode {
  const { name, title, level, severity, consequence, correctClient, fix, repeat, sources, variants } = attack;
  return (
    <article>
      <h3>
        <StatusBadge tone={tone} label={name} />
      </h3>
      <dl class="facts">
        <DefinitionItem label="Attack">{title}</DefinitionItem>
        {consequence && <DefinitionItem label="Consequence">{`${consequence} (${severity})`}</DefinitionItem>}
        <DefinitionItem label="Expected">{`${correctClient} (${level})`}</DefinitionItem>
        {variants.map((variant) => <Variant key={variant.values} {...variant} />)}
        {fix && <DefinitionItem label="Fix">{fix}</DefinitionItem>}
        {repeat && (
          <DefinitionItem label="Repeat">
            <code class="wire">{repeat}</code>
          </DefinitionItem>
        )}
        <DefinitionItem label="Sources">{sources.join("; ")}</DefinitionItem>
      </dl>
    </article>
  );
}

function Variant({ values, because, sent, exchanges }: ReportedVariant): VNode {
  return (
    <>
      <DefinitionItem label="Received">
        {values !== "" && (
          <>
            <code class="wire">{values}</code>
            {" "}
          </>
        )}
        {sentence(because)}
      </DefinitionItem>
      {sent.length > 0 && <DefinitionItem label="Sent">{sent.join("; ")}</DefinitionItem>}
      {exchanges.length > 0 && <DefinitionItem label="Requests">{exchanges.join("; ")}</DefinitionItem>}
    </>
  );
}

/** A sentence that begins with a capital letter. */
const sentence = (text: string) => `${text.slice(0, 1).toUpperCase()}${text.slice(1)}.`;

function Verdict({ verdict, count, attacks = [], brief = [], causes = [] }: ReportedVerdict): VNode {
  const [tone, heading] = verdictTexts[verdict]!;
  return (
    <Section id={verdict} heading={`${heading}: ${count}`}>
      {attacks.map((attack) => <Details key={attack.name} attack={attack} tone={tone} />)}
      {brief.length > 0 && (
        <ul>
          {brief.map(({ name, title }) => (
            <li key={name}>
              <code class="wire">{name}</code> {title}
            </li>
          ))}
        </ul>
      )}
      {causes.map(({ cause, attacks, example }) => (
        <article key={cause}>
          <h3>{sentence(cause)}</h3>
          {example !== undefined && <p>For example: {example}</p>}
          <p>
            <code class="wire">{attacks.join(", ")}</code>
          </p>
        </article>
      ))}
    </Section>
  );
}

const headingOf = ({ client }: CheckReportProps) => `Check of ${client}`;

const toHtml = (page: VNode) => `<!DOCTYPE html>\n${render(page)}\n`;

/** The report as a page of the server. */
export function checkReportPage(props: CheckReportProps & Site): string {
  return toHtml(
    <Layout
      site={props}
      path="/flows/check"
      head={<link rel="stylesheet" href={`${props.base}/flows/list.css`} />}
      heading={headingOf(props)}
      opening={<Summary {...props} />}
    >
      {props.verdicts.map((verdict) => <Verdict key={verdict.verdict} {...verdict} />)}
    </Layout>,
  );
}

/** The style sheet inside the document. */
export const checkReportStyle: string = assets["style.css"]!.body + flowAssets["list.css"]!.body;

/**
 * The report as a document that needs no other file, no script and no network.
 *
 * @param styleDigest The SHA-256 digest of {@link checkReportStyle} in base64, for the policy of the document (CSP).
 */
export function checkReportDocument(props: CheckReportProps, styleDigest: string): string {
  return toHtml(
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="light dark" />
        <meta httpEquiv="Content-Security-Policy" content={`default-src 'none'; style-src 'sha256-${styleDigest}'`} />
        <title>{`${headingOf(props)} · Latchkey`}</title>
        <style dangerouslySetInnerHTML={{ __html: checkReportStyle }} />
      </head>
      <body>
        <header class="top">
          <p class="name">Latchkey</p>
        </header>
        <main id="main">
          <div class="opening">
            <h1>{headingOf(props)}</h1>
            <Summary {...props} />
          </div>
          {props.verdicts.map((verdict) => <Verdict key={verdict.verdict} {...verdict} />)}
        </main>
      </body>
    </html>,
  );
}
