/** @jsxImportSource preact */
/** The report of a check of a client: a page of the server, and a document of its own that needs no other file. */

import { Fragment, type VNode } from "preact";
import type { ReportView, ResultGroup, ResultRow, VerdictSection } from "../report_view.ts";
import { upperFirst } from "../../server/pages/first_letter.ts";
import type { NavigationLink } from "../../server/endpoint.ts";
import { Layout, Section, type Site } from "../../server/pages/layout.tsx";
import { Notice } from "../../server/pages/notice.tsx";
import { TextWithRule } from "../../server/pages/rule_link.tsx";
import { Standalone, type StandaloneStyle } from "../../server/pages/standalone.tsx";
import { StatusBadge, type Tone } from "../../server/pages/status_badge.tsx";
import { CopyButton, DefinitionItem } from "../../server/pages/value.tsx";

const verdictTexts: Readonly<Record<VerdictSection["verdict"], readonly [tone: Tone, heading: string]>> = {
  failed: ["bad", "Failed"],
  warning: ["warn", "Warnings"],
  skipped: ["over", "Skipped"],
  passed: ["good", "Passed"],
};

function Summary({ passed, summary, problem, controlFailure, outdatedBaseline }: ReportView): VNode {
  return (
    <>
      <p>
        <StatusBadge tone={passed ? "good" : "bad"} label={passed ? "Passed" : "Failed"} /> {summary}
      </p>
      {controlFailure !== undefined && (
        <Notice kind="bad">
          {controlFailure.filter((line) => line !== "").map((line) => (
            <p key={line}>
              <TextWithRule text={line.trim()} />
            </p>
          ))}
        </Notice>
      )}
      {problem !== undefined && <Notice kind="bad" text={sentence(problem)} />}
      {outdatedBaseline.length > 0 && (
        <Notice kind="warn">
          <p>
            The baseline lists failures that passed now: {outdatedBaseline.join(", ")}. Remove them from the baseline.
          </p>
        </Notice>
      )}
    </>
  );
}

/** The counts, each a link to the results with this verdict. */
function Score({ score }: Pick<ReportView, "score">): VNode {
  const startOf = (index: number) => score.slice(0, index).reduce((sum, { count }) => sum + count, 0);
  const total = startOf(score.length);
  return (
    <nav aria-label="Results" class="score">
      <ul>
        {score.map(({ verdict, count }) => {
          const [tone, label] = verdictTexts[verdict];
          return (
            <li key={verdict}>
              <a class={tone} href={`#${verdict}`}>
                <b>{count}</b> {label}
              </a>
            </li>
          );
        })}
      </ul>
      <svg viewBox={`0 0 ${total} 1`} preserveAspectRatio="none" aria-hidden="true">
        {score.map(({ verdict, count }, index) => (
          <rect key={verdict} class={verdictTexts[verdict][0]} x={startOf(index)} width={count} height="1" />
        ))}
      </svg>
    </nav>
  );
}

/** The page that a part of the report is on. */
interface Page {
  /** The path of the pages of the server; empty in a document. */
  readonly base: string;
  readonly verdict: VerdictSection["verdict"];
}

/** One attack as a row, which unfolds into its details. */
function Attack({ attack, cause, base, verdict }: Page & {
  readonly attack: ResultRow;
  /** The title of its group: an attack may be in several. */
  readonly cause: string;
}): VNode {
  const { name, title, level, severity, consequence, correctClient, fix, repeat, sources, total, variants } = attack;
  const count = total > 1 ? `${variants.length} of ${total}` : "";
  return (
    <details class="attack">
      <summary>
        <code>{name}</code> <span>{title}</span> <small>{count}</small>
      </summary>
      <dl class="facts">
        {consequence && <DefinitionItem label="Consequence">{`${consequence} (${severity})`}</DefinitionItem>}
        <DefinitionItem label="Expected">{`${correctClient} (${level})`}</DefinitionItem>
        <Variants variants={variants} base={base} />
        {fix && <DefinitionItem label="How to fix it">{fix}</DefinitionItem>}
        {repeat && (
          <DefinitionItem label="Repeat the attack">
            <span class="box">
              <code class="wire">{repeat}</code>
              <CopyButton description={`the command for ${name}, ${verdict}: ${cause}`} />
            </span>
          </DefinitionItem>
        )}
        <DefinitionItem label="Sources">{sources.join("; ")}</DefinitionItem>
      </dl>
    </details>
  );
}

/** What the client did, once for all variants with the same end, and what each of them sent. */
function Variants({ variants, base }: Pick<ResultRow, "variants"> & Pick<Page, "base">): VNode {
  const ends = [...Map.groupBy(variants, ({ because }) => because)];
  return (
    <>
      {ends.map(([because, own]) => (
        <Fragment key={because}>
          <DefinitionItem label="Received">{sentence(because)}</DefinitionItem>
          {own.some(({ values, sent, exchanges }) => values !== "" || sent.length > 0 || exchanges.length > 0) && (
            <DefinitionItem label="Sent by the server">
              <ul class="sent">
                {own.map((variant) => (
                  <li key={variant.values}>
                    <Sent {...variant} base={base} />
                  </li>
                ))}
              </ul>
            </DefinitionItem>
          )}
        </Fragment>
      ))}
    </>
  );
}

/** What a variant sent; its flow, or in a document without a server its requests. */
function Sent({ values, sent, exchanges, path, base }: ResultRow["variants"][number] & Pick<Page, "base">): VNode {
  return (
    <>
      {values !== "" && (
        <>
          <code class="wire">{values}</code>
          {" "}
        </>
      )}
      {sent.join("; ")} {path === undefined
        ? exchanges.length > 0 && <small>Requests: {exchanges.join("; ")}</small>
        : (
          <a href={base + path}>
            Flow<span class="unseen">{` of this attack ${values}`}</span>
          </a>
        )}
    </>
  );
}

/** A sentence that begins with a capital letter. */
const sentence = (text: string) => `${upperFirst(text)}.`;

const severityTones = { critical: "bad", high: "bad", medium: "warn", low: "open" } as const;

function Group({ group, ...page }: Page & { readonly group: ResultGroup }): VNode {
  const { title, count, severity, harms = [], requirements = [], fix, open, rows = [], names = [], example } = group;
  return (
    <details class="group" open={open}>
      <summary>
        <h3>{title}</h3>&nbsp;<b>{count}</b>
        {severity !== undefined && <StatusBadge tone={severityTones[severity]} label={severity} />}
      </summary>
      {fix !== undefined && (
        <dl class="facts">
          {harms.map((harm) => <DefinitionItem key={harm} label="Harm">{`The ${harm}.`}</DefinitionItem>)}
          {harms.length === 0 && requirements.length > 0 && (
            <DefinitionItem label="Rule">{`${requirements.join("; ")}. No harm was observed.`}</DefinitionItem>
          )}
          <DefinitionItem label="How to fix it">{fix}</DefinitionItem>
        </dl>
      )}
      {rows.length > 0 && (
        <div class="attacks">
          {rows.map((attack) => <Attack key={attack.name} attack={attack} cause={title} {...page} />)}
        </div>
      )}
      {example !== undefined && <p>For example: {example}</p>}
      {names.length > 0 && <p class="names">{names.join(", ")}</p>}
    </details>
  );
}

function ResultsOfVerdict({ count, groups, ...page }: Page & VerdictSection): VNode {
  const [, heading] = verdictTexts[page.verdict];
  return (
    <Section id={page.verdict} heading={`${heading}: ${count}`}>
      <div class="groups">{groups.map((group) => <Group key={group.title} group={group} {...page} />)}</div>
    </Section>
  );
}

/** What was seen of the client without an attack. */
function AboutClient({ kind, observed }: ReportView): VNode | null {
  if (observed.length === 0) return null;
  return (
    <Section id="observed" heading={`About the ${kind}`}>
      <ul>{observed.map((clause) => <li key={clause}>{`It ${clause}.`}</li>)}</ul>
    </Section>
  );
}

const headingOf = ({ client }: ReportView) => `Check of ${client}`;

export function CheckReportPage(
  { actions = [], ...props }: ReportView & Site & { readonly actions?: readonly NavigationLink[] },
): VNode {
  return (
    <Layout
      site={props}
      path="/flows/check"
      styles={["check/check"]}
      heading={headingOf(props)}
      opening={
        <>
          <Summary {...props} />
          <Score {...props} />
          {actions.length > 0 && (
            <p class="ways">
              {actions.map(({ label, path }) => <a key={path} href={props.base + path}>{label}</a>)}
            </p>
          )}
        </>
      }
    >
      <AboutClient {...props} />
      {props.sections.map((section) => <ResultsOfVerdict key={section.verdict} {...section} base={props.base} />)}
    </Layout>
  );
}

/**
 * The report as a document that needs no other file, no script and no network.
 *
 * @param style Its style sheet.
 * @param styleDigest The SHA-256 digest of `style` in base64, for the policy of the document (CSP).
 */
export function CheckReportDocument({ style, styleDigest, ...props }: ReportView & StandaloneStyle): VNode {
  return (
    <Standalone title={headingOf(props)} style={style} styleDigest={styleDigest}>
      <div class="opening">
        <h1>{headingOf(props)}</h1>
        <Summary {...props} />
        <Score {...props} />
      </div>
      <AboutClient {...props} />
      {props.sections.map((section) => <ResultsOfVerdict key={section.verdict} {...section} base="" />)}
    </Standalone>
  );
}
