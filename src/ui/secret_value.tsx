/** @jsxRuntime automatic */
/** @jsxImportSource preact */
/** A value that is masked until a person asks for it, and a text that holds such values. */

import type { VNode } from "preact";
import type { Secret } from "../app/pages.ts";

/**
 * Masked by the style sheet alone, so that it works without script; what is copied is always the value. Fits into a line
 * of text, `pre` included.
 */
export function SecretValue({ name, value }: Secret): VNode {
  return (
    <label class="masked">
      <input type="checkbox" aria-label={`Show the ${name}`} />
      <span>{value}</span>
    </label>
  );
}

/** What a text that may hold secrets is drawn from. */
export interface TextWithSecretsProps {
  readonly text: string;
  readonly secrets: readonly Secret[];
}

/** The text, with every occurrence of a secret masked. */
export function TextWithSecrets({ text, secrets }: TextWithSecretsProps): VNode {
  const next = secrets
    .filter(({ value }) => value !== "")
    .map((secret) => ({ secret, at: text.indexOf(secret.value) }))
    .filter(({ at }) => at >= 0)
    // Where two begin at one place, the longer one hides both.
    .sort((a, b) => a.at - b.at || b.secret.value.length - a.secret.value.length)[0];
  if (next === undefined) return <>{text}</>;
  const { secret, at } = next;
  return (
    <>
      {text.slice(0, at)}
      <SecretValue {...secret} />
      <TextWithSecrets text={text.slice(at + secret.value.length)} secrets={secrets} />
    </>
  );
}
