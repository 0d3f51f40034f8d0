import { importTexts } from "./ImportTexts.ts"
import { isProblem, type Schemas } from "../../client/SheafClient.ts"
import { translation } from "../ChosenLanguage.ts"
import { texts } from "../Messages.ts"
import { Button } from "../ui/Button.tsx"
import { Failure } from "../ui/Failure.tsx"
import { loadUndoing } from "../undoing/Undo.ts"
import type { WorkspaceStore } from "../workspace/WorkspaceStore.ts"
import type { ImportFile, ImportRun } from "./ImportRun.ts"

/** Maximum number of problems that are shown. */
const maxShown = 200

/** A remark in the language of the page, with the names that the server's sentence quotes. */
const remarkOf = ({ code, message }: Schemas["ImportError"]): string => {
  const sentence = translation?.remarks[code]
  const names = message.match(/"(?:[^"\\]|\\.)+"/g)
  if (sentence === undefined) return message
  return names === null ? sentence.replace(/\s?[:：]$/, "") : `${sentence} ${names.join(", ")}`
}

interface ImportResultProps {
  readonly store: WorkspaceStore
  readonly record: Schemas["Import"]
}

/** The result of an import, with its undo, and the items that it could not import as they were. */
export const ImportResult = ({ record, store }: ImportResultProps) => {
  const { attachments, errors, id, imported, notebooks, preview, skipped, status, tags, updated } = record
  const others = [
    [texts.notebooks, notebooks],
    [texts.tags, tags],
    [translation?.shared.files ?? "Files", attachments]
  ]
  return (
    <>
      <div class="banner result" role={status === "failed" ? "alert" : "status"}>
        {preview && <p>{importTexts.foreseen}</p>}
        <p>{status === "failed" ? importTexts.failed : importTexts.done(imported, errors.length)}</p>
        {status === "failed" && imported > 0 && <p>{importTexts.imported(imported)}</p>}
        {updated > 0 && <p>{importTexts.updated(updated)}</p>}
        {skipped > 0 && <p>{importTexts.skipped(skipped)}</p>}
        {preview && <p>{others.map(([name, count]) => `${name}: ${count}`).join(", ")}</p>}
        {!preview && imported + updated > 0 && store.canWrite.value && (
          <p>
            <button
              type="button"
              class="link"
              onClick={() => void loadUndoing().then((all) => all?.showUndo(store, { import_id: id }))}
            >
              {importTexts.undo}
            </button>
          </p>
        )}
      </div>
      {errors.length > 0 && (
        <section class="problems" aria-label={importTexts.remarks} tabIndex={0}>
          <h3>{importTexts.remarks}</h3>
          <ul>
            {errors.slice(0, maxShown).map((error, index) => (
              <li key={index}>
                {error.file !== "" && <strong>{error.file}</strong>}
                <span>{remarkOf(error)}</span>
              </li>
            ))}
          </ul>
          {errors.length > maxShown && <p class="hint">{importTexts.moreProblems(errors.length - maxShown)}</p>}
        </section>
      )}
    </>
  )
}

interface ImportProgressProps {
  readonly store: WorkspaceStore
  readonly run: ImportRun
  /** Sends the same file again, or imports that of a preview. */
  readonly onSend: (file: ImportFile) => void
  /** Shows the form. */
  readonly onOther: () => void
}

/** How far an import is, and its result. */
export const ImportProgress = ({ onOther, onSend, run, store }: ImportProgressProps) => {
  const { file } = run
  const state = run.state.value
  const again = file !== undefined && (
    <Button kind="main" onClick={() => onSend(file)}>
      {texts.retry}
    </Button>
  )
  const other = <Button onClick={onOther}>{importTexts.other}</Button>
  switch (state.kind) {
    case "sending": {
      const label = importTexts.sending(run.file?.filename ?? "")
      return (
        <>
          <p role="status">{label}</p>
          <progress aria-label={label} value={state.share} />
          <p class="hint">{importTexts.keepOpen}</p>
          <footer class="actions">
            <Button onClick={() => (run.cancel(), onOther())}>{texts.cancel}</Button>
          </footer>
        </>
      )
    }
    case "running": {
      const { imported, preview, progress, skipped, status, total, updated } = state.record
      const running = preview ? importTexts.soFar(0, null) : importTexts.running
      return (
        <>
          <p role="status">{status === "queued" ? importTexts.waiting : running}</p>
          <progress aria-label={running} value={progress} />
          <p class="hint">{importTexts.soFar(imported + skipped + updated, total)}</p>
          {state.isAway && (
            <p class="banner" role="alert">
              {importTexts.away}
            </p>
          )}
          <p class="hint">{importTexts.mayClose}</p>
        </>
      )
    }
    case "ended":
      return (
        <>
          <ImportResult store={store} record={state.record} />
          <footer class="actions">
            {other}
            {state.record.status === "failed" && again}
            {state.record.preview && state.record.status === "done" && file !== undefined && (
              <Button kind="main" onClick={() => onSend({ ...file, preview: false })}>
                {importTexts.start}
              </Button>
            )}
          </footer>
        </>
      )
    case "refused":
      return (
        <>
          {isProblem(state.error, "no_response") ? (
            <p class="banner" role="alert">
              {importTexts.unsent}
            </p>
          ) : (
            <Failure failure={state.error} />
          )}
          <footer class="actions">
            {other}
            {again}
          </footer>
        </>
      )
  }
}
