import { createClient } from "../../../src/clients/client/SheafClient.ts"
import { openSync, type SyncEngine } from "../../../src/clients/sync/SyncEngine.ts"
import { memoryStore } from "../../../src/clients/sync/SyncStore.ts"
import type { Team } from "../people/Team.ts"
import { at, bodyOf, titles } from "./LinkedTexts.ts"

/** A device that changes notes offline, as it has seen them, and merges what others have changed when it syncs. */
export class LinkedDevice {
  readonly #engine: SyncEngine

  private constructor(engine: SyncEngine) {
    this.#engine = engine
  }

  static async open(team: Team): Promise<LinkedDevice> {
    const { headers } = await team.issue(team.owner.user_id, team.owner.scopes)
    const client = createClient({ url: team.app.url, key: headers.authorization.slice("Bearer ".length), retries: 0 })
    return new LinkedDevice(
      await openSync({ client, store: memoryStore(), device: { name: "Offline", platform: "test" } })
    )
  }

  /** Changes a title, a notebook, lines of a text or a whole text. */
  async edit(a: number, b: number, c: number): Promise<void> {
    const notes = this.#engine.all("note")
    const notebooks = this.#engine.all("notebook")
    if (notes.length === 0) return
    const note = at(notes, a)
    const text = note["body"] as string
    const changes = [
      { title: at(titles, c) },
      { notebook_id: at(notebooks, c).id },
      { body: `${text}\n[[${at(titles, c)}]]\n` },
      { body: text.replace("# part", `# part\n\n[[${at(titles, c)}|above]]`) },
      { body: text.replace("- [ ] one", "- [x] one") },
      { title: at(titles, c), body: bodyOf(c, b, note.id) }
    ]
    await this.#engine.edit("note", note.id, at<object>(changes, b) as Record<string, string>)
  }

  sync(): Promise<void> {
    return this.#engine.sync()
  }

  close(): Promise<void> {
    return this.#engine.close()
  }
}
