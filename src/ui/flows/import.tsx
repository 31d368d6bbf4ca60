/** @jsxImportSource preact */
/** The page that opens the file of an exported flow. */

import type { VNode } from "preact";
import { Field } from "../field.tsx";
import { Layout, type Site } from "../layout.tsx";
import { Notice } from "../notice.tsx";
import { Code } from "../value.tsx";

/** A part of a file that is not as expected. */
interface FileIssue {
  /** The place: `exchanges[0].request.method`. */
  readonly path: string;
  readonly expected: string;
  readonly received: string;
  /** How to fix it, one sentence. */
  readonly hint: string;
}

/** The form, empty or after a file that cannot be imported. */
export interface ImportProps extends Site {
  readonly issues: readonly FileIssue[];
  /** Maximum size of a file, in MiB. */
  readonly maxFileMiB: number;
  /** Maximum number of imported flows. */
  readonly maxFlows: number;
  readonly csrfToken: string;
}

export function Import(props: ImportProps): VNode {
  const { base, issues, maxFileMiB, maxFlows, csrfToken } = props;
  return (
    <Layout
      site={props}
      path="/flows/import"
      script={null}
      head={<link rel="stylesheet" href={`${base}/flows/edit.css`} />}
      heading="Import a flow"
      opening={
        <>
          {issues.length > 0 && (
            <Notice kind="bad">
              <p>
                <strong>Nothing was imported.</strong>
              </p>
              <ul>
                {issues.map(({ path, expected, received, hint }, i) => (
                  <li key={i}>
                    <Code text={path} />: expected {expected}, received <bdi>{received}</bdi>. {hint}
                  </li>
                ))}
              </ul>
            </Notice>
          )}
          <p>
            Choose a file that “HAR” or “test fixture” on the page of a flow saved, also on another server. Only a HAR
            contains times, and expected and received values.
          </p>
          <form class="form" method="post" action={`${base}/flows/import`} enctype="multipart/form-data">
            <input type="hidden" name="form_token" value={csrfToken} />
            <div class="field">
              <label for="file">File</label>
              <input type="file" id="file" name="file" accept=".har,.json,application/json" />
            </div>
            <Field name="text" label="Or paste the JSON text" lines={6} optional />
            <p class="ways">
              <button type="submit" class="button">Import the flow</button>
              <a href={`${base}/flows`}>All flows</a>
            </p>
          </form>
          <p class="aside">
            Maximum size of a file: {maxFileMiB} MiB. The server keeps the last {maxFlows}{" "}
            imported flows in memory until it stops. Imported flows are read-only. The log of a test, habits and
            /flows.json do not contain them.
          </p>
        </>
      }
    />
  );
}
