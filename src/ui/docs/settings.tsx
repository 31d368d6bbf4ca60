/** @jsxImportSource preact */
/** The pages of settings: all of them, and one. */

import type { VNode } from "preact";
import { Section } from "../layout.tsx";
import { Breakable, CodeList, CopyButton, DefinitionItem } from "../value.tsx";
import { Frame } from "./frame.tsx";
import type { SettingMember, SettingProps, SettingsProps } from "./props.ts";

/** All settings, each in short. */
export function Settings({ settings, ...site }: SettingsProps): VNode {
  return (
    <Frame
      site={site}
      above={[]}
      heading="Settings"
      opening={
        <>
          <p>
            The members of the configuration file. Settings of the server are also options of{" "}
            <code>latchkey()</code>. Settings of the program, such as <code>port</code> and <code>log</code>, are not.
          </p>
          <dl class="facts even">
            {settings.map(({ name, summary }) => (
              <DefinitionItem key={name} label={<a href={`${site.base}/docs/settings/${name}`}>{name}</a>}>
                {summary}
              </DefinitionItem>
            ))}
          </dl>
        </>
      }
    />
  );
}

/** What a setting does, its values, how to set it, and its members. */
export function SettingPage({ setting, ...site }: SettingProps): VNode {
  const { name, description, flag, variable, example, members, previous, next } = setting;
  const href = (name: string) => `${site.base}/docs/settings/${name}`;
  return (
    <Frame
      site={site}
      above={[{ label: "Settings", path: "/settings" }]}
      heading={name}
      opening={
        <>
          <p>{description}</p>
          <Values member={setting} flag={flag} variable={variable} />
          {example !== undefined && (
            <div class="box">
              <pre class="wire">{example}</pre>
              <CopyButton description="the example" />
            </div>
          )}
          <nav class="ways" aria-label="Where to go from here">
            {previous !== undefined && <a href={href(previous)} rel="prev">Previous: {previous}</a>}
            {next !== undefined && <a href={href(next)} rel="next">Next: {next}</a>}
          </nav>
        </>
      }
    >
      {members.length > 0 && (
        <Section id="members" heading="Members">
          {members.map((member) => (
            <section key={member.name} id={member.name} class="prose">
              <h3>
                <code>
                  <Breakable text={member.name} />
                </code>
              </h3>
              <p>{member.description}</p>
              <Values member={member} />
            </section>
          ))}
        </Section>
      )}
    </Frame>
  );
}

function Values({ member, flag, variable }: {
  readonly member: SettingMember;
  readonly flag?: string;
  readonly variable?: string;
}): VNode {
  const { type, values, range, standard } = member;
  return (
    <dl class="facts">
      <DefinitionItem label="Type">{type}</DefinitionItem>
      {values !== undefined && (
        <DefinitionItem label="Values">
          <CodeList texts={values} between=", " />
        </DefinitionItem>
      )}
      {range !== undefined && <DefinitionItem label="Range">{range}</DefinitionItem>}
      {standard !== undefined && (
        <DefinitionItem label="Default">
          <code class="wire">
            <Breakable text={standard} />
          </code>
        </DefinitionItem>
      )}
      {flag !== undefined && variable !== undefined && (
        <DefinitionItem label="Flag and variable">
          <CodeList texts={[flag, variable]} between=", " />
        </DefinitionItem>
      )}
    </dl>
  );
}
