import { Random } from "./Random.ts"
import { call, listAll } from "./Wire.ts"
import type { World } from "./World.ts"

/** Somebody at the REST interface while the clients sync: bulk changes, moves, restores, purges. */
export class RestUser {
  private readonly world: World
  private readonly random: Random

  constructor(world: World, seed: number) {
    this.world = world
    this.random = new Random(seed)
  }

  private async does(method: string, path: string, body?: unknown): Promise<void> {
    const answer = await call(this.random.pick(this.world.servers), method, path, body)
    this.world.count(`rest: ${answer.status}`)
    // Things move under its hands; what it asks for may no longer be so.
    if (![200, 201, 404, 409, 412, 422].includes(answer.status)) {
      throw new Error(`${method} ${path}: ${answer.status} ${JSON.stringify(answer.body)}`)
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
    if (notebooks.length < 3) return this.does("POST", "/notebooks", { name: random.text(6) })
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
        duplicate: 2
      })
    ) {
      case "rename":
        return this.does("PATCH", `/tags/${tag.id}`, { name: random.pick(["red", "RED", "Später", random.text(5)]) })
      case "merge":
        return this.does("POST", "/tags/merge", {
          source_ids: [tag.id, random.pick(tags).id],
          target_id: random.pick(tags).id
        })
      case "deleteTag":
        return this.does("DELETE", `/tags/${tag.id}`)
      case "deleteNotebook":
        return this.does("DELETE", `/notebooks/${notebook.id}`)
      case "emptyNotebook":
        return this.does("DELETE", `/notebooks/${notebook.id}?move_notes_to=${random.pick(notebooks).id}`)
      case "moveNotebook":
        return this.does("POST", `/notebooks/${notebook.id}/move`, {
          parent_id: random.pick([null, random.pick(notebooks).id])
        })
      case "edit":
        return this.does("PATCH", path, {
          title: `operator ${random.text(5)}`,
          body: random.text(20),
          version: note.version
        })
      case "trash":
        return this.does("DELETE", path)
      case "restore":
        return this.does("POST", `/notes/${known.id}/restore`)
      case "purge":
        this.world.purged.add(note.id)
        return this.does("DELETE", `${path}?permanent=true`)
      case "version":
        return this.does("POST", `/notes/${known.id}/versions/${known.revision}/restore`)
      case "duplicate":
        return this.does("POST", `${path}/duplicate`)
    }
  }
}
