import { Data } from "effect"

/** Why a command did nothing: one line for whoever gave it. */
export class Refused extends Data.TaggedError("Refused")<{ readonly message: string }> {}
