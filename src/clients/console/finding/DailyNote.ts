import { isProblem } from "../../client/SheafClient.ts"
import { isoDay } from "../LocalTime.ts"
import { open, route, writing } from "../Navigation.ts"
import { pushNote } from "../notes/PushedNote.ts"
import { attempt } from "../ui/Notices.tsx"
import type { WorkspaceStore } from "../workspace/WorkspaceStore.ts"

/** The name of the notebook and of the template of daily notes, if there are such. */
const daily = "daily"

/**
 * The id of the daily note of a notebook, the same on all devices: of two devices that create it at once, one does. Ids have
 * at most 40 characters behind their prefix.
 */
const dailyIdOf = (notebook_id: string, day: string): string =>
  `nt_${`${day.replaceAll("-", "")}-${notebook_id.slice("nb_".length)}`.slice(0, 40)}`

const named = <A extends { readonly name: string }>(all: ReadonlyArray<A>): A | undefined =>
  all.find(({ name }) => name.toLowerCase() === daily)

interface Daily {
  readonly id: string
  readonly notebook_id: string
  readonly title: string
}

/** Pushes the note. Returns the version that it has when this call has created it. */
const create = async (store: WorkspaceStore, { id, notebook_id, title }: Daily): Promise<number | undefined> => {
  const push = (revision: number) => pushNote(store.client, id, { notebook_id, title, body: "" }, revision)
  const { conflict, version } = await push(0)
  if (conflict?.reason !== "deleted_on_server") return version
  try {
    await store.client.restoreNote({ id })
    return undefined
  } catch (error) {
    // It was erased: the trash does not have it any more.
    if (!isProblem(error, "not_found", "restore_window_expired")) throw error
    return (await push(conflict.revision ?? 0)).version
  }
}

const erase = async ({ client }: WorkspaceStore, id: string): Promise<void> => {
  try {
    await client.deleteNote({ id, permanent: true })
  } catch (error) {
    // Another device was faster.
    if (!isProblem(error, "not_found")) throw error
  }
}

/**
 * Gives a note the text of a template. The server makes a note of the template, whose text is taken, and which is erased. Its
 * title is the id of the daily note: by that it is found if the page is closed before.
 */
const fill = async (store: WorkspaceStore, { id, notebook_id, title }: Daily, version: number): Promise<void> => {
  const template = named(store.templates.value)
  if (template === undefined) return
  const { client } = store
  const made = await client.applyTemplate({ id: template.id, notebook_id, title: id, variables: { title } })
  try {
    await client.updateNote({ id, version, body: made.body, tags: made.tags })
  } catch (error) {
    // Another device writes already.
    if (!isProblem(error, "precondition_failed")) throw error
  } finally {
    await erase(store, made.id)
  }
}

/** Opens the note of today. It is created if there is none with this title in the notebook of daily notes. */
export const openDailyNote = async (store: WorkspaceStore): Promise<void> => {
  // The key may be pressed before the notebooks and templates are known.
  if (!store.isReady.value) await store.read()
  const notebook_id = (named(store.notebooks.value) ?? store.inbox.value)?.id
  if (notebook_id === undefined) return
  const title = isoDay(new Date())
  const note = { id: dailyIdOf(notebook_id, title), notebook_id, title }
  const filter = `title IN ("${title}", "${note.id}") AND notebook_id = ${notebook_id} AND archived IN (true, false)`
  const { data } = await store.client.listNoteSummaries({ filter, sort: ["created_at"], limit: 10 })
  for (const { id, title } of data) if (title === note.id) await erase(store, id)
  const found = data.find(({ id }) => id === note.id) ?? data.find((each) => each.title === title)
  if (found === undefined) {
    const version = await create(store, note)
    if (version !== undefined) await attempt(() => fill(store, note, version))
  }
  const { filter: list } = route.value
  open(list.kind === "trash" ? { kind: "all" } : list, found?.id ?? note.id, { state: writing })
}
