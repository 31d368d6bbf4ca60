/** @jsxImportSource preact */
/** The page of a rejected request: the reason, expected and received, how to fix it. */

import type { VNode } from "preact";
import type { RuleResult, SuggestedMatch } from "./rule_result.ts";
import { citedSections } from "./specifications.ts";
import { Layout, type Site } from "./layout.tsx";
import { Notice } from "./notice.tsx";
import { type FixLink, Rejection } from "./rejection.tsx";
import { RuleLink } from "./rule_link.tsx";
import { StatusBadge } from "./status_badge.tsx";
import { CodeItem, CopyableValue, DefinitionItem } from "./value.tsx";

/** The props of the error page. */
export interface ErrorPageProps extends Site, Pick<RuleResult, "rule" | "expected" | "received" | "fix"> {
  /** The HTTP status. */
  readonly status: number;
  /** The OAuth error code; absent for HTTP errors such as 404. */
  readonly error?: string;
  /** The reason, one or two sentences. */
  readonly message: string;
  /** The sections that the rule cites. Default: none. */
  readonly cites?: readonly string[];
  /** The value that was probably meant. */
  readonly suggestion?: SuggestedMatch;
  /**
   * The form that changes the clients so that the server accepts the request; absent if the visitor may not change
   * clients.
   */
  readonly change?: FixLink;
  /** Whether the address is that of a page that is turned off. Default: false. */
  readonly off?: boolean;
  /** A command that sends a correct request, with placeholders, or that turns a page on. */
  readonly command?: string;
  /** The client that the error was not sent to, because no operator registered it; absent for other errors. */
  readonly client?: {
    /** The host of the redirect URI. */
    readonly host: string;
    /** The redirect with the error; absent if it would be a form. */
    readonly href?: string;
  };
  /** Whether an authorization request was rejected before its redirect URI was verified. Default: false. */
  readonly redirectUriUnverified?: boolean;
  /** Whether the page may link to specifications: never if its own URL contains a code or state. Default: false. */
  readonly allowsExternalLinks?: boolean;
}

function errorHeading({ status, off, command }: ErrorPageProps): string {
  if (off) return "This page is off";
  if (status === 404) return "Not found";
  if (status === 405) return command === undefined ? "Method not allowed" : "This endpoint takes POST";
  if (status >= 500) return "The server failed";
  return "Request rejected";
}

/** The status with the error code or, of a page that compares nothing, with the method. */
function badgeLabel({ status, error, command, received }: ErrorPageProps): string {
  if (error !== undefined) return `${status} ${error}`;
  return status === 405 && command !== undefined ? `${status} for ${received}` : String(status);
}

/** The page of every error that is not sent to a client. */
export function ErrorPage(props: ErrorPageProps): VNode {
  const {
    status,
    error,
    message,
    rule,
    cites = [],
    expected,
    received,
    suggestion,
    change,
    fix,
    command,
    client,
    off,
  } = props;
  const { redirectUriUnverified = false, allowsExternalLinks = false, base, flowLink, rulesPath } = props;
  // The recorded flow says the same of this request, and more.
  const ruleLink = flowLink === undefined && rule !== undefined ? rulesPath && `${rulesPath}/${rule}` : undefined;
  // Mostly a user opens such an address: it is no error of a client.
  const isMissing = status === 404 && error === undefined;
  const first = change !== undefined && suggestion === undefined
    ? "change"
    : isMissing
    ? "home"
    : flowLink !== undefined
    ? "flow"
    : ruleLink === undefined
    ? "home"
    : "rule";
  const style = (way: string) => way === first ? "button" : "button plain";
  const changeLink = change && (
    <a class={style("change")} href={base + change.path}>
      <bdi>{change.label}</bdi>
    </a>
  );
  return (
    <Layout
      site={props}
      styles={command === undefined ? [] : ["values"]}
      heading={errorHeading(props)}
      badges={<StatusBadge tone={isMissing ? "open" : "bad"} label={badgeLabel(props)} />}
    >
      <Notice kind={isMissing ? "warn" : "bad"} role={off ? undefined : "alert"}>
        <p>
          <bdi>{message}</bdi>
        </p>
      </Notice>
      {/* A command shows what is expected. */}
      <Rejection
        reason={message}
        {...command === undefined && { expected, received, suggestion }}
        fix={fix}
      />
      {command !== undefined && (
        <dl class="values">
          <CopyableValue label="Command" text={command} />
        </dl>
      )}
      {client !== undefined && (
        <p>
          The operator of this server has not registered the client at{" "}
          <strong>{client.host}</strong>, so this page shows the error before the client receives it.{" "}
          {client.href !== undefined && <a href={client.href} rel="noreferrer">Continue to {client.host}</a>}
        </p>
      )}
      <nav class="ways" aria-label="Where to go from here">
        {first === "change" && changeLink}
        {flowLink !== undefined && !off && <a class={style("flow")} href={base + flowLink}>See the whole flow</a>}
        {first !== "change" && changeLink}
        {ruleLink !== undefined && !off && <a class={style("rule")} href={base + ruleLink}>Read about rule {rule}</a>}
        <a class={first === "home" ? "button" : undefined} href={`${base}/`}>Back to Home</a>
      </nav>
      {change?.note !== undefined && <p class="aside">{change.note}</p>}
      {(error !== undefined || rule !== undefined) && (
        <details class="quiet">
          <summary>Details</summary>
          <dl class="facts">
            <CodeItem label="Error" text={error} />
            {suggestion !== undefined && suggestion.text !== expected && <CodeItem label="Expected" text={expected} />}
            {rule !== undefined && (
              <DefinitionItem label="Rule">
                <code class="wire">
                  <RuleLink rule={rule} />
                </code>
                {citedSections(cites).map(({ title, url }) => (
                  <>
                    , {allowsExternalLinks ? <a href={url} rel="noreferrer">{title}</a> : title}
                  </>
                ))}
              </DefinitionItem>
            )}
          </dl>
          {redirectUriUnverified && error !== undefined && status < 500 && (
            <p class="aside">
              An authorization server sends errors only to a redirect URI it has verified. Redirecting to any other
              address would be an open redirect, so this page shows the error.
            </p>
          )}
        </details>
      )}
    </Layout>
  );
}
