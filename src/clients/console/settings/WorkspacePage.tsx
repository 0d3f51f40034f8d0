import type { Schemas } from "../../client/SheafClient.ts"
import { useRef, useState } from "preact/hooks"
import { RequestKey } from "../drafts/RequestKey.ts"
import { longDate } from "../Dates.ts"
import { Button } from "../ui/Button.tsx"
import { Submit } from "../ui/Submit.tsx"
import { DataTable } from "../ui/tables/DataTable.tsx"
import { Failure } from "../ui/Failure.tsx"
import { Form } from "../ui/Form.tsx"
import { NameField } from "../ui/NameField.tsx"
import { notify } from "../ui/Notices.tsx"
import { Section } from "../ui/Section.tsx"
import { useAction } from "../ui/useAction.ts"
import { wholeList } from "../ui/tables/usePages.ts"
import { actionColumn } from "../ui/tables/TableColumns.ts"
import { words } from "../ui/AdministrationMessages.ts"
import { texts } from "./SettingsMessages.ts"
import type { SettingsProps } from "./SettingsProps.ts"
import { MemberFactors } from "./MemberFactors.tsx"
import { OfflineSection } from "./OfflineSection.tsx"
import { WorkspaceEnd } from "./WorkspaceEnd.tsx"
import { WorkspaceForm } from "./WorkspaceForm.tsx"

/** The workspaces of the user, and a form for another one. */
const Workspaces = ({ onWorkspace, store }: Pick<SettingsProps, "onWorkspace" | "store">) => {
  const { account, client } = store
  const [name, setName] = useState("")
  const { failure, run } = useAction()
  const key = useRef(new RequestKey()).current
  const create = async () => {
    await client.createWorkspace({ name }, { idempotencyKey: key.of({ name }) })
    key.succeeded()
    notify(texts.workspace.created(name))
    setName("")
    await store.read()
  }
  return (
    <>
      <Section title={texts.workspace.all}>
        <DataTable
          label={texts.workspace.all}
          empty={texts.workspace.none}
          list={wholeList(store.workspaces.value)}
          keyOf={({ id }) => id}
          columns={[
            { label: words.name, of: ({ name }) => name },
            { label: texts.workspace.slug, of: ({ slug }) => slug },
            { label: words.plan, of: ({ plan }) => words.plans[plan] },
            { label: words.created, of: ({ created_at }) => longDate(created_at) },
            actionColumn(({ id, name }: Schemas["Workspace"]) =>
              id === account.workspace ? (
                <span class="badge">{texts.workspace.isOpen}</span>
              ) : (
                <Button label={words.openOf(name)} onClick={() => onWorkspace(id)}>
                  {words.open}
                </Button>
              )
            )
          ]}
        />
      </Section>
      <Section title={texts.workspace.createTitle}>
        <Form class="form" onSubmit={() => run(create)}>
          <Failure failure={failure} fields={["name"]} />
          <NameField label={words.name} failure={failure} required value={name} onValue={setName} />
          <Submit label={texts.workspace.create} />
        </Form>
      </Section>
    </>
  )
}

/** The open workspace, and the others of the user. */
export const WorkspacePage = ({ onWorkspace, store }: SettingsProps) => {
  const workspace = store.workspace.value
  return (
    <>
      {workspace !== undefined && (
        <>
          <WorkspaceForm key={JSON.stringify(workspace)} store={store} workspace={workspace} />
          {store.role.value === "owner" && (
            <MemberFactors key={workspace.second_factor_from} {...{ store, workspace }} />
          )}
          {/* By plain HTTP, a page has neither locks nor a service worker. */}
          {isSecureContext && <OfflineSection store={store} />}
          <WorkspaceEnd store={store} workspace={workspace} onWorkspace={onWorkspace} />
        </>
      )}
      <Workspaces store={store} onWorkspace={onWorkspace} />
    </>
  )
}
