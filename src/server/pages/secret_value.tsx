/** @jsxImportSource preact */
/** A value that is masked until the user shows it, and a text with such values. */

import type { VNode } from "preact";

/** A value that is masked until the user shows it. */
export interface Secret {
  /** Its name, after "the": `code verifier`. */
  readonly name: string;
  /** The value as it occurs in the text. */
  readonly value: string;
}

/** Masked by CSS, so that it works without script; copying always copies the value. Inline, also in `pre`. */
export function SecretValue({ name, value }: Secret): VNode {
  return (
    <label class="masked">
      <input type="checkbox" aria-label={`Show the ${name}`} />
      <span>
        <JwtText text={value} />
      </span>
    </label>
  );
}

/**
 * Shows every secret of the page; without it, each has its own control. The page's script keeps the choice for the tab.
 *
 * @param shown Whether they are shown until the user chooses.
 */
export function ShowAllSecrets({ shown }: { readonly shown: boolean }): VNode {
  return (
    <label class="all">
      <input type="checkbox" checked={shown} /> Show all secrets
    </label>
  );
}

/** The text, with every occurrence of a secret masked. */
export function TextWithSecrets(
  { text, secrets }: { readonly text: string; readonly secrets: readonly Secret[] },
): VNode {
  const next = secrets
    .filter(({ value }) => value !== "")
    .map((secret) => ({ secret, at: text.indexOf(secret.value) }))
    .filter(({ at }) => at >= 0)
    // Of two secrets at one place, the longer one covers both.
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

/** Header, payload and signature in colour; any other text as it is. */
export function JwtText({ text }: { readonly text: string }): VNode {
  const [, header, payload, signature] = /^(ey[\w-]+)\.([\w-]+)\.([\w-]*)$/.exec(text) ?? [];
  if (header === undefined) return <>{text}</>;
  return (
    <>
      <span class="part-header">{header}</span>.<span class="part-claims">{payload}</span>.
      <span class="part-signature">{signature}</span>
    </>
  );
}
