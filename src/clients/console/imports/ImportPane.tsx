import { importTexts } from "./ImportTexts.ts"
import { useState, useEffect } from "preact/hooks"
import { Button } from "../ui/Button.tsx"
import { Form } from "../ui/Form.tsx"
import { NotebookOptions } from "../workspace/NotebookOptions.tsx"
import type { WorkspaceStore } from "../workspace/WorkspaceStore.ts"
import { FileField } from "./FileField.tsx"
import { type ImportFile, ImportRun } from "./ImportRun.ts"
import type { Signal } from "@preact/signals"
import type { Schemas } from "../../client/SheafClient.ts"
import { attempt, notify } from "../ui/Notices.tsx"
import { ImportProgress } from "./ImportProgress.tsx"

type Source = ImportFile["source"]

/** The sources, each with the ends of names of its files; any file may be chosen for `auto`. */
const sources: Readonly<Record<Source, ReadonlyArray<string>>> = {
  auto: [],
  markdown: [".zip", ".md", ".markdown", ".txt"],
  enex: [".enex", ".zip"],
  notion: [".zip"],
  json: [".zip"]
}
const sourceNames = Object.keys(sources) as ReadonlyArray<Source>

/** Maximum bytes of a file (contract 7). */
const maxBytes = 2 * 1024 ** 3

interface ImportFormProps {
  readonly store: WorkspaceStore
  /** Sends the file, for the import or its preview. */
  readonly onSend: (file: ImportFile) => void
  /** Whether what a new account does not need is folded. */
  readonly isBrief?: boolean
}

/** The form of an import: a file, its source, and the notebook of its notes. */
export const ImportForm = ({ isBrief = false, onSend, store }: ImportFormProps) => {
  const [source, setSource] = useState<Source>("auto")
  const [notebook, setNotebook] = useState("")
  const [existing, setExisting] = useState<NonNullable<ImportFile["on_existing"]>>("skip")
  const [file, setFile] = useState<File>()
  const error = file !== undefined && file.size > maxBytes ? importTexts.tooLarge(file.name) : undefined
  const isReady = file !== undefined && error === undefined
  const submit = (preview: boolean) => {
    if (!isReady) return
    const target = notebook === "" || source === "json" ? {} : { notebook_id: notebook }
    onSend({ source, ...target, on_existing: existing, preview, filename: file.name, content: file })
  }
  const options = (
    <>
      {source !== "json" && (
        <label class="field">
          {importTexts.notebook}
          <select value={notebook} onChange={({ currentTarget }) => setNotebook(currentTarget.value)}>
            <option value="">{importTexts.ownNotebooks}</option>
            <NotebookOptions store={store} />
          </select>
        </label>
      )}
      <label class="field">
        {importTexts.existing}
        <select value={existing} onChange={({ currentTarget }) => setExisting(currentTarget.value as typeof existing)}>
          {(["skip", "update", "duplicate"] as const).map((way) => (
            <option key={way} value={way}>
              {importTexts.existingWays[way]}
            </option>
          ))}
        </select>
      </label>
    </>
  )
  return (
    <Form onSubmit={() => submit(false)}>
      <FileField
        label={importTexts.file}
        lead={importTexts.drop}
        ends={sources[source]}
        file={file}
        error={error}
        onFile={setFile}
      />
      <label class="field">
        {importTexts.source}
        <select value={source} onChange={({ currentTarget }) => setSource(currentTarget.value as Source)}>
          {sourceNames.map((name) => (
            <option key={name} value={name}>
              {importTexts.sources[name]}
            </option>
          ))}
        </select>
      </label>
      {isBrief ? (
        <details>
          <summary>{importTexts.options}</summary>
          {options}
        </details>
      ) : (
        options
      )}
      <footer class="actions">
        <Button isDisabled={!isReady} onClick={() => submit(true)}>
          {importTexts.preview}
        </Button>
        <Button kind="main" type="submit" isDisabled={!isReady}>
          {importTexts.start}
        </Button>
      </footer>
    </Form>
  )
}

/** Imports that are looked at to find the one that runs, the newest first. */
const maxListed = 20

interface ImportPaneProps {
  readonly store: WorkspaceStore
  /** The import that is shown. It outlives the pane. */
  readonly current: Signal<ImportRun | undefined>
  /** Shows the result of an import that ended while the pane was closed. */
  readonly onShow: () => void
  /** Whether what a new account does not need is folded. */
  readonly isBrief?: boolean
}

/** Imports a file of notes, and shows the progress and the result. */
export const ImportPane = ({ current, isBrief = false, onShow, store }: ImportPaneProps) => {
  const ended = (run: ImportRun, { errors, imported, preview, status }: Schemas["Import"]) => {
    if (!preview) void attempt(() => store.read())
    if (run.isShown) return
    const text = preview
      ? importTexts.foreseen
      : status === "failed"
        ? importTexts.failed
        : importTexts.done(imported, errors.length)
    notify(text, { label: importTexts.show, run: onShow })
  }
  const send = (file: ImportFile) => {
    const run: ImportRun = ImportRun.send(store, file, (record) => ended(run, record))
    current.value = run
  }
  const findRunning = async () => {
    const { data } = await store.client.listImports({ limit: maxListed })
    const found = data.find(
      ({ size_bytes, status }) => status === "running" || (status === "queued" && size_bytes !== null)
    )
    if (found === undefined || current.value !== undefined) return
    const run: ImportRun = ImportRun.follow(store, found, (record) => ended(run, record))
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
  return run === undefined ? (
    <ImportForm store={store} isBrief={isBrief} onSend={send} />
  ) : (
    <ImportProgress store={store} run={run} onSend={send} onOther={() => (current.value = undefined)} />
  )
}
