/** A mistake of a program, in an extension or a grant type. Its message explains it to the operator, in full. */
export class ProgramError extends TypeError {
  override readonly name: string = "ProgramError";
}
