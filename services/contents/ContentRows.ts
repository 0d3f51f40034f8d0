import { hash } from "node:crypto"
import { base62 } from "../Ids.ts"
import { aliasesOf } from "../markdown/Aliases.ts"
import { placeById } from "../markdown/LinkedPlace.ts"
import { anchorOf, folded, readingsOf } from "../markdown/LinkText.ts"
import type { TextContents } from "../markdown/contents/TextContents.ts"
import { taskFieldsOf } from "../markdown/TaskFields.ts"
import { nameKey } from "../notes/tags/Tag.ts"

/** The rows of the contents of notes, made from what the parser has read. */

/** A note that has changed. */
export interface ChangedNote {
  readonly id: string
  /** Whether it was deleted, or is in the trash. */
  readonly gone: boolean
  readonly version: number
  readonly title: string
  readonly notebook_id: string
  readonly body_hash: string
  /** The text; null if it is the text that was read last. */
  readonly body: string | null
  /** `Identity` as it was read last; null if the note has no rows yet. */
  readonly identity: string | null
}

/** All that links find a note by, except its id and its former titles. */
interface Identity {
  readonly title: string
  readonly notebook_id: string
  readonly aliases: ReadonlyArray<string>
}

const identityOf = ({ body, identity, notebook_id, title }: ChangedNote): Identity => {
  const aliases =
    body === null ? (JSON.parse(identity!) as Identity).aliases : [...new Set(aliasesOf(body).map(folded))]
  return { title, notebook_id, aliases }
}

/** The beginning of a hash, which is unique in a workspace. */
const short = (text: string, length: number): string => hash("sha256", text, "base64url").slice(0, length)

/** Sorts after all dates. */
const noDate = "~"

/** The ways to read the target of a link, for `database/ReachedLinks.ts`. `up`: the number of `..` before the folders. */
const keptReadings = (target: string): ReadonlyArray<object> => {
  const byId = placeById(target)
  if (byId !== undefined) return [{ ...byId, up: 0, folders: [] }]
  return readingsOf(target).map(({ folders, place, title }) => {
    const up = folders.lastIndexOf("..") + 1
    const anchor = place === "" ? "" : anchorOf(place)
    return { key: folded(title), title, up, folders: folders.slice(up).map(nameKey), anchor }
  })
}

const linksOf = ({ id }: ChangedNote, { links }: TextContents) =>
  links.map(({ context, end, kind, line, start, target, text }, index) => ({
    id: `lk_${short(id, 16)}${base62(index, 3)}`,
    note_id: id,
    kind,
    target,
    start_at: start,
    end_at: end,
    line,
    text,
    context,
    readings: keptReadings(target)
  }))

/**
 * A task is known by its text: its id stays the same when its line moves. Equal tasks of a note differ by their order,
 * and their ids end when one of them changes.
 */
const tasksOf = ({ id }: ChangedNote, { tasks }: TextContents) =>
  [...Map.groupBy(tasks, ({ text }) => text).values()].flatMap((equal) =>
    equal.map(({ done, line, text }, index) => {
      const { completed, due, scheduled, start, ...fields } = taskFieldsOf(text)
      const dates = Object.entries({ completed, due, scheduled, start }).map(([name, date]) => [name, date ?? noDate])
      const own = short(`${id}\n${text}\n${index} ${equal.length}`, 22)
      return { id: `tk_${own}`, note_id: id, line, done, source: text, ...fields, ...Object.fromEntries(dates) }
    })
  )

const propertiesOf = ({ id }: ChangedNote, { properties }: TextContents) =>
  properties.flatMap(({ isList, name, values }): ReadonlyArray<object> => {
    const row = { name_key: folded(name), note_id: id, name, is_list: isList }
    if (values.length === 0) return [{ ...row, ordinal: 0, type: null, value: "", text: "" }]
    return values.map(({ key, text, type }, ordinal) => ({ ...row, ordinal, type, value: key, text }))
  })

/** The rows of a page of changed notes. */
export interface PageRows {
  /** Notes whose rows are removed: gone, or to be added again. */
  readonly removed: ReadonlyArray<string>
  readonly contents: ReadonlyArray<object>
  /** Notes whose text has been read before. */
  readonly kept: ReadonlyArray<object>
  readonly links: ReadonlyArray<object>
  readonly tasks: ReadonlyArray<object>
  readonly properties: ReadonlyArray<object>
  /** Names and ids whose meaning may have changed. */
  readonly keys: ReadonlyArray<string>
  /** Notes whose former names may have another meaning. */
  readonly moved: ReadonlyArray<string>
}

const nothing: TextContents = { links: [], tasks: [], anchors: [], properties: [] }

/** Makes the rows of changed notes. `contents`: what was read of those with a text; undefined beyond the limits. */
export const rowsOf = (
  notes: ReadonlyArray<ChangedNote>,
  contents: ReadonlyMap<string, TextContents | undefined>
): PageRows => {
  const live = notes.filter(({ gone }) => !gone)
  const identities = new Map(live.map((note) => [note.id, identityOf(note)]))
  const read = live
    .filter(({ body }) => body !== null)
    .map((note) => ({ note, content: contents.get(note.id) ?? nothing }))
  const changed = notes.filter(({ gone, id, identity }) => gone || JSON.stringify(identities.get(id)) !== identity)
  const isRead = new Set(read.map(({ note }) => note.id))
  return {
    removed: [...notes.filter(({ gone }) => gone).map(({ id }) => id), ...isRead],
    contents: read.map(({ content, note }) => ({
      note_id: note.id,
      version: note.version,
      body_hash: note.body_hash,
      identity: JSON.stringify(identities.get(note.id)),
      title_key: folded(note.title),
      anchors: content.anchors
    })),
    kept: live.flatMap(({ id, title, version }) =>
      isRead.has(id)
        ? []
        : [{ note_id: id, version, identity: JSON.stringify(identities.get(id)), title_key: folded(title) }]
    ),
    links: read.flatMap(({ content, note }) => linksOf(note, content)),
    tasks: read.flatMap(({ content, note }) => tasksOf(note, content)),
    properties: read.flatMap(({ content, note }) => propertiesOf(note, content)),
    keys: changed.flatMap(({ id }) => {
      const identity = identities.get(id)
      return identity === undefined ? [id] : [id, folded(identity.title), ...identity.aliases]
    }),
    moved: changed.map(({ id }) => id)
  }
}
