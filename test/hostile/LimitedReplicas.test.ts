import fc from "fast-check"
import { expect, it } from "vitest"
import { limitedKey } from "../support/reach/LimitedKey.ts"
import { rounds } from "../support/Slow.ts"
import { useApp } from "../support/useApp.ts"

const { app } = useApp()

const step = fc.record({ kind: fc.nat(11), a: fc.nat(1_000), b: fc.nat(1_000), pulls: fc.boolean() })

/** What a client of a limited key has: the ids of the records that it has pulled and not deleted. */
class Replica {
  readonly ids = new Set<string>()
  #cursor: string | null = null
  readonly #ask: (body: object) => Promise<any>

  constructor(ask: (body: object) => Promise<any>) {
    this.#ask = ask
  }

  async pull(limit: number): Promise<void> {
    for (;;) {
      const { body, status } = await this.#ask({ cursor: this.#cursor, limit })
      if (status === 410) {
        this.ids.clear()
        this.#cursor = body.resync_cursor
        continue
      }
      if (status !== 201) throw new Error(body.detail)
      for (const { id, op } of body.changes) op === "delete" ? this.ids.delete(id) : this.ids.add(id)
      this.#cursor = body.cursor
      if (!body.has_more) return
    }
  }
}

it("a client of a limited key has what the key lists, after any moves and deletions", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 40, maxLength: 40, size: "max" }), async (steps) => {
      const { around, ask, below, closed, home, secret, team } = await limitedKey(app)
      const owner = (method: string, path: string, body?: unknown) => app.call(method, path, body, team.owner.headers)
      const pulling = (body: object) => ask("POST", "/sync/pull", body)
      const replicas = [new Replica(pulling), new Replica(pulling)] as const
      const notebooks = [home, below, closed, secret]
      const notes: Array<string> = []
      const parts: Array<readonly [note: string, kind: "comment" | "file", id: string]> = []
      const at = <A>(all: ReadonlyArray<A>, index: number): A => all[index % Math.max(1, all.length)]!
      for (const { a, b, kind, pulls } of steps) {
        const [id, part] = [at(notes, a), at(parts, a)]
        if (id === undefined || kind < 2) {
          const { body } = await owner("POST", "/notes", { notebook_id: at(notebooks, b), title: "Note" })
          if (body.id !== undefined) notes.push(body.id)
        } else if (kind < 4) await owner("PATCH", `/notes/${id}`, { notebook_id: at(notebooks, b) })
        else if (kind === 4) await owner("DELETE", `/notes/${id}${b % 3 === 0 ? "?permanent=true" : ""}`)
        else if (kind === 5) await owner("POST", `/notes/${id}/restore`, {})
        else if (kind === 6) {
          const { body } = await owner("POST", `/notes/${id}/comments`, { body: "c" })
          if (body.id !== undefined) parts.push([id, "comment", body.id])
        } else if (kind === 7) {
          const { body } = await owner("POST", "/attachments/uploads", { note_id: id, filename: "a.txt" })
          if (body.id !== undefined) parts.push([id, "file", body.id])
        } else if (kind === 8 && part?.[1] === "comment") await owner("DELETE", `/notes/${part[0]}/comments/${part[2]}`)
        else if (kind === 8 && part !== undefined) await owner("DELETE", `/attachments/${part[2]}`)
        else if (kind === 9 && part?.[1] === "file")
          await owner("PATCH", `/attachments/${part[2]}`, { note_id: at(notes, b) })
        else if (kind === 10)
          await owner("POST", `/notebooks/${below}/move`, { parent_id: at([home, around, secret], b) })
        else if (kind === 11) {
          const deleted = await owner("DELETE", `/notebooks/${below}`)
          if (b % 2 === 0 && deleted.status === 200) await owner("POST", `/notebooks/${below}/restore`, {})
        }
        if (pulls) await replicas[0].pull(1 + (a % 3))
        if (b % 9 === 0) await replicas[1].pull(50)
      }
      const listed = (await ask("GET", "/notes?limit=100&filter=archived IN (true, false)")).body.data.map(
        ({ id }: any) => id
      )
      const inside = new Set<string>(listed)
      for (const note of listed) {
        for (const { id } of (await ask("GET", `/notes/${note}/comments?limit=100`)).body.data) inside.add(id)
      }
      for (const { id } of (await ask("GET", "/attachments?limit=100")).body.data) inside.add(id)
      for (const { id } of (await ask("GET", "/notebooks?limit=100")).body.data) inside.add(id)
      const whole = new Replica(pulling)
      for (const replica of [whole, ...replicas]) {
        await replica.pull(2)
        expect([...replica.ids].toSorted()).toEqual([...inside].toSorted())
      }
    }),
    {
      numRuns: Number(process.env["RUNS"] ?? rounds(2, 200)),
      seed: Number(process.env["SEED"] ?? 1),
      endOnFailure: true
    }
  )
})
