import { importTexts } from "../imports/ImportTexts.ts"
import { useEffect, useState } from "preact/hooks"
import type { Schemas } from "../../client/SheafClient.ts"
import { longDate } from "../Dates.ts"
import { ImportForm } from "../imports/ImportPane.tsx"
import { ImportProgress, ImportResult } from "../imports/ImportProgress.tsx"
import { type ImportFile, ImportRun } from "../imports/ImportRun.ts"
import { DataTable } from "../ui/tables/DataTable.tsx"
import { attempt, notify } from "../ui/Notices.tsx"
import { Section } from "../ui/Section.tsx"
import { usePages } from "../ui/tables/usePages.ts"
import { useRefresh } from "../ui/tables/useRefresh.ts"
import type { WorkspaceStore } from "../workspace/WorkspaceStore.ts"
import { words } from "../ui/AdministrationMessages.ts"
import { texts } from "./SettingsMessages.ts"

type Import = Schemas["Import"]

const isWaitingForFile = ({ size_bytes, status }: Import): boolean => status === "queued" && size_bytes === null
const isChanging = (record: Import): boolean =>
  record.status === "running" || (record.status === "queued" && !isWaitingForFile(record))
const isEnded = ({ status }: Import): boolean => status === "done" || status === "failed"
const nameOf = ({ filename }: Import): string => filename ?? texts.transfers.unnamed

const stateOf = (record: Import): string => {
  if (isWaitingForFile(record)) return texts.transfers.noFile
  const { progress, status } = record
  return texts.transfers.statuses[status] + (status === "running" ? ` ${Math.round(progress * 100)} %` : "")
}

/** A form that imports a file, and the imports of the workspace. */
export const Imports = ({ store }: { readonly store: WorkspaceStore }) => {
  const { client } = store
  const list = usePages((page) => client.listImports({ ...page, filter: "preview = false" }), [client])
  useRefresh(list, isChanging)
  /** The file that is being sent. Then the import is in the list. */
  const [run, setRun] = useState<ImportRun>()
  const send = (file: ImportFile) =>
    setRun(
      ImportRun.send(store, file, ({ errors, imported, preview, status }) => {
        if (preview) return
        void list.reload()
        notify(status === "failed" ? importTexts.failed : importTexts.done(imported, errors.length))
        void attempt(() => store.read())
      })
    )
  const file = run?.file
  const kind = run?.state.value.kind
  useEffect(() => {
    // The result of a preview is shown in place of the form.
    if (file?.preview === true) return
    if (kind !== "running" && kind !== "ended") return
    setRun(undefined)
    void list.reload()
  }, [kind])
  return (
    <>
      {store.canWrite.value && (
        <Section title={texts.transfers.importTitle}>
          <div class="form">
            {run === undefined ? (
              <ImportForm store={store} onSend={send} />
            ) : (
              <ImportProgress store={store} run={run} onSend={send} onOther={() => setRun(undefined)} />
            )}
          </div>
        </Section>
      )}
      <Section title={texts.transfers.imports}>
        <DataTable
          label={texts.transfers.imports}
          empty={texts.transfers.noImports}
          list={list}
          keyOf={({ id }) => id}
          columns={[
            { label: words.file, of: nameOf },
            { label: importTexts.source, of: ({ source }) => importTexts.sources[source] },
            {
              label: words.state,
              of: (record) => (
                <span>
                  <span class={`badge ${record.status === "failed" ? "failed" : ""}`}>{stateOf(record)}</span>
                  {isChanging(record) && <progress aria-label={nameOf(record)} value={record.progress} />}
                </span>
              )
            },
            {
              label: words.notes,
              of: ({ imported, skipped, updated }) => texts.transfers.notesOf(imported, updated, skipped)
            },
            { label: importTexts.remarks, of: ({ errors }) => errors.length },
            { label: words.begun, of: ({ created_at }) => longDate(created_at) }
          ]}
          detail={{
            about: nameOf,
            of: (record) =>
              isEnded(record) ? (
                <ImportResult store={store} record={record} />
              ) : (
                importTexts.soFar(record.imported + record.updated + record.skipped, record.total)
              )
          }}
        />
      </Section>
    </>
  )
}
