import { isProblem, type Schemas } from "../../client/SheafClient.ts"
import { texts } from "../Messages.ts"
import { Button } from "../ui/Button.tsx"
import { Failure } from "../ui/Failure.tsx"
import type { ImportRun } from "./ImportRun.ts"

/** Maximum number of problems that are shown. */
const maxShown = 200

/** The progress of an import, and the items that it could not import as they were. */
export const ImportResult = ({ record }: { readonly record: Schemas["Import"] }) => {
  const { errors, imported, skipped, status, updated } = record
  return (
    <>
      <div class="banner result" role={status === "failed" ? "alert" : "status"}>
        <p>{status === "failed" ? texts.imports.failed : texts.imports.done(imported, errors.length)}</p>
        {status === "failed" && imported > 0 && <p>{texts.imports.imported(imported)}</p>}
        {updated > 0 && <p>{texts.imports.updated(updated)}</p>}
        {skipped > 0 && <p>{texts.imports.skipped(skipped)}</p>}
      </div>
      {errors.length > 0 && (
        <section class="problems" aria-label={texts.imports.remarks} tabIndex={0}>
          <h3>{texts.imports.remarks}</h3>
          <ul>
            {errors.slice(0, maxShown).map(({ file, message }, index) => (
              <li key={index}>
                {file !== "" && <strong>{file}</strong>}
                <span>{message}</span>
              </li>
            ))}
          </ul>
          {errors.length > maxShown && <p class="hint">{texts.imports.moreProblems(errors.length - maxShown)}</p>}
        </section>
      )}
    </>
  )
}

interface ImportProgressProps {
  readonly run: ImportRun
  /** Sends the same file again; undefined without a file. */
  readonly onAgain: (() => void) | undefined
  /** Shows the form. */
  readonly onOther: () => void
}

/** How far an import is, and its result. */
export const ImportProgress = ({ onAgain, onOther, run }: ImportProgressProps) => {
  const state = run.state.value
  const again = onAgain !== undefined && (
    <Button kind="main" onClick={onAgain}>
      {texts.retry}
    </Button>
  )
  const other = <Button onClick={onOther}>{texts.imports.other}</Button>
  switch (state.kind) {
    case "sending": {
      const label = texts.imports.sending(run.file?.filename ?? "")
      return (
        <>
          <p role="status">{label}</p>
          <progress aria-label={label} value={state.share} />
          <p class="hint">{texts.imports.keepOpen}</p>
          <footer class="actions">
            <Button onClick={() => (run.cancel(), onOther())}>{texts.imports.cancel}</Button>
          </footer>
        </>
      )
    }
    case "running": {
      const { imported, progress, skipped, status, total, updated } = state.record
      return (
        <>
          <p role="status">{status === "queued" ? texts.imports.waiting : texts.imports.running}</p>
          <progress aria-label={texts.imports.running} value={progress} />
          <p class="hint">{texts.imports.soFar(imported + skipped + updated, total)}</p>
          {state.isAway && (
            <p class="banner" role="alert">
              {texts.imports.away}
            </p>
          )}
          <p class="hint">{texts.imports.mayClose}</p>
        </>
      )
    }
    case "ended":
      return (
        <>
          <ImportResult record={state.record} />
          <footer class="actions">
            {other}
            {state.record.status === "failed" && again}
          </footer>
        </>
      )
    case "refused":
      return (
        <>
          {isProblem(state.error, "no_response") ? (
            <p class="banner" role="alert">
              {texts.imports.unsent}
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
