import { useState } from "preact/hooks"
import { SheafError } from "../../client/SheafClient.ts"
import { choose, chosen } from "../DeviceSettings.ts"
import { attempt, endNotice, notify } from "../ui/Notices.tsx"
import { undoing } from "../undoing/Undo.ts"
import type { WorkspaceStore } from "../workspace/WorkspaceStore.ts"
import { linkTexts } from "./LinkMessages.ts"

/** All notices are about one topic: a later one takes the place of the one before. */
const topic = "renamed"

/** Rewrites the links that led to a note by an earlier title or path, and offers to take that back. */
const update = (store: WorkspaceStore, id: string) =>
  attempt(async () => {
    const { change_set_id, notes } = (await store.client.updateNote({ id, links: "update" })).links!
    if (change_set_id !== null) notify(linkTexts.renamed.updated(notes), undoing(store, change_set_id), topic)
  })

interface QuestionProps {
  readonly store: WorkspaceStore
  readonly id: string
  readonly text: string
}

const Question = ({ id, store, text }: QuestionProps) => {
  const [isAlways, setIsAlways] = useState(false)
  const own = linkTexts.renamed
  const decide = (choice: "update" | "keep") => {
    if (isAlways) choose("renames", choice)
    endNotice(topic)
    if (choice === "update") void update(store, id)
  }
  return (
    <span class="renamed">
      {text}
      <label>
        <input type="checkbox" onChange={({ currentTarget }) => setIsAlways(currentTarget.checked)} />
        {own.always}
      </label>
      <span>
        <button type="button" class="link" onClick={() => decide("update")}>
          {own.update}
        </button>
        <button type="button" class="link" onClick={() => decide("keep")}>
          {own.keep}
        </button>
      </span>
    </span>
  )
}

/** Asks what becomes of the links to a note that got another title or notebook, or does what is chosen on this device. */
export const askAboutLinks = async (store: WorkspaceStore, id: string): Promise<void> => {
  const choice = chosen("renames")
  endNotice(topic)
  if (choice === "keep") return
  if (choice === "update") return void (await update(store, id))
  try {
    const { links, title } = await store.client.updateNote({ id, links: "keep" })
    if (links!.notes === 0 || store.ended.aborted) return
    const text = linkTexts.renamed.ask(links!.notes, title)
    notify(<Question store={store} id={id} text={text} />, undefined, topic, true)
    store.ended.addEventListener("abort", () => endNotice(topic), { once: true })
  } catch (error) {
    // The links lead to the note by its former title, and the next change of it asks again.
    if (!(error instanceof SheafError)) throw error
  }
}
