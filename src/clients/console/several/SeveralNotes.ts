import { type CallOptions, isProblem, type SheafClient, SheafError } from "../../client/SheafClient.ts"
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

/** What is done with each of several notes. It returns whether there was something to do. */
export type Action = (note: ListedNote, options: CallOptions) => Promise<boolean>

export interface Failed {
  readonly note: ListedNote
  readonly error: SheafError
}

export interface Outcome {
  readonly changed: ReadonlyArray<ListedNote>
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
  options: CallOptions,
  onProgress: (done: number) => void = () => undefined
): Promise<Outcome> => {
  const changed: Array<ListedNote> = []
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
        if (await action(note, options)) changed.push(note)
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
  (client: SheafClient, change: (note: ListedNote) => NoteChange | undefined): Action =>
  async (note, options) =>
    (await editNote(client, note, change, options)) !== undefined

export const moving = (client: SheafClient, notebook_id: string): Action =>
  editing(client, (note) => (note.notebook_id === notebook_id ? undefined : { notebook_id }))

/** Adds a tag to notes. */
export const tagging = (client: SheafClient, name: string): Action => {
  const isSame = (tag: string) => tag.toLowerCase() === name.toLowerCase()
  return editing(client, ({ tags }) => (tags.some(isSame) ? undefined : { tags: [...tags, name] }))
}

export const archiving = (client: SheafClient, archived: boolean): Action =>
  editing(client, (note) => (note.archived === archived ? undefined : { archived }))

export const trashing =
  (client: SheafClient): Action =>
  async ({ id }, options) => {
    await client.deleteNote({ id }, options)
    return true
  }

export const restoring =
  (client: SheafClient): Action =>
  async ({ id }, options) => {
    await client.restoreNote({ id }, options)
    return true
  }
