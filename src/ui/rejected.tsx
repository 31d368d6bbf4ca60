/** @jsxRuntime automatic */
/** @jsxImportSource preact */
/** A request that ended here: what was wrong, what was expected, how to mend it. */

import type { VNode } from "preact";
import type { NearMiss, RefusedProps } from "../app/pages.ts";
import { Comparison } from "./comparison.tsx";
import { sectionsOf } from "./specifications.ts";
import { Layout } from "./layout.tsx";
import { Notice } from "./notice.tsx";
import { Ways } from "./start.tsx";
import { Fact, Wire } from "./value.tsx";

function headingFor(status: number): string {
  if (status === 404) return "Not found";
  if (status === 405) return "Method not allowed";
  if (status >= 500) return "The server failed";
  return "This request was refused";
}

/** How what came is unlike what was probably meant. */
const differences: Readonly<Record<NonNullable<NearMiss["difference"]>, string>> = {
  scheme: "The two differ in the scheme alone.",
  host: "The two differ in the host alone.",
  port: "The two differ in the port alone.",
  path: "The two differ in the path alone.",
  query: "The two differ in the query alone.",
  slash: "The two differ in the slash at the end alone.",
  spelling: "The two lead to the same place, but are spelled differently, and only the same spelling counts.",
};

/** The page of every refusal that is not sent to a client. */
export function Refused(props: RefusedProps): VNode {
  const { status, error, sentence, rule, cites = [], expected, received, near, mend, linksAway = false } = props;
  return (
    <Layout
      site={props}
      heading={headingFor(status)}
      opening={
        <>
          <Notice kind="bad">
            <p>
              <bdi>{sentence}</bdi>
            </p>
          </Notice>
          <Comparison expected={expected} received={received} near={near?.text} />
          {near?.difference !== undefined && <p>{differences[near.difference]}</p>}
          {mend !== undefined && (
            <p>
              <strong>To mend it:</strong> <bdi>{mend}</bdi>
            </p>
          )}
          {(error !== undefined || rule !== undefined) && (
            <dl class="facts">
              {error !== undefined && (
                <Fact label="Error">
                  <Wire text={error} />
                </Fact>
              )}
              <Fact label="Status">
                <Wire text={String(status)} />
              </Fact>
              {rule !== undefined && (
                <Fact label="Rule">
                  <Wire text={rule} />
                  {sectionsOf(cites).map(({ title, url }) => (
                    <>
                      , {linksAway ? <a href={url} rel="noreferrer">{title}</a> : title}
                    </>
                  ))}
                </Fact>
              )}
            </dl>
          )}
          {error !== undefined && status < 500 && (
            <p class="aside">
              An authorization server sends an error to a client only at a redirect URI that it could verify; until
              then, whoever made the link could be sending the browser anywhere, so the refusal stays here.
            </p>
          )}
          <Ways site={props} />
        </>
      }
    />
  );
}
