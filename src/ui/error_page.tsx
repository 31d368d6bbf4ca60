/** @jsxRuntime automatic */
/** @jsxImportSource preact */
/** A request that ended here: what was wrong, what was expected, how to mend it. */

import type { VNode } from "preact";
import type { ErrorPageProps, SuggestedMatch } from "../app/pages.ts";
import { Comparison } from "./comparison.tsx";
import { citedSections } from "./specifications.ts";
import { Layout } from "./layout.tsx";
import { Notice } from "./notice.tsx";
import { PageActions } from "./page_actions.tsx";
import { Code, DefinitionItem } from "./value.tsx";

function errorHeading(status: number): string {
  if (status === 404) return "Not found";
  if (status === 405) return "Method not allowed";
  if (status >= 500) return "The server failed";
  return "This request was refused";
}

/** How what came is unlike what was probably meant. */
const differenceTexts: Readonly<Record<NonNullable<SuggestedMatch["difference"]>, string>> = {
  scheme: "The two differ in the scheme alone.",
  host: "The two differ in the host alone.",
  port: "The two differ in the port alone.",
  path: "The two differ in the path alone.",
  query: "The two differ in the query alone.",
  slash: "The two differ in the slash at the end alone.",
  spelling: "The two lead to the same place, but are spelled differently, and only the same spelling counts.",
};

/** The page of every refusal that is not sent to a client. */
export function ErrorPage(props: ErrorPageProps): VNode {
  const { status, error, message, rule, cites = [], expected, received, suggestion, fix, allowsExternalLinks = false } =
    props;
  return (
    <Layout
      site={props}
      heading={errorHeading(status)}
      opening={
        <>
          <Notice kind="bad">
            <p>
              <bdi>{message}</bdi>
            </p>
          </Notice>
          <Comparison expected={expected} received={received} suggestion={suggestion?.text} />
          {suggestion?.difference !== undefined && <p>{differenceTexts[suggestion.difference]}</p>}
          {fix !== undefined && (
            <p>
              <strong>To mend it:</strong> <bdi>{fix}</bdi>
            </p>
          )}
          {(error !== undefined || rule !== undefined) && (
            <dl class="facts">
              {error !== undefined && (
                <DefinitionItem label="Error">
                  <Code text={error} />
                </DefinitionItem>
              )}
              <DefinitionItem label="Status">
                <Code text={String(status)} />
              </DefinitionItem>
              {rule !== undefined && (
                <DefinitionItem label="Rule">
                  <Code text={rule} />
                  {citedSections(cites).map(({ title, url }) => (
                    <>
                      , {allowsExternalLinks ? <a href={url} rel="noreferrer">{title}</a> : title}
                    </>
                  ))}
                </DefinitionItem>
              )}
            </dl>
          )}
          {error !== undefined && status < 500 && (
            <p class="aside">
              An authorization server sends an error to a client only at a redirect URI that it could verify; until
              then, whoever made the link could be sending the browser anywhere, so the refusal stays here.
            </p>
          )}
          <PageActions site={props} />
        </>
      }
    />
  );
}
