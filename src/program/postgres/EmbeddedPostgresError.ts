import { Effect, Schema } from "effect"
import { fileFailure } from "../../../services/FileFailure.ts"

/** The reason why the embedded PostgreSQL cannot run: one line, for the operator. */
export class EmbeddedPostgresError extends Schema.TaggedError<EmbeddedPostgresError>()("EmbeddedPostgresError", {
  message: Schema.String
}) {}

export const failure = (directory: string, why: string) =>
  new EmbeddedPostgresError({ message: `PostgreSQL cannot be started in ${directory}: ${why}` })

/** Runs a system call, and reports its failure (no space, no permission) with the directory. */
export const attempt = <A>(directory: string, call: () => A): Effect.Effect<A, EmbeddedPostgresError> =>
  Effect.try({
    try: call,
    catch: (cause) =>
      failure(directory, fileFailure(cause, directory) ?? (cause instanceof Error ? cause.message : String(cause)))
  })
