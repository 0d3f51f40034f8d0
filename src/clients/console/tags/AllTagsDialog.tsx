import { tagTexts } from "./TagMessages.ts"
import { useEffect, useRef, useState } from "preact/hooks"
import type { Schemas } from "../../client/SheafClient.ts"
import { texts } from "../Messages.ts"
import { Button } from "../ui/Button.tsx"
import { Dialog } from "../ui/Dialog.tsx"
import { Failure } from "../ui/Failure.tsx"
import { Field } from "../ui/Field.tsx"
import { useAction } from "../ui/useAction.ts"
import type { WorkspaceStore } from "../workspace/WorkspaceStore.ts"
import { TagDialog, type TagQuestion } from "./TagDialog.tsx"
import { TagRow } from "./TagRow.tsx"

/** Tags of a page. */
const pageSize = 100
/** Milliseconds without typing after which tags are read. */
const beforeReading = 120

interface AllTagsDialogProps {
  readonly store: WorkspaceStore
  readonly onClose: () => void
}

/** All tags by name, in pages, with a filter. */
export const AllTagsDialog = ({ onClose, store }: AllTagsDialogProps) => {
  const [part, setPart] = useState("")
  const [tags, setTags] = useState<ReadonlyArray<Schemas["Tag"]>>()
  const [cursor, setCursor] = useState<string | null>(null)
  const [question, setQuestion] = useState<TagQuestion>()
  /** The last reading: results of earlier ones are not shown. */
  const reading = useRef(0)
  const read = async (from: string | null) => {
    const own = ++reading.current
    const text = part.replaceAll(/["\\]/g, "\\$&")
    const page = await store.client.listTags({
      limit: pageSize,
      sort: ["name"],
      ...(part === "" ? {} : { filter: `name = "*${text}*"` }),
      ...(from === null ? {} : { cursor: from })
    })
    if (own !== reading.current) return
    setTags(from === null ? page.data : [...(tags ?? []), ...page.data])
    setCursor(page.next_cursor)
  }
  const { failure, isBusy, run } = useAction()
  const readFirst = () => void run(() => read(null))
  useEffect(() => {
    const timer = setTimeout(readFirst, beforeReading)
    return () => clearTimeout(timer)
  }, [part])
  return (
    <Dialog title={texts.allTags.title} onClose={onClose}>
      <Field label={tagTexts.all.filter} autocomplete="off" maxLength={50} value={part} onValue={setPart} />
      <Failure failure={failure} />
      <ul class="labels tag-list">
        {tags?.map((tag) => (
          <TagRow key={tag.id} store={store} tag={tag} onAsk={setQuestion} onOpen={onClose} />
        ))}
        {tags?.length === 0 && <li class="hint">{tagTexts.all.none}</li>}
      </ul>
      {cursor !== null && (
        <p class="actions">
          <Button isDisabled={isBusy} onClick={() => void run(() => read(cursor))}>
            {tagTexts.all.more}
          </Button>
        </p>
      )}
      {question !== undefined && (
        <TagDialog store={store} question={question} onClose={() => (setQuestion(undefined), readFirst())} />
      )}
    </Dialog>
  )
}
