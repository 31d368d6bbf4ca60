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

/** One variant of one attack. */
export interface ReportedAttack {
  /** Its id, and the values of its parameters. */
  readonly name: string;
  /** What the server does. */
  readonly title: string;
  /** What is expected: `must-reject`. */
  readonly level: string;
  /** What a correct client does. */
  readonly correctClient: string;
  /** What the client did. */
  readonly because: string;
  /** A line for each exchange. */
  readonly exchanges: readonly string[];
  /** The specifications and reports that it rests on. */
  readonly sources: readonly string[];
}

/** The results with one verdict. */
export interface ReportedVerdict {
  /** `failed`, `warning`, `inconclusive`, `noted`, `skipped` or `passed`. */
  readonly verdict: string;
  /** How many results have it. */
  readonly count: number;
  /** In the order of the catalogue; of those that passed or were skipped, one for each attack. */
  readonly attacks: readonly ReportedAttack[];
}

/** The report of a check. */
export interface CheckReportProps {
  /** The name of the client. */
  readonly client: string;
  /** Whether the login without an attack succeeded and no attack did. Absent: the check is running. */
  readonly passed?: boolean;
  /** Why the login without an attack failed; absent if it succeeded. */
  readonly controlError?: string;
  /** How many attacks and journeys there were, and how long they took. */
  readonly summary: string;
  /** Those that have results, the worst first. */
  readonly verdicts: readonly ReportedVerdict[];
}

const verdictTexts: Readonly<Record<string, readonly [tone: Tone, heading: string]>> = {
  failed: ["bad", "Failed"],
  warning: ["warn", "Warnings"],
  inconclusive: ["open", "Inconclusive"],
  noted: ["open", "Noted"],
  skipped: ["open", "Skipped"],
  passed: ["good", "Passed"],
};

function Summary({ passed, summary, controlError }: CheckReportProps): VNode {
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
      {controlError !== undefined && (
        <Notice kind="bad">
          <p>The login without an attack failed: {controlError}</p>
        </Notice>
      )}
    </>
  );
}

/** An attack with everything that is known, for what deserves attention. */
function Details({ attack, tone }: { readonly attack: ReportedAttack; readonly tone: Tone }): VNode {
  const { name, title, level, correctClient, because, exchanges, sources } = attack;
  return (
    <article>
      <h3>
        <StatusBadge tone={tone} label={name} />
      </h3>
      <dl class="facts">
        <DefinitionItem label="Attack">{title}</DefinitionItem>
        <DefinitionItem label="Expected">{`${correctClient} (${level})`}</DefinitionItem>
        <DefinitionItem label="Received">{sentence(because)}</DefinitionItem>
        {exchanges.length > 0 && <DefinitionItem label="Requests">{exchanges.join("; ")}</DefinitionItem>}
        <DefinitionItem label="Sources">{sources.join("; ")}</DefinitionItem>
      </dl>
    </article>
  );
}

/** A sentence that begins with a capital letter. */
const sentence = (text: string) => `${text.slice(0, 1).toUpperCase()}${text.slice(1)}.`;

function Verdict({ verdict, count, attacks }: ReportedVerdict): VNode {
  const [tone, heading] = verdictTexts[verdict]!;
  const isBrief = verdict === "passed" || verdict === "skipped";
  return (
    <Section id={verdict} heading={`${heading}: ${count}`}>
      {isBrief
        ? (
          <ul>
            {attacks.map(({ name, title, because }) => (
              <li key={name}>
                <code class="wire">{name}</code> {verdict === "skipped" ? sentence(because) : title}
              </li>
            ))}
          </ul>
        )
        : attacks.map((attack) => <Details key={attack.name} attack={attack} tone={tone} />)}
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
