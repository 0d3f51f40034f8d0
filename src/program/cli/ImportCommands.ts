import { type OnExisting, onExisting } from "../../../services/transfers/formats/EarlierNotes.ts"
import { Effect, Layer } from "effect"
import { Argument, Flag } from "effect/cli"
import { createReadStream, statSync } from "node:fs"
import { basename, join } from "node:path"
import { Contents } from "../../../services/contents/Contents.ts"
import type { WorkspaceId } from "../../../services/Ids.ts"
import { Operator } from "../../../services/identity/operators/Operator.ts"
import { ExportRuns } from "../../../services/transfers/exports/ExportRuns.ts"
import { type Import, importSources, type ImportSource } from "../../../services/transfers/imports/Import.ts"
import { ImportRuns } from "../../../services/transfers/imports/ImportRuns.ts"
import { Imports } from "../../../services/transfers/imports/Imports.ts"
import { TransferQueue } from "../../../services/transfers/TransferQueue.ts"
import { FileRoom } from "../../../services/workspaces/FileRoom.ts"
import { Quotas } from "../../../services/workspaces/Quotas.ts"
import { Progress } from "../../../services/Progress.ts"
import { load } from "../../server/settings/Config.ts"
import { command, isSet } from "./OperatorCommand.ts"
import * as Output from "./Output.ts"
import { Refused } from "./Refused.ts"
import { onDatabase } from "./CommandServices.ts"

/** Services that run imports in this process: a server may not be running. */
const transfers = Layer.unwrap(
  Effect.map(load, ({ dataDir, publicUrl }) =>
    Imports.layer({ publicUrl }).pipe(
      Layer.provideMerge(TransferQueue.layer),
      Layer.provideMerge(ExportRuns.layer),
      Layer.provideMerge(ImportRuns.layer({ scratch: join(dataDir, "imports") })),
      Layer.provideMerge(Layer.mergeAll(Contents.layer, Quotas.layer, FileRoom.layer))
    )
  )
)

const checkFile = (file: string) =>
  Effect.try({
    try: () => {
      if (!statSync(file).isFile()) throw new Error("it is not a file")
    },
    catch: (cause) => new Refused({ message: `${file} cannot be read: ${(cause as Error).message}` })
  })

const importFile = Effect.fnUntraced(function* (
  workspace_id: WorkspaceId,
  input: { readonly source: ImportSource; readonly on_existing: OnExisting; readonly preview: boolean },
  file: string
) {
  const imports = yield* Imports
  const report = yield* Progress
  const filename = basename(file)
  const id = yield* imports.addFor(workspace_id, { ...input, filename }, createReadStream(file))
  while (true) {
    const found = yield* imports.find(workspace_id, id)
    report({
      what: `${input.preview ? "Reading" : "Importing"} ${filename}`,
      share: found.progress,
      done: found.imported,
      unit: "notes"
    })
    if (found.status === "done" || found.status === "failed") return found
    yield* Effect.sleep("200 millis")
  }
})

export const imports = command("import", {
  description: "Import files into a workspace, as its first owner",
  examples: [
    ["sheaf import vault.zip --workspace personal", "A vault of Obsidian"],
    ["sheaf import export.zip --workspace personal", "A JSON export"],
    ["sheaf import vault.zip --workspace personal --dry-run", "What would come in, and what would be refused"]
  ],
  input: {
    files: Argument.String("file").pipe(
      Argument.withDescription("A file, a ZIP, or an export of another program"),
      Argument.variadic({ min: 1 })
    ),
    workspace: Flag.String("workspace").pipe(Flag.withDescription("The id or slug of the workspace")),
    source: Flag.Literals("source", importSources).pipe(
      Flag.withDefault("auto"),
      Flag.withDescription("The source of the files; auto, the default, recognizes them by their content")
    ),
    on_existing: Flag.Literals("on-existing", onExisting).pipe(
      Flag.withDefault("skip"),
      Flag.withDescription(
        "What to do with notes of an earlier import: skip unchanged notes, update them, or duplicate them"
      )
    ),
    dryRun: isSet("dry-run", "Show what each file would bring into the workspace as it is, and import nothing")
  },
  run: Effect.fnUntraced(function* ({ dryRun, files, on_existing, source, workspace }) {
    yield* Effect.forEach(files, checkFile, { discard: true })
    const failed = yield* onDatabase(
      Effect.gen(function* () {
        const id = yield* (yield* Operator).workspace(workspace)
        const isJson = yield* Output.Json
        const all: Array<Import & { readonly file: string }> = []
        for (const file of files) {
          const made = yield* importFile(id, { source, on_existing, preview: dryRun }, file)
          all.push({ file, ...made })
          const { attachments, errors, imported, notebooks, skipped, status, tags, total, updated } = made
          const problems = errors.map((error) => Output.plain(`${error.file}: ${error.message}`))
          if (!isJson)
            yield* Output.show(
              {
                file,
                status,
                imported,
                skipped,
                updated,
                total,
                notebooks,
                tags,
                attachments,
                problems: errors.length
              },
              ...problems
            )
        }
        if (isJson) yield* Output.show({ data: all })
        return all.filter(({ status }) => status === "failed").length
      }).pipe(Effect.provide(transfers))
    )
    if (failed > 0)
      return yield* new Refused({
        message: `${failed} of ${files.length} files ${dryRun ? "would" : "could"} not be imported`
      })
  })
})
