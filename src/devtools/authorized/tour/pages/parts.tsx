/** @jsxImportSource preact */
/** The frame of every page of the tour, and a request or a response with its parts named. */

import type { ComponentChildren, VNode } from "preact";
import { Layout, Panes, Section, type Site, Stylesheet } from "../../../../server/pages/layout.tsx";
import { type HiddenFields, HiddenInputs } from "../../../../server/pages/post_form.tsx";
import { SecretValue } from "../../../../server/pages/secret_value.tsx";
import { StatusLine } from "../../../../server/pages/status_line.tsx";
import { Stepper } from "../../../../server/pages/stepper.tsx";
import { Code, DefinitionItem } from "../../../../server/pages/value.tsx";

/** The steps of the flow, and those of a mistake. */
const journeys = {
  tour: ["Request", "Code", "Check", "Exchange", "Tokens", "API"],
  mistake: ["Choose", "Send", "Read"],
} as const;

interface TourPageProps {
  readonly site: Site;
  readonly journey: keyof typeof journeys;
  /** The number of the step, from 1. */
  readonly step: number;
  /** What happens, in a few words. */
  readonly heading: string;
  /** What happens, in two or three sentences. */
  readonly lead: ComponentChildren;
  /** The request or the response. */
  readonly children: ComponentChildren;
  /** Why the step exists, and what would go wrong without it. */
  readonly reasons: readonly { readonly heading: string; readonly text: ComponentChildren }[];
  /** The way to the next step. */
  readonly next: ComponentChildren;
  /** Other ways from here. Default: none. */
  readonly others?: ComponentChildren;
}

/** One step: the idea, the request beside its reasons, and the way to the next step, which stays in view. */
export function TourPage(props: TourPageProps): VNode {
  const { site, journey, step, heading, lead, children, reasons, next, others } = props;
  const items = journeys[journey].map((label, i) => ({
    label,
    outcome: i + 1 < step ? "done" as const : undefined,
    current: i + 1 === step,
  }));
  return (
    <Layout
      site={site}
      head={<Stylesheet site={site} name="tour" />}
      heading={heading}
      title={`${heading} · ${journey === "tour" ? `Tour, step ${step} of ${items.length}` : "A mistake"}`}
      stepper={<Stepper label={journey === "tour" ? "Steps of the tour" : "Steps of a mistake"} items={items} />}
      opening={<p>{lead}</p>}
    >
      <Panes>
        <div>{children}</div>
        <div>
          {reasons.map(({ heading, text }, i) => (
            <Section key={heading} id={`reason-${i + 1}`} heading={heading}>
              <p>{text}</p>
            </Section>
          ))}
        </div>
      </Panes>
      {others && <nav class="ways" aria-label="Where to go from here">{others}</nav>}
      <nav class="next" aria-label="Next step">{next}</nav>
    </Layout>
  );
}

/** The next step as a link. */
export function NextLink({ href, label }: { readonly href: string; readonly label: string }): VNode {
  return <a class="button" href={href}>Next: {label}</a>;
}

/** The next step as a form, because its fields must not be in a URL or its request has an effect. */
export function NextForm(
  { site, fields, label, plain = false }: {
    readonly site: Site;
    readonly fields: HiddenFields;
    readonly label: string;
    /** Whether the page has a more important button. Default: false. */
    readonly plain?: boolean;
  },
): VNode {
  return (
    <form method="post" action={`${site.base}/tour`}>
      <HiddenInputs fields={fields} />
      <button type="submit" class={plain ? "button plain" : "button"}>{plain ? label : `Next: ${label}`}</button>
    </form>
  );
}

/** Masked until the user shows them. */
const secretNames: Readonly<Record<string, string>> = {
  Authorization: "credentials",
  code_verifier: "code verifier",
  access_token: "access token",
  id_token: "ID token",
  refresh_token: "refresh token",
};

interface MessageProps {
  readonly heading: string;
  /** The request line or status line; absent if the connection ended without a response. */
  readonly line?: string;
  readonly parts: HiddenFields;
  /** What each part is for, by its name. */
  readonly meanings: Readonly<Record<string, ComponentChildren>>;
  /** The part that is wrong. Default: none. */
  readonly wrong?: string;
}

/** A request or a response, with its parts named. */
export function Message({ heading, line, parts, meanings, wrong }: MessageProps): VNode {
  return (
    <Section id={heading.toLowerCase().replaceAll(" ", "-")} heading={heading}>
      <p class="start-line">
        <code class="wire">
          {line === undefined ? "The connection ended without a response." : <StatusLine text={line} />}
        </code>
      </p>
      <dl class="facts">
        {parts.map(([name, value]) => (
          <DefinitionItem key={name} label={name === wrong ? <mark>{name}</mark> : <Code text={name} />}>
            {Object.hasOwn(secretNames, name)
              ? (
                <code class="wire whole">
                  <SecretValue name={secretNames[name]!} value={value} />
                </code>
              )
              : <Code text={value} whole />}
            {Object.hasOwn(meanings, name) && <i>{meanings[name]}</i>}
          </DefinitionItem>
        ))}
      </dl>
    </Section>
  );
}
