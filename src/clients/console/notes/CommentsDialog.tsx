import { useEffect, useState } from "preact/hooks"
import type { Schemas } from "../../client/SheafClient.ts"
import { longDate } from "../Dates.ts"
import { texts as common } from "../Messages.ts"
import { Button } from "../ui/Button.tsx"
import { Form } from "../ui/Form.tsx"
import { Dialog } from "../ui/Dialog.tsx"
import { Failure } from "../ui/Failure.tsx"
import { useAction } from "../ui/useAction.ts"
import type { WorkspaceStore } from "../workspace/WorkspaceStore.ts"
import { sendUnsent, typeUnsent, unsentText } from "../drafts/UnsentText.ts"
import { texts } from "./NoteMessages.ts"

type Comment = Schemas["Comment"]

/** Maximum number of comments of a note that are shown, by the limit of the server. */
const maxComments = 1_000

interface CommentsDialogProps {
  readonly store: WorkspaceStore
  readonly note_id: string
  readonly onClose: () => void
}

interface WriteProps {
  readonly label: string
  /** The name of the text while it is not sent. */
  readonly name: string
  readonly onWrite: (body: string, idempotencyKey: string) => Promise<void>
}

const Write = ({ label, name, onWrite }: WriteProps) => {
  const { failure, isBusy, run } = useAction()
  return (
    <Form onSubmit={() => run(() => sendUnsent(name, onWrite))}>
      <label class="field">
        {label}
        <textarea
          autofocus
          rows={3}
          required
          maxLength={5000}
          value={unsentText(name)}
          onInput={({ currentTarget }) => typeUnsent(name, currentTarget.value)}
        />
      </label>
      <Failure failure={failure} />
      <Button kind="main" type="submit" isDisabled={isBusy}>
        {texts.comments.add}
      </Button>
    </Form>
  )
}

/** The comments of a note, as threads. */
export const CommentsDialog = ({ note_id, onClose, store }: CommentsDialogProps) => {
  const [comments, setComments] = useState<ReadonlyArray<Comment>>([])
  const [replyTo, setReplyTo] = useState<string>()
  const { failure, run } = useAction()
  const read = async () => {
    const found: Array<Comment> = []
    for await (const comment of store.client.listComments({ note_id, limit: 100 })) {
      if (found.push(comment) >= maxComments) break
    }
    setComments(found)
  }
  useEffect(() => {
    void run(read)
    return store.subscribe((changes) => changes.some(({ type }) => type === "comment") && void run(read))
  }, [])
  const nameOf = (parent_id: string | null) => `comment ${store.account.id} ${note_id} ${parent_id ?? ""}`
  const write = (parent_id: string | null) => async (body: string, idempotencyKey: string) => {
    await store.client.createComment({ note_id, body, parent_id }, { idempotencyKey })
    setReplyTo(undefined)
    await read()
  }
  const change = (action: () => Promise<unknown>) => void run(async () => (await action(), read()))
  const thread = (parent: string | null) =>
    comments
      .filter(({ parent_id }) => parent_id === parent)
      .map((comment) => (
        <li key={comment.id} class={comment.resolved ? "resolved" : ""}>
          <p class="hint">
            {store.nameOf(comment.author_id) ?? "—"}, {longDate(comment.created_at)}
          </p>
          <p class="comment">{comment.deleted ? texts.comments.deleted : comment.body}</p>
          {!comment.deleted && (
            <p class="actions">
              <Button onClick={() => setReplyTo(comment.id)}>{texts.comments.reply}</Button>
              {parent === null && (
                <Button
                  onClick={() =>
                    change(() => store.client.updateComment({ note_id, id: comment.id, resolved: !comment.resolved }))
                  }
                >
                  {comment.resolved ? texts.comments.reopen : texts.comments.resolve}
                </Button>
              )}
              {comment.author_id === store.account.id && (
                <Button onClick={() => change(() => store.client.deleteComment({ note_id, id: comment.id }))}>
                  {texts.comments.remove}
                </Button>
              )}
            </p>
          )}
          {(replyTo === comment.id || unsentText(nameOf(comment.id)) !== "") && (
            <Write label={texts.comments.reply} name={nameOf(comment.id)} onWrite={write(comment.id)} />
          )}
          <ul class="thread">{thread(comment.id)}</ul>
        </li>
      ))
  return (
    <Dialog title={common.note.comments} onClose={onClose}>
      <Failure failure={failure} />
      <ul class="thread">{thread(null)}</ul>
      {comments.length === 0 && <p class="hint">{texts.comments.none}</p>}
      <Write label={texts.comments.write} name={nameOf(null)} onWrite={write(null)} />
    </Dialog>
  )
}
