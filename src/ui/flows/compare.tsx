/** @jsxImportSource preact */
/** The page that compares two flows. */

import type { VNode } from "preact";
import { Layout, Section, type Site } from "../layout.tsx";
import { type Status, StatusBadge } from "../status_badge.tsx";
import { Code } from "../value.tsx";

/** A value with the part that the other flow does not have. */
export interface DifferingText {
  readonly before: string;
  readonly differing: string;
  readonly after: string;
}

/** A value that differs, or that one flow lacks. */
export interface Difference {
  /** The part of the message with the value: `request body`, `response header`, … */
  readonly place: string;
  readonly name: string;
  /** The value in each flow; undefined: absent. */
  readonly texts: readonly (DifferingText | undefined)[];
}

/** One exchange of a flow, in short. */
export interface ComparedStep {
  /** Counts from 1 within the flow. */
  readonly number: number;
  /** Its path, below the base. */
  readonly href: string;
  readonly title: string;
  readonly status: Status;
  /** Why it was rejected. */
  readonly reason?: string;
}

/** The steps of both flows at one endpoint. */
export interface StepPair {
  /** The step of each flow; undefined: only the other flow has the step, and nothing is compared. */
  readonly steps: readonly (ComparedStep | undefined)[];
  readonly differences: readonly Difference[];
  readonly equal: readonly { readonly name: string; readonly value: string }[];
  /** The number of values that are not listed, for the size of the page. */
  readonly hidden: number;
}

interface ComparedFlow {
  readonly id: string;
  readonly client?: string;
  readonly outcome: Status;
  readonly imported: boolean;
  /** Why it failed, or how it ended. */
  readonly summary: string;
}

/** Two flows side by side. All values are redacted. */
export interface CompareProps extends Site {
  /** Both flows. */
  readonly flows: readonly ComparedFlow[];
  readonly pairs: readonly StepPair[];
  /** The first pair of this page; counts from 1. */
  readonly first: number;
  /** The first pair of the next page; absent on the last one. */
  readonly next?: number;
  /** The number of last steps of the longer flow that are not compared. */
  readonly leftOut: number;
}

export function Compare(props: CompareProps): VNode {
  const { base, flows, pairs, first, next, leftOut } = props;
  const [a, b] = flows.map(({ id }) => id);
  const path = `${base}/flows/compare?a=${a}&b=${b}`;
  return (
    <Layout
      site={props}
      path="/flows/compare"
      script={null}
      head={<link rel="stylesheet" href={`${base}/flows/compare.css`} />}
      heading={`Compare flows ${a} and ${b}`}
      opening={
        <>
          <ul class="compared">
            {flows.map(({ id, client, outcome, imported, summary }) => (
              <li key={id}>
                <a href={`${base}/flows/${id}`}>Flow {id}</a> <StatusBadge {...outcome} />{" "}
                {imported && <StatusBadge tone="open" label="imported" />}{" "}
                {client !== undefined && <Code text={client} />} <bdi>{summary}</bdi>
              </li>
            ))}
          </ul>
          <p>{first === 1 && firstDifference(props)}</p>
          <p class="aside">
            Secrets are redacted. The page does not compare times, nor the values of codes, tokens, state and nonce,
            which differ in every login. It compares only in which places the same value occurs again.
          </p>
        </>
      }
    >
      {pairs.map((pair, i) => <Pair key={i} base={base} ids={[a!, b!]} pair={pair} number={first + i} />)}
      {(first > 1 || next !== undefined) && (
        <p class="ways">
          {first > 1 && <a href={path}>First steps</a>}
          {next !== undefined && <a href={`${path}&from=${next}`}>Next steps</a>}
        </p>
      )}
      {leftOut > 0 && <p class="aside">The last {leftOut} steps of the longer flow are not compared.</p>}
    </Layout>
  );
}

/** The first difference of the page, most likely the cause of those after it. */
function firstDifference({ flows, pairs, next }: CompareProps): VNode | string {
  const pair = pairs.find(({ steps, differences }) => differences.length > 0 || steps.includes(undefined));
  if (pair === undefined) {
    return next === undefined ? "The flows do not differ." : "The steps on this page do not differ.";
  }
  const side = pair.steps[0] === undefined ? 1 : 0;
  const { number, title } = pair.steps[side]!;
  const [difference] = pair.differences;
  if (difference === undefined) {
    return `First difference: only flow ${flows[side]!.id} has step ${number}, ${title}.`;
  }
  return (
    <>
      First difference: step {number}, {title}, {difference.place}: <Code text={difference.name} />
    </>
  );
}

/** Two steps with their differences; what is equal is folded. */
function Pair({ base, ids, pair, number }: {
  readonly base: string;
  readonly ids: readonly [string, string];
  readonly pair: StepPair;
  readonly number: number;
}): VNode {
  const { steps, differences, equal, hidden } = pair;
  const title = (steps[0] ?? steps[1])!.title;
  const only = steps[0] === undefined ? ids[1] : steps[1] === undefined ? ids[0] : undefined;
  return (
    <Section id={`pair-${number}`} heading={only === undefined ? title : `${title}: only in flow ${only}`}>
      <ul class="compared">
        {steps.map((step, i) =>
          step && (
            <li key={i}>
              <a href={base + step.href}>Flow {ids[i]}, step {step.number}</a> <StatusBadge {...step.status} />{" "}
              {step.reason !== undefined && <bdi>{step.reason}</bdi>}
            </li>
          )
        )}
      </ul>
      {differences.length > 0 && (
        <dl class="differences">
          {differences.map(({ place, name, texts }, i) => (
            <div key={i}>
              <dt>
                <b aria-hidden="true">≠</b> <Code text={name} /> <small>{place}</small>
              </dt>
              {texts.map((text, side) => (
                <dd key={side}>
                  <small>Flow {ids[side]}</small> {text === undefined ? <em>absent</em> : <Text {...text} />}
                </dd>
              ))}
            </div>
          ))}
        </dl>
      )}
      {equal.length > 0 && (
        <details>
          <summary>{equal.length === 1 ? "1 equal value" : `${equal.length} equal values`}</summary>
          <ul class="equal">
            {equal.map(({ name, value }, i) => (
              <li key={i}>
                <b>{name}</b> <code class="wire">{value}</code>
              </li>
            ))}
          </ul>
        </details>
      )}
      {hidden > 0 && (
        <p class="aside">
          {hidden === 1 ? "1 more value is" : `${hidden} more values are`}{" "}
          not listed. The page of each flow lists all values.
        </p>
      )}
    </Section>
  );
}

/** A value; the part that differs is marked. */
function Text({ before, differing, after }: DifferingText): VNode {
  return (
    <code class="wire">
      {before}
      {differing !== "" && <mark>{differing}</mark>}
      {after}
      {before + differing + after === "" && "(empty)"}
    </code>
  );
}
