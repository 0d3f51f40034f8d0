import type { Data } from "../../../services/records/Merge.ts"
import { newId } from "../../../src/clients/sync/Edit.ts"
import { aged } from "../devices/SyncCursors.ts"
import type { TestApp } from "../TestApp.ts"
import { contents } from "./Contents.ts"
import { OfflineClient } from "./OfflineClient.ts"
import type { World } from "./World.ts"

const tagNames = ["red", "green", "Blue", "idea", "todo", "später", "日記", "x1"]
/** Ids that several clients create independently, such as those of daily notes. */
const commonNotes = Array.from({ length: 4 }, (_, day) => `nt_daily_2026_03_0${day + 1}_00`)

const day = 86_400_000

/** An offline client whose user edits at random, on a network with faults. */
export class Editor extends OfflineClient {
  private readonly app: TestApp
  /** Notes that this device has deleted, since it knows all records. */
  private readonly removed = new Set<string>()

  constructor(world: World, name: string, seed: number, app: TestApp) {
    super(world, name, seed)
    this.app = app
    this.wire.isFaulty = true
  }

  /** A random step of ordinary use. */
  async step(): Promise<void> {
    const what = this.random.weighted({ edit: 60, sync: 32, live: 4, off: 3, crash: 2 })
    if (what === "edit") await this.edit()
    else if (what === "live" || what === "off") await this.setLive(what === "live")
    else if (what === "crash") await this.crash()
    else await this.sync()
  }

  /** Ends the engine during a sync, and opens it again from its store, perhaps long after its last pull. */
  private async crash(): Promise<void> {
    const syncing = this.engine.sync()
    this.wire.isDown = true
    this.isLive = false
    await Promise.allSettled([syncing, this.engine.stop()])
    const position = (await this.store.load()).get("position") as { readonly cursor?: string }
    const days = this.random.pick([0, 2, 91])
    if (days > 0 && position.cursor !== undefined) {
      const cursor = await aged(this.app, position.cursor, days * day)
      await this.store.write([["position", { ...position, cursor }]])
      this.wire.rename(position.cursor, cursor)
      this.removed.clear()
    }
    this.wire.isDown = false
    await this.open()
    this.world.count(`crashes, ${days} days`)
  }

  private async change(type: string, found: Data | undefined, data: Data): Promise<void> {
    if (found !== undefined) await this.engine.edit(type, String(found["id"]), data)
  }

  private async remove(type: string): Promise<void> {
    const found = this.one(type)
    if (found === undefined) return
    if (type === "note") this.removed.add(String(found["id"]))
    await this.engine.remove(type, String(found["id"]))
  }

  private one(type: string): Data | undefined {
    const records = this.engine.all(type)
    return records.length === 0 ? undefined : this.random.pick(records)
  }

  private tags(): ReadonlyArray<string> {
    return Array.from({ length: this.random.between(0, 4) }, () => this.random.pick(tagNames))
  }

  /** A time in the far future, or in the past, which makes the server fire the reminder. */
  private moment(): string {
    return this.random.chance(0.3) ? "2026-01-01T00:00:00.000Z" : `21${this.random.between(10, 99)}-01-01T00:00:00.000Z`
  }

  private async edit(): Promise<void> {
    const { random } = this
    const notebook = this.one("notebook")
    if (notebook === undefined) return
    const kind = random.weighted({
      create: 18,
      createCommon: 3,
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
      notebook_id: notebook["id"],
      title: `${this.name} ${random.text(6)}`,
      body: random.text(random.between(0, 80)),
      tags: this.tags()
    })
    switch (kind) {
      case "create":
        return this.engine.edit("note", newId("nt_"), fresh())
      case "createCommon":
        return this.engine.edit("note", random.pick(commonNotes), fresh())
      case "text":
        return this.change("note", this.one("note"), {
          ...(random.chance(0.6) ? { body: `${this.name} ${random.text(30)}` } : {}),
          ...(random.chance(0.6) ? { title: `${this.name} ${random.text(6)}` } : {})
        })
      case "move":
        return this.change("note", this.one("note"), { notebook_id: notebook["id"] })
      case "tags":
        return this.change("note", this.one("note"), { tags: this.tags() })
      case "flags":
        return this.change("note", this.one("note"), { [random.pick(["pinned", "archived"])]: random.chance(0.5) })
      case "delete":
        return this.remove("note")
      case "restore": {
        const gone = [...this.removed].filter((id) => this.engine.get(id) === undefined)
        if (gone.length === 0) return
        const id = random.pick(gone)
        await this.engine.restore("note", id)
        return this.engine.edit("note", id, fresh())
      }
      case "notebookCreate":
        return this.engine.edit("notebook", newId("nb_"), {
          name: random.text(6),
          parent_id: random.chance(0.5) ? notebook["id"] : null
        })
      case "notebookChange":
        return this.change(
          "notebook",
          this.one("notebook"),
          random.chance(0.5) ? { name: random.text(6) } : { parent_id: random.chance(0.7) ? notebook["id"] : null }
        )
      case "notebookDelete":
        return this.remove("notebook")
      case "tagCreate":
        return this.engine.edit("tag", newId("tg_"), { name: random.pick(tagNames) })
      case "tagChange":
        return this.change(
          "tag",
          this.one("tag"),
          random.chance(0.5)
            ? { name: random.pick([...tagNames, random.text(4)]) }
            : { color: random.pick(["#123456", null]) }
        )
      case "tagDelete":
        return this.remove("tag")
      case "attach": {
        const note = this.one("note")
        if (note === undefined) return
        // An attachment with a known hash is ready if the server already has these bytes.
        const claimed = random.chance(0.6) ? random.pick(contents).claimed : {}
        const data = { note_id: note["id"], filename: `${random.text(6)}.bin`, ...claimed }
        return this.engine.edit("attachment", newId("at_"), data)
      }
      case "fileChange": {
        const note = this.one("note")
        return this.change(
          "attachment",
          this.one("attachment"),
          note === undefined || random.chance(0.5) ? { filename: `${random.text(6)}.txt` } : { note_id: note["id"] }
        )
      }
      case "fileDelete":
        return this.remove("attachment")
      case "comment": {
        // Prefers notes that already have comments.
        const comments = this.engine.all("comment")
        const other = comments.length > 0 && random.chance(0.6) ? random.pick(comments) : undefined
        const note_id = other?.["note_id"] ?? this.one("note")?.["id"]
        if (note_id === undefined) return
        const others = comments.filter((each) => each["note_id"] === note_id)
        const parent_id = others.length > 0 && random.chance(0.6) ? random.pick(others)["id"] : null
        return this.engine.edit("comment", newId("cm_"), { note_id, parent_id, body: random.text(12) })
      }
      case "commentChange":
        return this.change(
          "comment",
          this.one("comment"),
          random.chance(0.5) ? { body: random.text(12) } : { resolved: random.chance(0.5) }
        )
      case "commentDelete":
        return this.remove("comment")
      case "remind": {
        const note = this.one("note")
        if (note === undefined) return
        const data = { note_id: note["id"], remind_at: this.moment(), channel: "webhook" }
        return this.engine.edit("reminder", newId("rm_"), data)
      }
      case "remindChange":
        return this.change(
          "reminder",
          this.one("reminder"),
          random.chance(0.5) ? { remind_at: this.moment() } : { done: random.chance(0.5) }
        )
      case "remindDelete":
        return this.remove("reminder")
    }
  }
}
