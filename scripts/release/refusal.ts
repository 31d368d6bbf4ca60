/** What is said without a stack trace, because it is for whoever releases to mend. */

/** The sentence is the whole of it. */
export class Refusal extends Error {}
