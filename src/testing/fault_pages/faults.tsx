/** @jsxImportSource preact */
/** The page that breaks logins of a server on a test host: faults, the clock, revoked tokens, rotated keys. */

import type { ComponentChildren, VNode } from "preact";
import { formatLongDuration } from "../../server/pages/duration.ts";
import { FieldInput } from "../../server/pages/field.tsx";
import { Layout, Panes, Section } from "../../server/pages/layout.tsx";
import { ClockNotice, ConfirmationNotice, Notice } from "../../server/pages/notice.tsx";
import { Code } from "../../server/pages/value.tsx";
import type { ClockPreset } from "./clock_presets.ts";
import type { FaultsProps, FormField } from "./props.ts";

/** A form that runs a verb; without one its buttons name it. */
function VerbForm({ props: { base, csrfToken, client }, verb, kind = "ways", hidden = {}, children }: {
  readonly props: FaultsProps;
  readonly verb?: string;
  readonly kind?: "ways" | "form";
  readonly hidden?: Readonly<Record<string, string | undefined>>;
  readonly children: ComponentChildren;
}): VNode {
  const all = { form_token: csrfToken, do: verb, shown_client: client, ...hidden };
  return (
    <form class={kind} method="post" action={`${base}/faults`}>
      {Object.entries(all).map(([name, value]) =>
        value === undefined ? null : <input key={name} type="hidden" name={name} value={value} />
      )}
      {children}
    </form>
  );
}

const VerbFields = ({ fields }: { readonly fields: readonly FormField[] }): VNode => (
  <div class="topic">
    {fields.map((field) => <FieldInput key={field.name} emptyChoice="any" {...field} optional />)}
  </div>
);

function Rules(props: FaultsProps): VNode | null {
  if (props.rules.length === 0) return null;
  const active = props.rules.filter(({ finished }) => !finished);
  return (
    <Section id="rules" heading={active.length === 0 ? "No fault is active" : "Active faults"}>
      {[...active, ...props.rules.filter(({ finished }) => finished)].map((rule) => (
        <VerbForm key={rule.id} props={props} hidden={{ id: rule.id }}>
          <span>
            {rule.description}: {rule.finished ? "finished, " : ""}fired{" "}
            {rule.fired === 1 ? "once" : `${rule.fired} times`}
          </span>
          {rule.waits && (
            <button type="submit" class="button" name="do" value="faults.release">
              Release the requests<span class="unseen">{` of ${rule.description}`}</span>
            </button>
          )}
          <button type="submit" class="button plain" name="do" value="faults.remove">
            Remove<span class="unseen">{` ${rule.description}`}</span>
          </button>
        </VerbForm>
      ))}
      {active.some(({ waits }) => waits) && <p class="aside">“Remove” ends the connections of requests that wait.</p>}
    </Section>
  );
}

function AddForm(
  { props, chosen }: { readonly props: FaultsProps; readonly chosen: NonNullable<FaultsProps["chosen"]> },
) {
  const { id, title, correctClient, fields } = chosen;
  return (
    <Section id="add" heading={title}>
      <p>
        <Code text={id} />: {correctClient}
      </p>
      <VerbForm props={props} verb="faults.add" kind="form" hidden={{ fault: id }}>
        <VerbFields fields={fields} />
        <p class="ways">
          <button type="submit" class="button">Add the fault</button>
        </p>
      </VerbForm>
    </Section>
  );
}

function CommonFaults(props: FaultsProps): VNode {
  const { client, common } = props;
  return (
    <Section id="common" heading={`The next request of ${client ?? "any client"}`}>
      <div class="ways">
        {common.map(({ title, values }) => (
          <VerbForm key={title} props={props} verb="faults.add" hidden={{ ...values, client }}>
            <button type="submit" class="button plain">{title}</button>
          </VerbForm>
        ))}
      </div>
    </Section>
  );
}

/** The scenarios that are folded: another button of the page does nearly the same, or few clients need them. */
const foldedScenarios: readonly string[] = [
  "provider-slow-3s",
  "keys-rotated",
  "clock-ahead-10m",
  "tokens-revoked",
  "consent-denied",
  "user-names",
];

function Scenarios(props: FaultsProps): VNode {
  const [shown, folded] = [false, true].map((isFolded) =>
    props.scenarios.filter(({ name }) => foldedScenarios.includes(name) === isFolded).map(({ name, title }) => (
      <button key={name} type="submit" class="button plain" name="scenario" value={name}>{title}</button>
    ))
  );
  return (
    <Section id="scenarios" heading="Scenarios">
      <VerbForm props={props} hidden={{ do: "scenario" }}>{shown}</VerbForm>
      <details>
        <summary>More scenarios</summary>
        <VerbForm props={props} hidden={{ do: "scenario" }}>{folded}</VerbForm>
      </details>
      <p class="aside">
        The same in CI: <Code text="exec --scenario NAME" />. Steps that <Code text="exec" />{" "}
        delays until the first tokens happen at once here.
      </p>
    </Section>
  );
}

function FoldedForm({ props, verb, fields, button, summary, children }: {
  readonly props: FaultsProps;
  readonly verb: string;
  readonly fields: readonly FormField[];
  readonly button: string;
  readonly summary: string;
  readonly children?: ComponentChildren;
}): VNode {
  return (
    <details>
      <summary>{summary}</summary>
      {children}
      <VerbForm props={props} verb={verb} kind="form">
        <VerbFields fields={fields} />
        <p class="ways">
          <button type="submit" class="button plain">{button}</button>
        </p>
      </VerbForm>
    </details>
  );
}

/** Number of moves of the clock that are not folded. */
const maxUnfolded = 4;

/** The button of a move of the clock. */
function Move({ seconds, expires }: ClockPreset): VNode {
  return (
    <button type="submit" class="button plain" name="seconds" value={seconds}>
      + {formatLongDuration(seconds)}
      <span class="unseen">: {expires.join(", ")} expire</span>
    </button>
  );
}

function ClockKeysTokens(props: FaultsProps): VNode {
  const { base, now, presets, advance, revoke, checks, chosen, links } = props;
  return (
    <div>
      <Section id="clock" heading="Clock">
        <p>
          <time datetime={new Date(now).toISOString()}>
            {new Date(now).toISOString().slice(0, 19).replace("T", " ")}
          </time>{" "}
          <span class="utc">UTC</span>
        </p>
        <VerbForm props={props} verb="clock.advance">
          {presets.slice(0, maxUnfolded).map((preset) => <Move key={preset.seconds} {...preset} />)}
        </VerbForm>
        <FoldedForm
          props={props}
          verb="clock.advance"
          fields={advance}
          button="Move the clock"
          summary="What expires, and other times"
        >
          <VerbForm props={props} verb="clock.advance">
            {presets.slice(maxUnfolded).map((preset) => <Move key={preset.seconds} {...preset} />)}
          </VerbForm>
          <ul>
            {presets.map(({ seconds, expires }) => (
              <li key={seconds}>+ {formatLongDuration(seconds)}: {expires.join(", ")} expire</li>
            ))}
          </ul>
          <p>
            The clock changes nothing for codes that the server issues later: for these, add the fault{" "}
            <a href={`${base}/faults?fault=store.expired`}>
              <Code text="store.expired" />
            </a>.
          </p>
        </FoldedForm>
        {links?.some(({ clockOffset = 0 }) => clockOffset !== 0) && (
          <VerbForm props={props} verb="clock.reset">
            <button type="submit" class="button plain">Reset the clock</button>
          </VerbForm>
        )}
      </Section>
      <Section id="keys" heading="Keys and tokens">
        <VerbForm props={props} verb="rotateKeys" hidden={{ lead: "0" }}>
          <button type="submit" class="button plain">Rotate the signing key</button>
        </VerbForm>
        {/* The form of a fault has a field of the same name. */}
        {chosen === undefined && (
          <FoldedForm props={props} verb="revoke" fields={revoke} button="Revoke" summary="Revoke tokens" />
        )}
      </Section>
      {checks.length > 0 && (
        <details>
          <summary>Check a client</summary>
          <p class="ways">
            {checks.map(({ client, path }) => <a key={path} href={base + path}>Check {client}</a>)}
          </p>
        </details>
      )}
    </div>
  );
}

function AllFaults({ base, client, clients, chosen, search, groups }: FaultsProps): VNode {
  const found = groups.flatMap(({ definitions }) => definitions).filter(({ isFound }) => isFound).length;
  const filter = { ...client && { client }, ...search && { q: search } };
  return (
    <Section
      id="all"
      heading={search === ""
        ? `All ${found} faults`
        : `${found === 1 ? "1 fault" : `${found} faults`} with “${search}”`}
    >
      <form class="ways" method="get" action={`${base}/faults`} role="search">
        {chosen !== undefined && <input type="hidden" name="fault" value={chosen.id} />}
        <div class="field">
          <label for="q">Find a fault</label>
          <input id="q" type="search" name="q" value={search} placeholder="nonce, expired, denied" autocomplete="off" />
        </div>
        <div class="field">
          <label for="of">For requests of</label>
          <select id="of" name="client">
            <option value="">any client</option>
            {clients.map((id) => <option key={id} value={id} selected={id === client}>{id}</option>)}
          </select>
        </div>
        <button type="submit" class="button plain">Show</button>
      </form>
      <details id="groups" open={search !== ""}>
        <summary>By what they change</summary>
        <div class="groups">
          {groups.map(({ title, definitions }) => {
            const hits = definitions.filter(({ isFound }) => isFound).length;
            return (
              <details key={title} open={search !== "" && hits > 0} hidden={hits === 0}>
                <summary>
                  <h3>{title}</h3> <span class="aside">({hits})</span>
                </summary>
                <ul class="choices">
                  {definitions.map(({ id, title, text, isFound }) => (
                    <li key={id} hidden={!isFound} data-text={text}>
                      <a href={`${base}/faults?${new URLSearchParams({ ...filter, fault: id })}`}>{title}</a>{" "}
                      <Code text={id} />
                    </li>
                  ))}
                </ul>
              </details>
            );
          })}
        </div>
      </details>
    </Section>
  );
}

export function Faults(props: FaultsProps): VNode {
  const { error, confirmation, chosen } = props;
  return (
    <Layout
      site={props}
      path="/faults"
      styles={["form"]}
      scripts={["script", "testing/faults"]}
      heading="Break"
      opening={
        <>
          {chosen === undefined && (
            <p>
              Make the server misbehave and see how your client copes. The Requests page marks every response that a
              fault changed.
            </p>
          )}
          <ConfirmationNotice text={confirmation} />
          <ClockNotice site={props} />
          {error !== undefined && <Notice kind="bad" text={error} />}
        </>
      }
    >
      {chosen !== undefined && <AddForm props={props} chosen={chosen} />}
      <Rules {...props} />
      <Panes>
        <div>
          {chosen === undefined && <CommonFaults {...props} />}
          {chosen === undefined && <Scenarios {...props} />}
          <AllFaults {...props} />
        </div>
        <ClockKeysTokens {...props} />
      </Panes>
    </Layout>
  );
}
