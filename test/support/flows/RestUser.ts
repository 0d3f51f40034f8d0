import { contents, sendFile } from "./Contents.ts"
import { Random } from "../../../src/program/testing/Random.ts"
import { call, listAll } from "./Wire.ts"
import type { World } from "./World.ts"

/** A user of the API while clients sync: bulk changes, moves, restores, purges, files, and pushes without ids. */
export class RestUser {
  private readonly world: World
  private readonly random: Random

  constructor(world: World, seed: number) {
    this.world = world
    this.random = new Random(seed)
  }

  private async send(method: string, path: string, body?: unknown): Promise<void> {
    const answer = await call(this.random.pick(this.world.servers), method, path, body)
    this.world.count(`rest: ${answer.status}`)
    // Other clients change the records meanwhile, so a request may fail.
    if (![200, 201, 404, 409, 410, 412, 422].includes(answer.status)) {
      throw new Error(`${method} ${path}: ${answer.status} ${JSON.stringify(answer.body)}`)
    }
  }

  /** Runs a random operation on a file; may upload the bytes of any pending attachment. */
  private async file(note: { readonly id: string }): Promise<void> {
    const { random } = this
    const server = random.pick(this.world.servers)
    const files = await listAll(server, "/attachments")
    const what = random.weighted({ send: 6, begin: 2, rename: 1, move: 1, remove: 1 })
    const { claimed } = random.pick(contents)
    if (what === "begin" || files.length === 0) {
      return this.send("POST", "/attachments/uploads", {
        note_id: note.id,
        filename: `${random.text(5)}.bin`,
        ...(random.chance(0.5) ? claimed : {})
      })
    }
    const file = random.pick(files)
    const path = `/attachments/${file.id}`
    if (what === "rename") return this.send("PATCH", path, { filename: `${random.text(5)}.png` })
    if (what === "move") return this.send("PATCH", path, { note_id: note.id })
    if (what === "remove") return this.send("DELETE", path)
    const pending = files.filter(({ status }) => status === "pending")
    if (pending.length === 0) return
    const { id, sha256 } = random.pick(pending)
    const { body } = await call(server, "GET", `/attachments/${id}`)
    if (typeof body.upload_url !== "string") return
    const content = contents.find(({ claimed }) => claimed.sha256 === sha256) ?? random.pick(contents)
    const status = await sendFile(random.pick(this.world.servers), body.upload_url, content.bytes)
    this.world.count(`files sent: ${status}`)
    // It may be deleted, or another client has uploaded its bytes.
    if (![200, 404, 410].includes(status)) throw new Error(`PUT of ${id}: ${status}`)
  }

  /** Pushes a notebook and a note in it that get their ids from the server, sometimes twice at once. */
  private async push(): Promise<void> {
    const { random } = this
    const title = `without an id ${random.text(12)}`
    const data = { notebook_id: "$new", title, body: random.text(20) }
    const entry = (type: string, data: object, more: object) => ({
      mutation_id: random.text(16),
      type,
      op: "upsert",
      revision: 0,
      data,
      ...more
    })
    const changes = [entry("notebook", { name: random.text(8) }, { client_ref: "new" }), entry("note", data, {})]
    const servers = [random.pick(this.world.servers), ...(random.chance(0.5) ? [random.pick(this.world.servers)] : [])]
    const replies = await Promise.all(servers.map((server) => call(server, "POST", "/sync/push", { changes })))
    for (const { body, status } of replies) {
      if (status !== 201) throw new Error(`push: ${status} ${JSON.stringify(body)}`)
      const [, { error, id, revision }] = body.results
      if (error === undefined || error === null) this.world.acknowledged.push({ id, revision, sent: data, isNew: true })
    }
  }

  async step(): Promise<void> {
    const { random } = this
    const server = random.pick(this.world.servers)
    const [notebooks, tags, notes] = await Promise.all([
      listAll(server, "/notebooks"),
      listAll(server, "/tags"),
      listAll(server, "/notes")
    ])
    if (notebooks.length < 3) return this.send("POST", "/notebooks", { name: random.text(6) })
    if (tags.length < 3 || notes.length < 3 || this.world.acknowledged.length === 0) return
    const notebook = random.pick(notebooks)
    const tag = random.pick(tags)
    const note = random.pick(notes)
    const known = random.pick(this.world.acknowledged)
    const path = `/notes/${note.id}`
    switch (
      random.weighted({
        rename: 4,
        merge: 3,
        deleteTag: 1,
        deleteNotebook: 1,
        emptyNotebook: 2,
        moveNotebook: 3,
        edit: 4,
        trash: 2,
        restore: 3,
        purge: 2,
        version: 2,
        duplicate: 2,
        push: 2,
        file: 8
      })
    ) {
      case "rename":
        return this.send("PATCH", `/tags/${tag.id}`, { name: random.pick(["red", "RED", "Später", random.text(5)]) })
      case "merge":
        return this.send("POST", "/tags/merge", {
          source_ids: [tag.id, random.pick(tags).id],
          target_id: random.pick(tags).id
        })
      case "deleteTag":
        return this.send("DELETE", `/tags/${tag.id}`)
      case "deleteNotebook":
        return this.send("DELETE", `/notebooks/${notebook.id}`)
      case "emptyNotebook":
        return this.send("DELETE", `/notebooks/${notebook.id}?move_notes_to=${random.pick(notebooks).id}`)
      case "moveNotebook":
        return this.send("POST", `/notebooks/${notebook.id}/move`, {
          parent_id: random.pick([null, random.pick(notebooks).id])
        })
      case "edit":
        return this.send("PATCH", path, {
          title: `operator ${random.text(5)}`,
          body: random.text(20),
          version: note.version
        })
      case "trash":
        return this.send("DELETE", path)
      case "restore":
        return this.send("POST", `/notes/${known.id}/restore`)
      case "purge":
        this.world.purged.add(note.id)
        return this.send("DELETE", `${path}?permanent=true`)
      case "version":
        return this.send("POST", `/notes/${known.id}/versions/${known.revision}/restore`)
      case "duplicate":
        return this.send("POST", `${path}/duplicate`)
      case "push":
        return this.push()
      case "file":
        return this.file(note)
    }
  }
}
