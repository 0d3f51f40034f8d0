import type { Random } from "../../../src/program/testing/Random.ts"
import type { Sheaf } from "../../../src/program/testing/Sheaf.ts"
import type { WorldWords } from "./WorldWords.ts"

export const titles = ["Vienna", "vienna", "List", "Ideas 1", "Zürich", "a/b?", "Notes"]

/** Clients of the API that change the notes of a notebook at random, and what they read. */
export class WorldApi {
  readonly #sheaf: Sheaf
  readonly #random: Random
  readonly #words: WorldWords
  notebook = ""
  /** Notes whose deletion was asked for. */
  readonly deleted = new Set<string>()

  constructor(sheaf: Sheaf, random: Random, words: WorldWords) {
    this.#sheaf = sheaf
    this.#random = random
    this.#words = words
  }

  readonly acts: Readonly<Record<string, () => Promise<void>>> = {
    createNote: async () => {
      const input = { notebook_id: this.notebook, title: this.#random.pick(titles), body: `${this.#words.next()}\n` }
      await this.#sheaf.client.createNote(input)
    },
    editNote: async () => {
      const note = await this.#note()
      if (note)
        await this.#sheaf.client.updateNote({ id: note.id, version: note.version, body: this.#words.edited(note.body) })
    },
    renameNote: async () => {
      const note = await this.#note()
      if (note)
        await this.#sheaf.client.updateNote({ id: note.id, version: note.version, title: this.#random.pick(titles) })
    },
    tagNote: async () => {
      const note = await this.#note()
      if (note)
        await this.#sheaf.client.updateNote({
          id: note.id,
          version: note.version,
          tags: [this.#random.pick(["red", "blue"])]
        })
    },
    // As the console does.
    editParts: async () => {
      const note = await this.#note()
      if (note === undefined) return
      const { id, version } = note
      const line = this.#random.pick(note.body.split("\n"))
      const isOnce = line !== "" && note.body.split(line).length === 2
      const text = this.#words.next()
      const edit = this.#random.pick([
        { append: text },
        { prepend: text },
        { properties: { set: { status: text } } },
        { properties: { set: { tags: [this.#random.pick(["red", "blue"])], note: text } } },
        isOnce ? { version, replacements: [{ old_text: line, new_text: `${line} ${text}` }] } : { append: text }
      ])
      if ("properties" in edit && note.body.startsWith("---"))
        this.#words.take(/^---[\s\S]*?\n---/.exec(note.body)?.[0] ?? "")
      await this.#sheaf.client.editNote({ id, ...edit })
    },
    deleteAttachment: async () => {
      const note = await this.#note()
      const all = note === undefined ? [] : await this.attachments(note.id)
      if (all.length === 0) return
      const { id, sha256: hash } = this.#random.pick(all)
      this.#words.take(this.#words.ofHash(hash))
      await this.#sheaf.client.deleteAttachment({ id })
    },
    deleteNote: async () => {
      const note = await this.#note()
      if (note === undefined) return
      this.#words.take(note.body)
      await this.delete(note.id)
      await this.#sheaf.client.deleteNote({ id: note.id })
    }
  }

  async attachments(note_id: string) {
    const { data } = await this.#sheaf.client.listAttachments({ filter: `note_id = ${note_id}`, limit: 100 })
    return data.toSorted((one, other) => (one.filename + one.sha256 < other.filename + other.sha256 ? -1 : 1))
  }

  async notes(filter?: string) {
    const { data: notebooks } = await this.#sheaf.client.listNotebooks({ limit: 100 })
    const inside = new Set([this.notebook])
    for (let size = 0; size < inside.size;) {
      size = inside.size
      for (const { id, parent_id } of notebooks) if (parent_id && inside.has(parent_id)) inside.add(id)
    }
    const notes = []
    for await (const note of this.#sheaf.client.listNotes({ limit: 100, ...(filter === undefined ? {} : { filter }) }))
      if (inside.has(note.notebook_id)) notes.push(note)
    return notes
  }

  /** A note outside of the trash. */
  async note(id: string) {
    const listed = (await this.notes()).find((each) => each.id === id)
    return listed && this.#sheaf.client.getNote({ id })
  }

  async #note() {
    const listed = (await this.notes()).toSorted((one, other) =>
      one.created_at + one.id < other.created_at + other.id ? -1 : 1
    )
    return listed.length === 0 ? undefined : this.#sheaf.client.getNote({ id: this.#random.pick(listed).id })
  }

  /** A note goes, with the words of its files. */
  async delete(id: string | undefined): Promise<void> {
    if (id === undefined) return
    this.deleted.add(id)
    for (const { sha256: hash } of await this.attachments(id)) this.#words.take(this.#words.ofHash(hash))
  }
}
