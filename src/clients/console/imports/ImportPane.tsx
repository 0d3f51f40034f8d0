import type { Signal } from "@preact/signals"
import { useEffect } from "preact/hooks"
import type { Schemas } from "../../client/SheafClient.ts"
import { texts } from "../Messages.ts"
import { attempt, notify } from "../ui/Notices.tsx"
import type { Place } from "../workspace/Place.ts"
import { ImportForm } from "./ImportForm.tsx"
import { ImportProgress } from "./ImportProgress.tsx"
import { type ImportFile, ImportRun } from "./ImportRun.ts"

/** Imports that are looked at to find the one that runs, the newest first. */
const maxListed = 20

interface ImportPaneProps {
  readonly place: Place
  /** The import that is shown. It outlives the pane. */
  readonly current: Signal<ImportRun | undefined>
  /** Shows the result of an import that ended while the pane was closed. */
  readonly onShow: () => void
  /** Whether what a new account does not need is folded. */
  readonly isBrief?: boolean
}

/** Imports a file of notes, and shows the progress and the result. */
export const ImportPane = ({ current, isBrief = false, onShow, place }: ImportPaneProps) => {
  const ended = (run: ImportRun, { errors, imported, status }: Schemas["Import"]) => {
    void attempt(() => place.read())
    if (run.isShown) return
    const text = status === "failed" ? texts.imports.failed : texts.imports.done(imported, errors.length)
    notify(text, { label: texts.imports.show, run: onShow })
  }
  const send = (file: ImportFile) => {
    const run: ImportRun = ImportRun.send(place, file, (record) => ended(run, record))
    current.value = run
  }
  const findRunning = async () => {
    const { data } = await place.client.listImports({ limit: maxListed })
    const found = data.find(
      ({ size_bytes, status }) => status === "running" || (status === "queued" && size_bytes !== null)
    )
    if (found === undefined || current.value !== undefined) return
    const run: ImportRun = ImportRun.follow(place, found, (record) => ended(run, record))
    current.value = run
  }
  useEffect(() => {
    // An import that an earlier page has begun.
    if (current.value === undefined) void attempt(findRunning)
  }, [])
  const run = current.value
  useEffect(() => {
    if (run === undefined) return undefined
    run.isShown = true
    return () => {
      run.isShown = false
    }
  }, [run])
  const file = run?.file
  return run === undefined ? (
    <ImportForm place={place} isBrief={isBrief} onImport={send} />
  ) : (
    <ImportProgress
      run={run}
      onAgain={file === undefined ? undefined : () => send(file)}
      onOther={() => (current.value = undefined)}
    />
  )
}
