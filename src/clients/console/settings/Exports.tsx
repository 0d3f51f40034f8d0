import { useState } from "preact/hooks"
import type { Schemas } from "../../client/SheafClient.ts"
import { longDate } from "../Dates.ts"
import { texts as main } from "../Messages.ts"
import { sizeOf } from "../imports/sizeOf.ts"
import { Button } from "../ui/Button.tsx"
import { Submit } from "../ui/Submit.tsx"
import { Check } from "../ui/Field.tsx"
import { DataTable } from "../ui/tables/DataTable.tsx"
import { Failure } from "../ui/Failure.tsx"
import { Form } from "../ui/Form.tsx"
import { withPassword } from "../ui/PasswordRequest.tsx"
import { saveFrom } from "../ui/saveFile.ts"
import { Section } from "../ui/Section.tsx"
import { Select } from "../ui/Select.tsx"
import { useAction } from "../ui/useAction.ts"
import { usePages } from "../ui/tables/usePages.ts"
import { useRefresh } from "../ui/tables/useRefresh.ts"
import type { WorkspaceStore } from "../workspace/WorkspaceStore.ts"
import { isAtLeast } from "./Roles.ts"
import { actionColumn } from "../ui/tables/TableColumns.ts"
import { words } from "../ui/AdministrationMessages.ts"
import { texts } from "./SettingsMessages.ts"

type Export = Schemas["Export"]

const isChanging = ({ status }: Export): boolean => status === "queued" || status === "running"

const formats = [
  ["markdown", texts.transfers.formats.markdown],
  ["json", texts.transfers.formats.json]
] as const

const ExportForm = ({ onMade, store }: { readonly store: WorkspaceStore; readonly onMade: () => Promise<void> }) => {
  const isAdmin = isAtLeast(store.role.value ?? "viewer", "admin")
  const [scope, setScope] = useState<Export["scope"]>(isAdmin ? "workspace" : "notebook")
  const [notebook, setNotebook] = useState("")
  const [format, setFormat] = useState<Export["format"]>("markdown")
  const [include_attachments, setIncluded] = useState(true)
  const { failure, run } = useAction()
  const notebooks = store.notebooks.value.map(({ id, name }) => [id, name] as const)
  const notebook_id = notebook || (notebooks[0]?.[0] ?? "")
  const make = async () => {
    const input = { scope, format, include_attachments, ...(scope === "notebook" ? { notebook_id } : {}) }
    await withPassword((password) => store.client.createExport({ ...input, ...password }))
    await onMade()
  }
  return (
    <Form class="form" onSubmit={() => run(make)}>
      <Failure failure={failure} />
      <Select
        label={texts.transfers.scope}
        options={(["workspace", "notebook"] as const)
          .filter((each) => isAdmin || each === "notebook")
          .map((each) => [each, texts.transfers.scopes[each]])}
        value={scope}
        onValue={setScope}
      />
      {scope === "notebook" && (
        <Select label={main.notebook} options={notebooks} value={notebook_id} onValue={setNotebook} />
      )}
      <Select label={texts.transfers.format} options={formats} value={format} onValue={setFormat} />
      <Check isChecked={include_attachments} onCheck={setIncluded}>
        {texts.transfers.attachments}
      </Check>
      <Submit label={texts.transfers.submit} />
    </Form>
  )
}

/** A form that makes an export, and the exports of the workspace. */
export const Exports = ({ store }: { readonly store: WorkspaceStore }) => {
  const { client } = store
  const list = usePages((page) => client.listExports(page), [client])
  useRefresh(list, isChanging)
  const { failure, run } = useAction()
  const download = async ({ id }: Export) => {
    // The address in the list may have expired.
    const { download_url } = await client.getExport({ id })
    if (download_url === null) await list.reload()
    else saveFrom(download_url)
  }
  const scopeOf = ({ notebook_id, scope }: Export): string =>
    scope === "workspace" || notebook_id === null
      ? texts.transfers.scopes[scope]
      : (store.notebook(notebook_id)?.name ?? texts.transfers.gone)
  return (
    <>
      {store.canWrite.value && (
        <Section title={texts.transfers.exportTitle} lead={texts.transfers.exportLead}>
          <ExportForm store={store} onMade={list.reload} />
        </Section>
      )}
      <Section title={texts.transfers.exports} lead={texts.transfers.kept}>
        <Failure failure={failure} />
        <DataTable
          label={texts.transfers.exports}
          empty={texts.transfers.noExports}
          list={list}
          keyOf={({ id }) => id}
          columns={[
            { label: texts.transfers.scope, of: scopeOf },
            { label: texts.transfers.format, of: ({ format }) => texts.transfers.formatNames[format] },
            {
              label: words.state,
              of: (record) => (
                <span>
                  <span class={`badge ${record.status === "failed" ? "failed" : ""}`}>
                    {texts.transfers.statuses[record.status]}
                  </span>{" "}
                  {record.error}
                  {isChanging(record) && <progress aria-label={scopeOf(record)} value={record.progress} />}
                </span>
              )
            },
            {
              label: words.size,
              of: ({ size_bytes }) => (size_bytes === null ? "" : sizeOf(size_bytes))
            },
            { label: words.begun, of: ({ created_at }) => longDate(created_at) },
            actionColumn(
              (record: Export) =>
                record.status === "ready" && (
                  <Button
                    label={texts.transfers.downloadOf(longDate(record.created_at))}
                    onClick={() => void run(() => download(record))}
                  >
                    {words.download}
                  </Button>
                )
            )
          ]}
        />
      </Section>
    </>
  )
}
