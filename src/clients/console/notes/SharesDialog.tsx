import { useEffect, useRef, useState } from "preact/hooks"
import type { Schemas } from "../../client/SheafClient.ts"
import { longDate } from "../Dates.ts"
import { texts as common } from "../Messages.ts"
import { Button } from "../ui/Button.tsx"
import { copyText } from "../ui/copyText.ts"
import { Form } from "../ui/Form.tsx"
import { Dialog } from "../ui/Dialog.tsx"
import { Field } from "../ui/Field.tsx"
import { Failure } from "../ui/Failure.tsx"
import { useAction } from "../ui/useAction.ts"
import type { WorkspaceStore } from "../workspace/WorkspaceStore.ts"
import { RequestKey } from "../drafts/RequestKey.ts"
import { texts } from "./NoteMessages.ts"

type Share = Schemas["Share"]

interface SharesDialogProps {
  readonly store: WorkspaceStore
  readonly note_id: string
  readonly onClose: () => void
}

const aboutOf = ({ expires_at, password_protected, view_count }: Share): string =>
  [
    texts.shares.views(view_count),
    ...(password_protected ? [texts.shares.protected] : []),
    ...(expires_at === null ? [] : [texts.shares.until(longDate(expires_at))])
  ].join(", ")

/** The public links of a note. */
export const SharesDialog = ({ note_id, onClose, store }: SharesDialogProps) => {
  const [shares, setShares] = useState<ReadonlyArray<Share>>([])
  const [password, setPassword] = useState("")
  const [expires, setExpires] = useState("")
  const { failure, isBusy, run } = useAction()
  const key = useRef(new RequestKey()).current
  const read = async () => {
    setShares((await store.client.listShares({ filter: `note_id = ${note_id}`, limit: 100 })).data)
  }
  useEffect(() => void run(read), [])
  const create = () =>
    run(async () => {
      const input = {
        note_id,
        ...(password === "" ? {} : { password }),
        ...(expires === "" ? {} : { expires_at: new Date(expires).toISOString() })
      }
      await store.client.createShare(input, { idempotencyKey: key.of(input) })
      key.succeeded()
      setPassword("")
      setExpires("")
      await read()
    })
  return (
    <Dialog title={common.note.share} onClose={onClose}>
      <p>{texts.shares.lead}</p>
      <Failure failure={failure} />
      <ul class="rows">
        {shares.map((share) => (
          <li key={share.id}>
            <a href={share.url ?? ""} target="_blank" rel="noreferrer">
              {share.url}
            </a>
            <span class="hint">{aboutOf(share)}</span>
            {share.url !== null && isSecureContext && (
              <Button onClick={() => void copyText(share.url!)}>{texts.shares.copy}</Button>
            )}
            {store.canWrite.value && (
              <Button onClick={() => void run(async () => (await store.client.deleteShare({ id: share.id }), read()))}>
                {texts.shares.remove}
              </Button>
            )}
          </li>
        ))}
      </ul>
      {store.canWrite.value && (
        <Form onSubmit={() => create()}>
          <Field
            label={texts.shares.password}
            hint={texts.shares.passwordHint}
            type="password"
            autocomplete="new-password"
            minLength={8}
            value={password}
            onValue={setPassword}
          />
          <Field label={texts.shares.expires} type="datetime-local" value={expires} onValue={setExpires} />
          <Button kind="main" type="submit" isDisabled={isBusy}>
            {texts.shares.create}
          </Button>
        </Form>
      )}
    </Dialog>
  )
}
