import { Cause, Console, Effect, Exit, Result } from "effect"
import { join } from "node:path"
import { messageOf } from "../../../services/ErrorCause.ts"
import * as Check from "../../../services/doctor/Check.ts"
import { directoryCheck, diskCheck } from "../../../services/doctor/DirectoryCheck.ts"
import { checkDatabase, databaseChecks } from "../../../services/doctor/Doctor.ts"
import { certificateCheck, mailCheck, redisCheck } from "../../../services/doctor/OutsideChecks.ts"
import { directoryOf } from "../../../services/files/FileStore.ts"
import { load, type Settings } from "../../server/settings/Config.ts"
import * as Ports from "../Ports.ts"
import { layer } from "./CommandServices.ts"
import { command, isSet } from "./OperatorCommand.ts"
import * as Output from "./Output.ts"
import { Refused } from "./Refused.ts"

/** A check that fails before it can begin. */
const failed = (check: string, error: unknown, remedy: string): Check.Result => {
  const faults = new Check.Faults()
  faults.add({ problem: messageOf(error), remedy })
  return faults.result(check)
}

const succeeded = (check: string): Check.Result => new Check.Faults().result(check)

/** Shows a result as text: one line, and two for each fault. */
const print = Effect.fnUntraced(function* ({ check, faults, has_more, reason, status }: Check.Result) {
  yield* Console.log(`${check.padEnd(20)}${status}${reason === null ? "" : `: ${Output.plain(reason)}`}`)
  for (const { problem, remedy, workspace_id } of faults) {
    yield* Console.log(`  ${workspace_id === undefined ? "" : `${workspace_id}: `}${Output.plain(problem)}`)
    yield* Console.log(`    ${Output.plain(remedy)}`)
  }
  if (has_more) yield* Console.log(`  and more: only the first ${Check.maxFaults} are shown`)
})

/** Makes all checks, in order, and reports each result when it is known. */
const checkAll = Effect.fnUntraced(function* (
  settings: Settings,
  { quick, repair, repairBytes }: { readonly quick: boolean; readonly repair: boolean; readonly repairBytes: boolean },
  report: (result: Check.Result) => Effect.Effect<void>
) {
  const { auditLog, backupTo, dataDir, publicUrl, redisUrl, s3Access, searchMemory } = settings
  yield* report(yield* Check.run(directoryCheck(dataDir)))
  yield* report(yield* Effect.provide(Check.run(diskCheck), Ports.diskSpace(settings, false)))
  const rest = new Set<string>(["database", ...databaseChecks])
  const reported = (result: Check.Result) =>
    Effect.suspend(() => {
      rest.delete(result.check)
      return report(result)
    })
  const exit = yield* reported(succeeded("database")).pipe(
    Effect.andThen(
      checkDatabase({
        isQuick: quick,
        isRepair: repair || repairBytes,
        repairsBytes: repairBytes,
        filesDirectory: directoryOf(settings),
        searchDirectory: join(dataDir, "search"),
        searchMemory,
        auditLog,
        backupTo,
        s3Access,
        report: reported
      })
    ),
    Effect.provide(layer),
    Effect.exit
  )
  if (Exit.isFailure(exit)) {
    if (Cause.hasInterruptsOnly(exit.cause)) return yield* Effect.interrupt
    yield* report(
      failed(
        "database",
        Cause.squash(exit.cause),
        "Remove the cause, or restore a backup; then run sheaf doctor again."
      )
    )
    rest.delete("database")
    for (const check of rest) yield* report(Check.skipped(check, "the database cannot be used"))
  }
  yield* report(yield* Check.run(certificateCheck(publicUrl)))
  yield* report(yield* Effect.provide(Check.run(mailCheck), Ports.mailer(settings)))
  yield* report(yield* Check.run(redisCheck(redisUrl)))
})

export const doctor = command("doctor", {
  description:
    "Check the configuration, DATA_DIR, the database and everything in it, files, search indexes, the certificate, the " +
    "mail server, Redis and the place of backups; with or without a running server. The exit code is 1 if there is a fault",
  examples: [
    ["sheaf doctor", "Check everything"],
    ["sheaf doctor --quick --json", "Check without reading all files, for a program"],
    ["sheaf doctor --repair", "Also correct counts"]
  ],
  input: {
    repair: isSet("repair", "Correct counts that differ from what they count, except counts of bytes"),
    repairBytes: isSet(
      "repair-bytes",
      "Also correct counts of bytes, which may be the only trace of a text that was changed"
    ),
    quick: isSet("quick", "Do not read texts, the bytes of files, nor the search indexes")
  },
  run: Effect.fnUntraced(function* (flags) {
    const isJson = yield* Output.Json
    const results: Array<Check.Result> = []
    const report = (result: Check.Result) =>
      Effect.suspend(() => {
        results.push(result)
        return isJson ? Effect.void : print(result)
      })
    const settings = yield* Effect.result(load)
    if (Result.isFailure(settings)) {
      yield* report(failed("configuration", settings.failure, "Correct the environment variable."))
    } else {
      yield* report(succeeded("configuration"))
      yield* checkAll(settings.success, flags, report)
    }
    const faulty = results.filter(({ status }) => status === "faulty").map(({ check }) => check)
    if (isJson) yield* Output.show({ ok: faulty.length === 0, data: results })
    if (faulty.length > 0) return yield* new Refused({ message: `Faults were found: ${faulty.join(", ")}` })
    if (!isJson) yield* Console.log("No faults were found.")
  })
})
