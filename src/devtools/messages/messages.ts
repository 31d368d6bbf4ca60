/** Every problem with the messages that report it: the causes of `problems.ts` and the texts of `library_texts.ts`. */

import { libraryTexts } from "./library_texts.ts";
import { errorProblems } from "./oauth_errors.ts";
import type { LibraryMessage, Problem, ProblemFacts } from "./problem.ts";
import { libraryProblems } from "./problems.ts";

const facts: Readonly<Record<string, ProblemFacts>> = { ...libraryProblems, ...errorProblems };

const messages: Readonly<Record<string, LibraryMessage[]>> = Object.fromEntries(
  Object.keys(facts).map((name) => [name, []]),
);

let source: Pick<LibraryMessage, "libraries" | "source"> = { libraries: [] };
for (const line of libraryTexts.trim().split("\n")) {
  if (line.startsWith("@ ")) {
    const [libraries = "", file] = line.slice(2).split(" @ ");
    source = { libraries: libraries.split(", "), source: file };
  } else {
    const [problem = "", text = "", fix] = line.split(" | ");
    const [name = "", cause] = problem.split(">");
    messages[name]!.push({ ...source, text, fix, ...cause !== undefined && { cause: Number(cause) } });
  }
}

/** The problems by name; that of an error code has the code as its name. */
export const problemsByName: Readonly<Record<string, Problem>> = Object.fromEntries(
  Object.entries(facts).map(([name, problem]) => [name, { ...problem, messages: messages[name]! }]),
);

export const problems: readonly Problem[] = Object.values(problemsByName);
