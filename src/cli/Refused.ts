import { Data } from "effect"

/** The reason why a command failed, as one line for the operator. */
export class Refused extends Data.TaggedError("Refused")<{ readonly message: string }> {}
