import { useState } from "preact/hooks"
import type { Schemas } from "../../client/SheafClient.ts"
import { Button } from "../ui/Button.tsx"
import { Field } from "../ui/Field.tsx"
import { withPassword } from "../ui/PasswordRequest.tsx"
import { Question } from "../ui/Question.tsx"
import { Section } from "../ui/Section.tsx"
import { words } from "../ui/AdministrationMessages.ts"
import { texts } from "./SettingsMessages.ts"
import type { SettingsProps } from "./SettingsProps.ts"

interface WorkspaceEndProps extends Pick<SettingsProps, "onWorkspace" | "store"> {
  readonly workspace: Schemas["Workspace"]
}

/** How a member leaves the workspace, and how an owner deletes it. */
export const WorkspaceEnd = ({ onWorkspace, store, workspace: { id, name, slug } }: WorkspaceEndProps) => {
  const [asked, setAsked] = useState<"leave" | "delete">()
  const [typed, setTyped] = useState("")
  const { account, client } = store
  const personal = account.session.workspace_id
  const own = store.members.value.find(({ user_id }) => user_id === account.id)
  if (own === undefined) return null
  if (id === personal) return <p class="hint">{texts.workspace.personal}</p>
  const leave = async () => {
    await client.deleteMember({ workspace_id: id, id: own.id })
    onWorkspace(personal)
  }
  const remove = async () => {
    await withPassword((password) => client.deleteWorkspace({ id, confirm: typed, ...password }))
    onWorkspace(personal)
  }
  const close = () => (setAsked(undefined), setTyped(""))
  return (
    <>
      <Section title={texts.workspace.leave} lead={texts.workspace.leaveHint}>
        <p class="actions start">
          <Button kind="danger" onClick={() => setAsked("leave")}>
            {texts.workspace.leaveAction}
          </Button>
        </p>
      </Section>
      {own.role === "owner" && (
        <Section title={words.deleteWorkspace} lead={texts.workspace.deleteHint}>
          <p class="actions start">
            <Button kind="danger" onClick={() => setAsked("delete")}>
              {words.delete}
            </Button>
          </p>
        </Section>
      )}
      {asked === "leave" && (
        <Question
          title={texts.workspace.leave}
          lead={texts.workspace.leaveConfirm(name)}
          action={texts.workspace.leave}
          messages={texts.people.problems}
          onConfirm={leave}
          onClose={close}
        />
      )}
      {asked === "delete" && (
        <Question
          title={words.deleteWorkspace}
          lead={texts.workspace.deleteConfirm(slug)}
          action={words.deleteWorkspace}
          messages={{ validation_failed: texts.workspace.deleteMismatch }}
          onConfirm={remove}
          onClose={close}
        >
          <Field
            label={texts.workspace.deleteField}
            autocomplete="off"
            autofocus
            required
            value={typed}
            onValue={setTyped}
          />
        </Question>
      )}
    </>
  )
}
