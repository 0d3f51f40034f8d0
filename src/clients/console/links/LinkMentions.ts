import { exactLink, fitsBrackets } from "../../../../services/markdown/LinkText.ts"
import { isProblem, type Schemas } from "../../client/SheafClient.ts"
import { attempt, notify } from "../ui/Notices.tsx"
import { newChangeSet, undoing } from "../undoing/Undo.ts"
import type { WorkspaceStore } from "../workspace/WorkspaceStore.ts"
import { linkTexts } from "./LinkMessages.ts"

type Note = Pick<Schemas["Note"], "id" | "title" | "notebook_id">
type Mention = Pick<Schemas["NoteLink"], "note_id" | "version" | "starts" | "ends" | "text">

/** The body with a mention as a link. `isNamed`: the title leads to the note alone. */
const withLink = (body: string, { ends, starts, text }: Mention, note: Note, isNamed: boolean): string => {
  const { id, title } = note
  const [before, after] = [body.slice(0, starts), body.slice(ends)]
  const line = `${before.split("\n").at(-1)}${after.split("\n", 1)[0]}`
  const isInBrackets = before.endsWith("[") || after.startsWith("]")
  // In a table, a bar would begin a cell.
  const fits = fitsBrackets(title) && (text === title || (fitsBrackets(text) && !line.includes("|")))
  const words = text === title ? title : `${title}|${text}`
  return before + (isNamed && fits && !isInBrackets ? `[[${words}]]` : exactLink({ id, title: text })) + after
}

/**
 * Replaces mentions of a note by links to it, each in the version in which it was found. A note that has changed since stays
 * as it is.
 */
export const linkMentions = async (
  store: WorkspaceStore,
  note: Note,
  mentions: ReadonlyArray<Mention>
): Promise<void> => {
  const { client } = store
  const { id, notebook_id, title } = note
  const changeSet = newChangeSet()
  let linked = 0
  let changed = 0
  await attempt(async () => {
    const found = await client.findLinkedNote({ target: title, notebook_id }).catch((error: unknown) => {
      if (!isProblem(error, "not_found")) throw error
    })
    for (const mention of mentions) {
      const { note_id, version } = mention
      try {
        const { body } = await client.getNoteVersion({ id: note_id, version })
        const next = withLink(body, mention, note, found?.id === id)
        await client.updateNote({ id: note_id, version, body: next }, { changeSet })
        linked++
      } catch (error) {
        if (!isProblem(error, "precondition_failed", "not_found")) throw error
        changed++
      }
    }
  })
  const { backlinks, renamed } = linkTexts
  const said = [...(linked > 0 ? [renamed.updated(linked)] : []), ...(changed > 0 ? [backlinks.changed] : [])]
  if (said.length > 0) notify(said.join(" "), linked > 0 ? undoing(store, changeSet) : undefined, "mentions")
}
