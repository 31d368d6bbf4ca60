/** @jsxImportSource preact */
/** The page that controls faults, the clock and the keys of a server on a test host. */

import type { VNode } from "preact";
import { render } from "preact-render-to-string";
import { formatLongDuration } from "../../server/pages/duration.ts";
import { Field } from "../../server/pages/field.tsx";
import { Layout, Panes, Section, type Site, Stylesheet } from "../../server/pages/layout.tsx";
import { ClockNotice, Confirmation, Notice } from "../../server/pages/notice.tsx";
import { Code } from "../../server/pages/value.tsx";

/** A fault that can be chosen. */
interface FaultChoice {
  /** What follows `faults.` in a program. */
  readonly id: string;
  /** What goes wrong, a few words. */
  readonly title: string;
  /** What a correct client does. */
  readonly correctClient: string;
}

/** The fault that the form adds. */
interface ChosenFault extends FaultChoice {
  /** The endpoints where it has an effect. */
  readonly endpoints: readonly string[];
  /** The endpoint that is selected first. */
  readonly endpoint: string;
  /** The grant types of the server. */
  readonly grantTypes: readonly string[];
  /** The grant type that is selected first; empty: any. */
  readonly grantType: string;
  /** How many requests are selected first: `once`, `count` or `always`. */
  readonly times: string;
  /** The number for `count`. */
  readonly count: string;
  /** Its parameters. */
  readonly fields: readonly {
    readonly name: string;
    readonly label: string;
    readonly hint: string;
    readonly value: string;
    readonly choices?: readonly string[];
  }[];
}

/** The page at `/faults`. */
export interface FaultsProps extends Site {
  /** The CSRF token of all forms. */
  readonly csrfToken: string;
  /** Why the last form was rejected. */
  readonly error?: string;
  /** What the last form changed. Absent: nothing. */
  readonly confirmation?: string;
  /** The client whose requests are meant. Absent: those of any client. */
  readonly client?: string;
  /** The clients that can be chosen. */
  readonly clients: readonly string[];
  /** The words that were searched. Empty: none. */
  readonly search: string;
  /** The faults that match the search, by group. */
  readonly groups: readonly { readonly title: string; readonly definitions: readonly FaultChoice[] }[];
  /** Absent: no fault is chosen. */
  readonly chosen?: ChosenFault;
  /** The rules that were added, and how often each has fired. */
  readonly rules: readonly {
    readonly id: string;
    readonly description: string;
    readonly fired: number;
    /** Whether requests wait until they are released. */
    readonly canRelease: boolean;
    /** Whether it has fired as often as it may. */
    readonly isFinished: boolean;
  }[];
  /** The time of the server, in milliseconds since the epoch. */
  readonly now: number;
  /** Moves of the clock, in seconds, after which what was issued before has expired. */
  readonly presets: readonly { readonly seconds: number; readonly expires: readonly string[] }[];
}

/** The hidden fields of a form; without an action its buttons have one each. */
function Hidden({ csrfToken, client, action }: FaultsProps & { readonly action?: string }): VNode {
  return (
    <>
      <input type="hidden" name="form_token" value={csrfToken} />
      {action !== undefined && <input type="hidden" name="do" value={action} />}
      {client !== undefined && <input type="hidden" name="client" value={client} />}
    </>
  );
}

function Rule({ props, rule }: { readonly props: FaultsProps; readonly rule: FaultsProps["rules"][number] }): VNode {
  const { base } = props;
  return (
    <form class="ways" method="post" action={`${base}/faults`}>
      <Hidden {...props} />
      <input type="hidden" name="rule" value={rule.id} />
      <span>
        {rule.description}: fired {rule.fired === 1 ? "once" : `${rule.fired} times`}
      </span>
      {rule.canRelease && (
        <button type="submit" class="button" name="do" value="release">
          Release the requests<span class="unseen">{` of ${rule.description}`}</span>
        </button>
      )}
      <button type="submit" class="button plain" name="do" value="remove">
        Remove the fault<span class="unseen">{` ${rule.description}`}</span>
      </button>
    </form>
  );
}

function Rules(props: FaultsProps): VNode {
  const active = props.rules.filter(({ isFinished }) => !isFinished);
  const finished = props.rules.filter(({ isFinished }) => isFinished);
  return (
    <>
      <Section id="rules" heading="Active">
        {active.length === 0
          ? <p>No fault is active: the server responds correctly.</p>
          : active.map((rule) => <Rule key={rule.id} props={props} rule={rule} />)}
        {active.length > 0 && (
          <p class="aside">
            “Release the requests” lets waiting requests continue. “Remove the fault” ends the connections of waiting
            requests.
          </p>
        )}
      </Section>
      {finished.length > 0 && (
        <Section id="finished" heading="Finished">
          {finished.map((rule) => <Rule key={rule.id} props={props} rule={rule} />)}
          <p class="aside">
            These faults have fired as often as you chose, and change no further response. “Remove the fault” ends the
            connections of waiting requests.
          </p>
        </Section>
      )}
    </>
  );
}

function AddForm(props: FaultsProps & { readonly chosen: ChosenFault }): VNode {
  const { base, client, chosen } = props;
  const { id, title, correctClient, endpoints, grantTypes, fields, count } = chosen;
  const whose = client === undefined ? "of any client" : `of ${client}`;
  const choices = [
    ["once", `The next request ${whose}`],
    ["count", `The next requests ${whose}, their number below`],
    ["always", "Every request until the fault is removed"],
  ] as const;
  return (
    <Section id="add" heading={title}>
      <p>
        <Code text={id} />: {correctClient}
      </p>
      <form class="form" method="post" action={`${base}/faults`}>
        <Hidden {...props} action="add" />
        <input type="hidden" name="fault" value={id} />
        <div class="topic">
          <Field name="endpoint" label="Endpoint" choices={endpoints} value={chosen.endpoint} />
          {endpoints.includes("token") && (
            <Field
              name="grant_type"
              label="Grant type"
              hint="The grant type of the token request."
              choices={["", ...grantTypes]}
              emptyChoice="any"
              value={chosen.grantType}
            />
          )}
          {fields.map((field) => <Field key={field.name} {...field} optional />)}
        </div>
        <fieldset>
          <legend>When</legend>
          {choices.map(([times, label]) => (
            <label class="choice" key={times}>
              <input type="radio" name="times" value={times} checked={times === chosen.times} />
              <span>{label}</span>
            </label>
          ))}
        </fieldset>
        <Field name="count" label="Number of requests" value={count} optional />
        <p class="ways">
          <button type="submit" class="button">Add the fault</button>
        </p>
      </form>
    </Section>
  );
}

function Filter({ base, client, clients, chosen, search }: FaultsProps): VNode {
  return (
    <form class="ways" method="get" action={`${base}/faults`} role="search">
      {chosen !== undefined && <input type="hidden" name="fault" value={chosen.id} />}
      <div class="field">
        <label for="client">Client</label>
        <select id="client" name="client">
          <option value="">any</option>
          {clients.map((id) => <option key={id} value={id} selected={id === client}>{id}</option>)}
        </select>
      </div>
      <div class="field">
        <label for="q">Find a fault</label>
        <input id="q" type="search" name="q" value={search} placeholder="nonce, expired, jwks" autocomplete="off" />
      </div>
      <button type="submit" class="button plain">Show</button>
      {search !== "" && (
        <a
          href={`${base}/faults?${new URLSearchParams({ ...client && { client }, ...chosen && { fault: chosen.id } })}`}
        >
          Show all faults
        </a>
      )}
    </form>
  );
}

function AllFaults({ base, client, search, groups }: FaultsProps): VNode {
  const count = groups.reduce((sum, { definitions }) => sum + definitions.length, 0);
  const filter = { ...client && { client }, ...search && { q: search } };
  return (
    <Section id="all" heading={search === "" ? `All ${count} faults` : `${count} faults with “${search}”`}>
      <div class="groups">
        {groups.map(({ title, definitions }) => (
          <details key={title} open={search !== ""}>
            <summary>
              <h3>{title}</h3> <span class="aside">({definitions.length})</span>
            </summary>
            <ul class="choices">
              {definitions.map(({ id, title }) => (
                <li key={id}>
                  <a href={`${base}/faults?${new URLSearchParams({ ...filter, fault: id })}`}>{title}</a>{" "}
                  <Code text={id} />
                </li>
              ))}
            </ul>
          </details>
        ))}
      </div>
    </Section>
  );
}

function ClockAndKeys(props: FaultsProps): VNode {
  const { base, client, now, presets } = props;
  return (
    <Panes>
      <Section id="clock" heading="Clock">
        <p>
          The clock of the server: <time>{new Date(now).toISOString()}</time>
        </p>
        <form method="post" action={`${base}/faults`}>
          <Hidden {...props} action="advance" />
          <p>
            A move of the clock affects codes, tokens and logins that the server issued before. A code that the server
            issues later is valid for its whole lifetime: to let it expire before the client exchanges it, add the fault
            {" "}
            <a href={`${base}/faults?${new URLSearchParams({ ...client && { client }, fault: "store.expired" })}`}>
              <Code text="store.expired" />
            </a>.
          </p>
          <ul class="choices">
            {presets.map(({ seconds, expires }) => (
              <li key={seconds}>
                <button type="submit" class="button plain" name="seconds" value={seconds}>
                  + {formatLongDuration(seconds)}: {expires.join(", ")} expire
                </button>
              </li>
            ))}
          </ul>
        </form>
        <form class="form" method="post" action={`${base}/faults`}>
          <Hidden {...props} />
          <Field
            name="seconds"
            label="Move the clock by, in seconds"
            hint="A negative number sets the clock back."
            value="3600"
          />
          <p class="ways">
            <button type="submit" class="button plain" name="do" value="advance">Move the clock</button>
            <button type="submit" class="button plain" name="do" value="reset" formNoValidate>
              Reset the clock to the system time
            </button>
          </p>
        </form>
      </Section>
      <Section id="keys" heading="Keys">
        <p>A new key signs from then on. The old key stays published until the tokens that it signed have expired.</p>
        <form class="ways" method="post" action={`${base}/faults`}>
          <Hidden {...props} action="rotate" />
          <button type="submit" class="button plain">Rotate the signing key</button>
        </form>
      </Section>
    </Panes>
  );
}

function Faults(props: FaultsProps): VNode {
  const { base, error, confirmation, chosen } = props;
  return (
    <Layout
      site={props}
      path="/faults"
      head={<Stylesheet site={props} name="form" />}
      heading="Faults"
      opening={
        <>
          <p>
            A fault makes the server respond as a correct server never does, so that you can test the client.{" "}
            <a href={`${base}/flows`}>Flows</a> marks each response that a fault changed.
          </p>
          <Confirmation text={confirmation} />
          <ClockNotice site={props} />
          {error !== undefined && (
            <Notice kind="bad">
              <p>{error}</p>
            </Notice>
          )}
          <Filter {...props} />
        </>
      }
    >
      <Rules {...props} />
      {chosen !== undefined && <AddForm {...props} chosen={chosen} />}
      <AllFaults {...props} />
      {chosen === undefined ? <ClockAndKeys {...props} /> : (
        <details>
          <summary>Clock and keys</summary>
          <ClockAndKeys {...props} />
        </details>
      )}
    </Layout>
  );
}

export function faultsPage(props: FaultsProps): string {
  return `<!DOCTYPE html>\n${render(<Faults {...props} />)}\n`;
}
