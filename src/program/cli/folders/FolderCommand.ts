import { Console, Effect, Queue } from "effect"
import { Argument, Command, Flag } from "effect/cli"
import type { FolderAction, FolderOptions, FolderReport, FolderSync } from "../../../clients/folder/SheafFolder.ts"
import { messageOf } from "../../../../services/ErrorCause.ts"
import { createClient } from "../../../clients/client/SheafClient.ts"
import * as Output from "../Output.ts"
import { Refused } from "../Refused.ts"
import { connected, realFolder, stateOf } from "./FolderConnection.ts"
import { notebooksFor } from "./FolderNotebooks.ts"
import { jsonOf, linesOf } from "./FolderOutput.ts"
import { canAsk, deletionQuestion } from "./FolderQuestion.ts"

const optional = (name: string, description: string) =>
  Flag.String(name).pipe(Flag.withDescription(description), Flag.withDefault(undefined))

const isSet = (name: string, description: string) =>
  Flag.Boolean(name).pipe(Flag.withDefault(false), Flag.withDescription(description))

const input = {
  folder: Argument.String("folder").pipe(Argument.withDescription("The folder of Markdown files")),
  connect: optional(
    "connect",
    "The address with a key, such as https://sfk_…@notes.example.org, once; other users of this machine do not see SHEAF_CONNECT"
  ),
  notebook: optional(
    "notebook",
    "Ids or paths of notebooks, separated by commas; default: all. The folder is a single one"
  ),
  once: isSet("once", "Make both sides equal once, instead of until Ctrl-C"),
  pullOnly: isSet("pull-only", "Change nothing on the server"),
  pushOnly: isSet("push-only", "Change nothing in the folder"),
  fetchBelow: Flag.Int("fetch-below").pipe(
    Flag.withDescription("Maximum size of files of notes that are fetched, in MiB; default: none"),
    Flag.withDefault(undefined)
  ),
  dryRun: isSet("dry-run", "Print what would be done, once"),
  missing: Flag.Literals("missing", ["restore", "delete", "delete-many"]).pipe(
    Flag.withDescription(
      "What to do if files are missing since the last run: restore them, delete their notes, or also delete many at once; " +
        "default: some come back, and if all are missing, it stops"
    ),
    Flag.withDefault(undefined)
  ),
  state: optional("state", "The folder of the state; default: in XDG_STATE_HOME or ~/.local/state")
}

type Input = Command.Command.Config.Infer<typeof input>

const attempt = <A>(run: (signal: AbortSignal) => Promise<A>) =>
  Effect.tryPromise({
    try: run,
    catch: (error) => (error instanceof Refused ? error : new Refused({ message: messageOf(error) }))
  })

const codeOf = ({ error, held, problems }: FolderReport): number =>
  held.length > 0 ? 3 : problems.length > 0 || error !== undefined ? 1 : 0

type Print = (report: FolderReport) => void

/** Makes both sides equal once, and again with the deletions that are meant. */
const syncOnce = Effect.fnUntraced(function* (sync: FolderSync, print: Print, isAsked: boolean) {
  const question = deletionQuestion()
  let meant: ReadonlyArray<FolderAction> = []
  do {
    const report = yield* attempt(() => sync.sync(meant))
    print(report)
    meant = isAsked ? yield* question(report.held) : []
    const code = codeOf(report)
    if (code === 0) return
    const message = code === 3 ? "Deletions wait, because they are many at once" : "Not all was synced"
    if (meant.length === 0) return yield* new Refused({ message, code })
  } while (true)
})

/** Follows both sides. A question about deletions stops nothing: only when they are meant, a sync takes its turn. */
const follow = Effect.fnUntraced(function* (
  sync: FolderSync,
  watch: (signal: AbortSignal, onReport: Print) => Promise<void>,
  print: Print,
  isAsked: boolean
) {
  const question = deletionQuestion()
  const waiting = yield* Queue.sliding<ReadonlyArray<FolderAction>>(1)
  const onReport = (report: FolderReport) => {
    print(report)
    Queue.offerUnsafe(waiting, report.held)
  }
  const nextMeant = Effect.flatMap(Queue.take(waiting), question).pipe(
    Effect.repeat({ until: (meant) => meant.length > 0 })
  )
  const untilMeant = Effect.acquireUseRelease(
    Effect.sync(() => {
      const stop = new AbortController()
      return { stop, ended: watch(stop.signal, onReport) }
    }),
    ({ ended }) =>
      Effect.raceFirst(
        attempt(() => ended),
        isAsked ? nextMeant : Effect.never
      ),
    // A cycle under way ends before anything else begins. Why it failed is the result of the attempt.
    ({ ended, stop }) => Effect.promise(() => (stop.abort(), Promise.allSettled([ended])))
  )
  while (true) {
    const meant = yield* untilMeant
    if (meant === undefined) return
    onReport(yield* attempt(() => sync.sync(meant)))
  }
})

const run = Effect.fnUntraced(function* (given: Input) {
  const { dryRun, fetchBelow, missing, notebook, once, pullOnly, pushOnly } = given
  if (pullOnly && pushOnly) return yield* new Refused({ message: "--pull-only and --push-only exclude each other" })
  const isJson = yield* Output.Json
  const isAsked = !isJson && canAsk()
  // Only this command needs them.
  const { FolderSync, watchFolder } = yield* attempt(() => import("../../../clients/folder/SheafFolder.ts"))
  const { fileStore } = yield* attempt(() => import("../../../clients/sync/FileSyncStore.ts"))
  const open = async () => {
    const folder = realFolder(given.folder)
    const state = given.state ?? stateOf(folder)
    if (`${state}/`.startsWith(`${folder}/`)) throw new Refused({ message: "The state must be outside of the folder" })
    const connection = connected(state, given.connect)
    const client = createClient(connection)
    const options: FolderOptions = {
      client,
      folder,
      store: fileStore(state),
      direction: pullOnly ? "pull" : pushOnly ? "push" : "both",
      isDry: dryRun,
      ...(missing === undefined ? {} : { missing }),
      ...(fetchBelow === undefined ? {} : { maxFetched: fetchBelow * 1024 * 1024 }),
      ...(await notebooksFor(client, state, connection.key, notebook))
    }
    return FolderSync.open(options)
  }
  const print = (report: FolderReport) =>
    isJson
      ? console.log(JSON.stringify(jsonOf(report), null, once || dryRun ? 2 : undefined))
      : linesOf(report, given.folder).forEach((line) => console.log(line))
  yield* Effect.acquireUseRelease(
    attempt(open),
    (sync) =>
      Effect.gen(function* () {
        if (once || dryRun) return yield* syncOnce(sync, print, !dryRun && isAsked)
        // Ctrl-C is how this command ends.
        process.exitCode = 0
        if (!isJson) yield* Console.log(`${given.folder} is synced; Ctrl-C ends it.`)
        yield* follow(sync, (signal, onReport) => watchFolder(sync, signal, onReport), print, isAsked)
      }),
    (sync) => Effect.promise(() => sync.close())
  )
})

export const syncFolder = Command.make("sync", input, run).pipe(
  Command.withDescription(
    "Keep a folder of Markdown files equal to the notes of a workspace on any server, or end sync cursors after a restore"
  ),
  Command.withExamples([
    {
      command: "sheaf sync notes --connect https://sfk_…@notes.example.org",
      description: "Keep both equal until Ctrl-C; later without --connect"
    },
    { command: "sheaf sync vault --once --dry-run", description: "Print what a sync would do" },
    { command: "sheaf sync docs --once --push-only --notebook Handbook", description: "Publish a folder" }
  ])
)
