import { isProblem, type SheafClient, SheafError } from "../../client/SheafClient.ts"
import { endedSession } from "../accounts/endedSession.ts"
import { editNote, type NoteChange } from "../drafts/editNote.ts"

/** What lists know of a note. */
export interface ListedNote {
  readonly id: string
  readonly title: string
  readonly version: number
  readonly notebook_id: string
  readonly tags: ReadonlyArray<string>
  readonly archived: boolean
}

/** Takes a change back. */
export type Undo = () => Promise<unknown>

/** What is done with each of several notes. It returns what takes it back; undefined if there was nothing to do. */
export type Action = (note: ListedNote) => Promise<Undo | undefined>

export interface Failed {
  readonly note: ListedNote
  readonly error: SheafError
}

export interface Outcome {
  /** The notes that have changed, with what takes the change back. */
  readonly changed: ReadonlyArray<{ readonly note: ListedNote; readonly undo: Undo }>
  readonly failed: ReadonlyArray<Failed>
}

/** Maximum number of requests at the same time. */
const maxAtOnce = 4

/** Problems after which no other note is tried: they would all fail. */
const ofAll = ["no_response", "insufficient_role", "forbidden", ...endedSession] as const

/** Does something with several notes. A failure of one note does not concern the others, unless all would fail. */
export const withEach = async (
  notes: ReadonlyArray<ListedNote>,
  action: Action,
  onProgress: (done: number) => void = () => undefined
): Promise<Outcome> => {
  const changed: Array<Outcome["changed"][number]> = []
  const failed: Array<Failed> = []
  const left = notes.values()
  let done = 0
  let reason: SheafError | undefined
  const work = async () => {
    for (const note of left) {
      if (reason !== undefined) {
        failed.push({ note, error: reason })
        continue
      }
      try {
        const undo = await action(note)
        if (undo !== undefined) changed.push({ note, undo })
      } catch (error) {
        if (!(error instanceof SheafError)) throw error
        failed.push({ note, error })
        if (isProblem(error, ...ofAll)) reason = error
      }
      onProgress(++done)
    }
  }
  await Promise.all(Array.from({ length: maxAtOnce }, work))
  return { changed, failed }
}

const editing =
  (
    client: SheafClient,
    change: (note: ListedNote) => NoteChange | undefined,
    back: (before: ListedNote) => typeof change
  ) =>
  async (note: ListedNote): Promise<Undo | undefined> => {
    const edited = await editNote(client, note, change)
    return edited && (() => editNote(client, edited.after, back(edited.before)))
  }

/** Moves notes. Taken back, those are moved that another user has not moved meanwhile. */
export const moving = (client: SheafClient, notebook_id: string): Action =>
  editing(
    client,
    (note) => (note.notebook_id === notebook_id ? undefined : { notebook_id }),
    (before) => (now) => (now.notebook_id === notebook_id ? { notebook_id: before.notebook_id } : undefined)
  )

const isTag = (name: string) => (tag: string) => tag.toLowerCase() === name.toLowerCase()

/** Adds a tag to notes. */
export const tagging = (client: SheafClient, name: string): Action =>
  editing(
    client,
    ({ tags }) => (tags.some(isTag(name)) ? undefined : { tags: [...tags, name] }),
    () =>
      ({ tags }) =>
        tags.some(isTag(name)) ? { tags: tags.filter((tag) => !isTag(name)(tag)) } : undefined
  )

export const archiving = (client: SheafClient, archived: boolean): Action =>
  editing(
    client,
    (note) => (note.archived === archived ? undefined : { archived }),
    () => (now) => (now.archived === archived ? { archived: !archived } : undefined)
  )

export const trashing =
  (client: SheafClient): Action =>
  async ({ id }) => {
    await client.deleteNote({ id })
    return () => client.restoreNote({ id })
  }

export const restoring =
  (client: SheafClient): Action =>
  async ({ id }) => {
    await client.restoreNote({ id })
    return () => client.deleteNote({ id })
  }
