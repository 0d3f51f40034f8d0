import { contents } from "./Contents.ts"
import { type Edit, OfflineClient } from "./OfflineClient.ts"
import type { Entry } from "./World.ts"

const tagNames = ["red", "green", "Blue", "idea", "todo", "später", "日記", "x1"]
/** Ids that several clients create independently, such as those of daily notes. */
const commonNotes = Array.from({ length: 4 }, (_, day) => `nt_daily_2026_03_0${day + 1}_00`)

/** An offline client whose user edits at random, based on the replica and the pending edits. */
export class Editor extends OfflineClient {
  /** A random step of ordinary use. */
  async step(): Promise<void> {
    const what = this.random.weighted({ edit: 60, push: 17, pull: 15, live: 4, off: 3, startOver: 1 })
    if (what === "edit") this.edit()
    else if (what === "push") await this.push()
    else if (what === "live") await this.goLive()
    else if (what === "off") await this.goOff()
    else if (this.isLive) return
    else if (what === "startOver") this.startOver()
    else await this.pull()
  }

  private live(type: string): ReadonlyArray<Entry> {
    return [...this.replica.values()].filter((entry) => entry.type === type && entry.op === "upsert")
  }

  /** The revision that the record will have once its pending edits are applied. */
  private revisionOf(entry: Entry): number {
    const waiting = this.pending.filter((edit) => edit.id === entry.id)
    const last = waiting.at(-1)
    return last === undefined ? entry.revision : Math.max(last.revision + 1, entry.revision)
  }

  private add(edit: Omit<Edit, "mutation_id">): void {
    this.pending.push({ mutation_id: this.mutationId(), ...edit })
  }

  private change(entry: Entry | undefined, data: Readonly<Record<string, unknown>>): void {
    if (entry !== undefined) {
      this.add({ type: entry.type, op: "upsert", id: entry.id, revision: this.revisionOf(entry), data })
    }
  }

  private remove(entry: Entry | undefined): void {
    if (entry !== undefined)
      this.add({ type: entry.type, op: "delete", id: entry.id, revision: this.revisionOf(entry) })
  }

  private one(type: string): Entry | undefined {
    const entries = this.live(type)
    return entries.length === 0 ? undefined : this.random.pick(entries)
  }

  private tags(): ReadonlyArray<string> {
    return Array.from({ length: this.random.between(0, 4) }, () => this.random.pick(tagNames))
  }

  /** A time in the far future, or in the past, which makes the server fire the reminder. */
  private moment(): string {
    return this.random.chance(0.3) ? "2026-01-01T00:00:00.000Z" : `21${this.random.between(10, 99)}-01-01T00:00:00.000Z`
  }

  private edit(): void {
    const { random } = this
    const notebook = this.one("notebook")
    if (notebook === undefined) return
    const kind = random.weighted({
      create: 18,
      createByServer: 3,
      createCommon: 3,
      createBoth: 3,
      text: 30,
      move: 10,
      tags: 10,
      flags: 8,
      delete: 7,
      restore: 5,
      notebookCreate: 2,
      notebookChange: 4,
      notebookDelete: 1,
      tagCreate: 2,
      tagChange: 3,
      tagDelete: 1,
      attach: 8,
      fileChange: 4,
      fileDelete: 2,
      comment: 6,
      commentChange: 3,
      commentDelete: 2,
      remind: 4,
      remindChange: 3,
      remindDelete: 1
    })
    const fresh = () => ({
      notebook_id: notebook.id,
      title: `${this.name} ${random.text(6)}`,
      body: random.text(random.between(0, 80)),
      tags: this.tags()
    })
    switch (kind) {
      case "create":
        return this.add({ type: "note", op: "upsert", id: `nt_${random.text(20)}`, revision: 0, data: fresh() })
      case "createByServer":
        return this.add({ type: "note", op: "upsert", revision: 0, data: fresh() })
      case "createCommon":
        return this.add({ type: "note", op: "upsert", id: random.pick(commonNotes), revision: 0, data: fresh() })
      case "createBoth": {
        const client_ref = random.text(5)
        this.add({ type: "notebook", op: "upsert", client_ref, revision: 0, data: { name: random.text(8) } })
        return this.add({
          type: "note",
          op: "upsert",
          revision: 0,
          data: { ...fresh(), notebook_id: `$${client_ref}` }
        })
      }
      case "text":
        return this.change(this.one("note"), {
          ...(random.chance(0.6) ? { body: `${this.name} ${random.text(30)}` } : {}),
          ...(random.chance(0.6) ? { title: `${this.name} ${random.text(6)}` } : {})
        })
      case "move":
        return this.change(this.one("note"), { notebook_id: notebook.id })
      case "tags":
        return this.change(this.one("note"), { tags: this.tags() })
      case "flags":
        return this.change(this.one("note"), { [random.pick(["pinned", "archived"])]: random.chance(0.5) })
      case "delete":
        return this.remove(this.one("note"))
      case "restore": {
        const gone = [...this.replica.values()].filter((entry) => entry.type === "note" && entry.op === "delete")
        return gone.length === 0 ? undefined : this.change(random.pick(gone), fresh())
      }
      case "notebookCreate":
        return this.add({
          type: "notebook",
          op: "upsert",
          id: `nb_${random.text(16)}`,
          revision: 0,
          data: { name: random.text(6), parent_id: random.chance(0.5) ? notebook.id : null }
        })
      case "notebookChange":
        return this.change(
          this.one("notebook"),
          random.chance(0.5) ? { name: random.text(6) } : { parent_id: random.chance(0.7) ? notebook.id : null }
        )
      case "notebookDelete":
        return this.remove(this.one("notebook"))
      case "tagCreate":
        return this.add({
          type: "tag",
          op: "upsert",
          id: `tg_${random.text(16)}`,
          revision: 0,
          data: { name: random.pick(tagNames) }
        })
      case "tagChange":
        return this.change(
          this.one("tag"),
          random.chance(0.5)
            ? { name: random.pick([...tagNames, random.text(4)]) }
            : { color: random.pick(["#123456", null]) }
        )
      case "tagDelete":
        return this.remove(this.one("tag"))
      case "attach": {
        const note = this.one("note")
        if (note === undefined) return
        // An attachment with a known hash is ready if the server already has these bytes.
        const claimed = random.chance(0.6) ? random.pick(contents).claimed : {}
        const data = { note_id: note.id, filename: `${random.text(6)}.bin`, ...claimed }
        return this.add({ type: "attachment", op: "upsert", id: `at_${random.text(20)}`, revision: 0, data })
      }
      case "fileChange": {
        const note = this.one("note")
        return this.change(
          this.one("attachment"),
          note === undefined || random.chance(0.5) ? { filename: `${random.text(6)}.txt` } : { note_id: note.id }
        )
      }
      case "fileDelete":
        return this.remove(this.one("attachment"))
      case "comment": {
        // Prefers notes that already have comments.
        const other = random.chance(0.6) ? this.one("comment") : undefined
        const note = this.replica.get(`note ${other?.data?.["note_id"]}`) ?? this.one("note")
        if (note === undefined) return
        const others = this.live("comment").filter(({ data }) => data?.["note_id"] === note.id)
        const parent_id = others.length > 0 && random.chance(0.6) ? random.pick(others).id : null
        const data = { note_id: note.id, parent_id, body: random.text(12) }
        return this.add({ type: "comment", op: "upsert", id: `cm_${random.text(20)}`, revision: 0, data })
      }
      case "commentChange":
        return this.change(
          this.one("comment"),
          random.chance(0.5) ? { body: random.text(12) } : { resolved: random.chance(0.5) }
        )
      case "commentDelete":
        return this.remove(this.one("comment"))
      case "remind": {
        const note = this.one("note")
        if (note === undefined) return
        const data = { note_id: note.id, remind_at: this.moment(), channel: "webhook" }
        return this.add({ type: "reminder", op: "upsert", id: `rm_${random.text(20)}`, revision: 0, data })
      }
      case "remindChange":
        return this.change(
          this.one("reminder"),
          random.chance(0.5) ? { remind_at: this.moment() } : { done: random.chance(0.5) }
        )
      case "remindDelete":
        return this.remove(this.one("reminder"))
    }
  }
}
