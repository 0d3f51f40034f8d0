import { Effect, type Redacted } from "effect"
import * as Check from "./Check.ts"
import { directoryCheck, diskCheck } from "./DirectoryCheck.ts"
import { checkDatabase, type DoctorOptions } from "./Doctor.ts"
import { certificateCheck, mailCheck, redisCheck } from "./OutsideChecks.ts"

export interface Options extends DoctorOptions {
  readonly dataDir: string
  readonly publicUrl: string
  readonly redisUrl: Redacted.Redacted | undefined
}

/** Makes the checks of a server that runs, in order, and reports each result when it is known. */
export const checkServer = Effect.fnUntraced(function* (options: Options) {
  const each = <R>(one: Check.Check<R>) => Effect.flatMap(Check.run(one), options.report)
  yield* each(directoryCheck(options.dataDir))
  yield* each(diskCheck)
  yield* checkDatabase(options)
  yield* each(certificateCheck(options.publicUrl))
  yield* each(mailCheck)
  yield* each(redisCheck(options.redisUrl))
})
