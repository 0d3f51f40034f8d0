import { Effect } from "effect"
import { ConfigError } from "../server/settings/Config.ts"
import { fileFailure } from "../../services/FileFailure.ts"

/** Runs calls to the file system. Fails with what `refuse` makes of the message of a system error. */
export const attemptFile = <A, E>(file: string, refuse: (message: string) => E, calls: () => A): Effect.Effect<A, E> =>
  Effect.suspend(() => {
    try {
      return Effect.succeed(calls())
    } catch (error) {
      const failure = fileFailure(error, file)
      if (failure === undefined) throw error
      return Effect.fail(refuse(failure))
    }
  })

/** The same for a file of a variable: an error stops the start with one line that names both. */
export const usingFile = <A>(variable: string, file: string, calls: () => A): Effect.Effect<A, ConfigError> =>
  attemptFile(file, (failure) => new ConfigError({ message: `${variable} cannot be used: ${failure}` }), calls)

/** The same for asynchronous calls. */
export const usingFiles = <A>(variable: string, file: string, calls: () => Promise<A>): Effect.Effect<A, ConfigError> =>
  Effect.flatMap(
    Effect.promise(() =>
      calls().then(
        (value) => ({ value }),
        (error: unknown) => ({ error })
      )
    ),
    (result) =>
      usingFile(variable, file, () => {
        if ("error" in result) throw result.error
        return result.value
      })
  )
