/** Reads the configuration file: from a path to content whose shape is sound, or to every fault in it. */

import type { Fault } from "../oauth/config/config_issue.ts";
import { neutralContent } from "./semantic_errors.ts";
import type { FileContent, WrittenContent } from "./option_definitions.ts";
import { fetchSecrets, type SecretSources } from "./secret_settings.ts";
import { kindOf, printable } from "./show.ts";
import { readText } from "./text_file.ts";

/** What a file says, as far as it can be trusted. */
export interface FileReading {
  readonly content: FileContent;
  readonly faults: readonly Fault[];
  /** Places that `content` says nothing true about, such as `alg` and `clients[1]`. */
  readonly unsound: ReadonlySet<string> | "everything";
}

/** No file was named. */
export const noFile: FileReading = { content: {}, faults: [], unsound: new Set() };

/** A file was named, but what it says cannot be known. */
export const unreadFile: FileReading = { content: neutralContent, faults: [], unsound: "everything" };

/**
 * Reads a file.
 *
 * @param path relative to the working directory
 * @param namedBy the flag or variable that named the file
 */
export async function readFile(path: string, namedBy: string, sources: SecretSources): Promise<FileReading> {
  const file = printable(path);
  const refuse = (fault: Fault): FileReading => ({ ...unreadFile, faults: [fault] });
  const read = await readText(path, namedBy, sources.readTextFile);
  if (typeof read !== "string") return refuse(read);
  const text = read.replace(/^\ufeff/, "");

  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    const { findBrokenJson } = await import("./broken_json.ts");
    return refuse(findBrokenJson(text, file));
  }
  if (typeof value !== "object" || value === null || Array.isArray(value)) return refuse(kindFault(file, value));

  const written = value as Record<string, unknown>;
  const { isSound } = await import("./validate.ts");
  const shape = isSound(written)
    ? { content: written as WrittenContent, faults: [], unsound: [] }
    : await (await import("./schema_errors.ts")).readShape(written);
  const secrets = await fetchSecrets(shape.content, sources);
  return {
    content: secrets.content,
    faults: [...shape.faults, ...secrets.faults].map((fault) => ({ ...fault, place: `${file}: ${fault.place}` })),
    unsound: new Set([...shape.unsound, ...secrets.unsound]),
  };
}

function kindFault(file: string, value: unknown): Fault {
  return {
    place: file,
    expected: "a JSON object",
    found: kindOf(value),
    mend: `Put the settings between braces, like { "port": 9000 }.`,
  };
}
