import { useState } from "preact/hooks"
import type { Schemas } from "../../../client/SheafClient.ts"
import { Button } from "../../ui/Button.tsx"
import { Submit } from "../../ui/Submit.tsx"
import { errorsOf } from "../../ui/errorsOf.ts"
import { Failure } from "../../ui/Failure.tsx"
import { Field } from "../../ui/Field.tsx"
import { keepFocus } from "../../ui/focusHeading.ts"
import { Form } from "../../ui/Form.tsx"
import { notify } from "../../ui/Notices.tsx"
import { withPassword } from "../../ui/PasswordRequest.tsx"
import { Question } from "../../ui/Question.tsx"
import { Section } from "../../ui/Section.tsx"
import { useAction } from "../../ui/useAction.ts"
import { words } from "../../ui/AdministrationMessages.ts"
import { texts } from "../ServerMessages.ts"
import type { ServerProps } from "../ServerProps.ts"

interface WorkspaceDeletionProps extends Pick<ServerProps, "admin"> {
  readonly workspace: Schemas["ServerWorkspace"]
  readonly onChanged: () => Promise<void>
}

const RestoreForm = ({ admin, onChanged, workspace: { id } }: WorkspaceDeletionProps) => {
  const [owner, setOwner] = useState("")
  const { failure, run } = useAction()
  const restore = async () => {
    const input = { id, ...(owner === "" ? {} : { owner }) }
    await withPassword((password) => admin.adminRestoreWorkspace({ ...input, ...password }))
    notify(texts.workspaces.restored)
    await onChanged()
    keepFocus()
  }
  return (
    <Section title={texts.workspaces.restore} lead={texts.workspaces.restoreLead}>
      <Form class="form" onSubmit={() => run(restore)}>
        <Failure failure={failure} fields={["owner"]} />
        <Field
          label={texts.workspaces.owner}
          hint={texts.workspaces.ownerHint}
          error={errorsOf(failure)["owner"]}
          type="email"
          autocomplete="off"
          value={owner}
          onValue={setOwner}
        />
        <Submit label={texts.workspaces.restore} />
      </Form>
    </Section>
  )
}

/** Deletes, restores and erases a workspace. */
export const WorkspaceDeletion = (props: WorkspaceDeletionProps) => {
  const { admin, onChanged, workspace } = props
  const { deleted_at, id, name, personal, purge_at, slug } = workspace
  const [asked, setAsked] = useState<"delete" | "erase">()
  const [typed, setTyped] = useState("")
  if (purge_at !== null) return <p class="banner">{texts.workspaces.erasingLead}</p>
  if (personal && deleted_at === null) return <p class="hint">{texts.workspaces.personalLead}</p>
  const close = () => (setAsked(undefined), setTyped(""))
  return (
    <>
      {deleted_at !== null && <RestoreForm {...props} />}
      <Section
        title={deleted_at === null ? texts.workspaces.end : texts.workspaces.eraseTitle}
        lead={texts.workspaces.endLead}
      >
        <p class="actions start">
          {deleted_at === null && <Button onClick={() => setAsked("delete")}>{words.delete}</Button>}
          <Button kind="danger" onClick={() => setAsked("erase")}>
            {texts.workspaces.erase}
          </Button>
        </p>
      </Section>
      {asked === "delete" && (
        <Question
          title={words.deleteWorkspace}
          lead={texts.workspaces.deleteConfirm(name)}
          action={words.deleteWorkspace}
          onConfirm={async () => {
            await withPassword((password) => admin.adminDeleteWorkspace({ id, ...password }))
            await onChanged()
          }}
          onClose={close}
        />
      )}
      {asked === "erase" && (
        <Question
          title={texts.workspaces.eraseTitle}
          lead={texts.workspaces.eraseConfirm(slug)}
          action={texts.workspaces.eraseTitle}
          isReady={typed === slug}
          onConfirm={async () => {
            await withPassword((password) => admin.adminPurgeWorkspace({ id, ...password }))
            await onChanged()
          }}
          onClose={close}
        >
          <Field label={texts.workspaces.slug} autocomplete="off" autofocus required value={typed} onValue={setTyped} />
        </Question>
      )}
    </>
  )
}
