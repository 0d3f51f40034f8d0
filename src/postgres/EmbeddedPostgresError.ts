import { Effect, Schema } from "effect"
import { fileFailure } from "../FileFailure.ts"

/** Why the embedded PostgreSQL can't run: one line, written for the person who starts Sheaf. */
export class EmbeddedPostgresError extends Schema.TaggedError<EmbeddedPostgresError>()("EmbeddedPostgresError", {
  message: Schema.String
}) {}

export const failure = (directory: string, why: string) =>
  new EmbeddedPostgresError({ message: `PostgreSQL can't be started in ${directory}: ${why}` })

/** A call to the system whose failure (no space, no right) is told with the directory that it is about. */
export const attempt = <A>(directory: string, call: () => A): Effect.Effect<A, EmbeddedPostgresError> =>
  Effect.try({
    try: call,
    catch: (cause) =>
      failure(directory, fileFailure(cause, directory) ?? (cause instanceof Error ? cause.message : String(cause)))
  })
