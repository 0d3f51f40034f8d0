import { instead } from "./Wire.ts"
import { expect, isPull, type Scene, syncedThrough } from "./Scene.ts"
import type { Stage } from "./Stage.ts"

/** More notes than a page has, on the server. */
const manyNotes = async (stage: Stage) => {
  const { id: notebook_id } = await stage.server.createNotebook({ name: "Many" })
  const entry = (at: number) =>
    ({ type: "note", id: stage.id("note"), op: "upsert", data: { notebook_id, title: `Note ${at}` } }) as const
  const entries = Array.from({ length: 520 }, (_, at) => entry(at))
  for (const changes of [entries.slice(0, 500), entries.slice(500)]) await stage.server.pushChanges({ changes })
}

/** A client that has everything, and is then away while a note is changed and a notebook deleted. */
const away = async (stage: Stage, duration: `${number} days`) => {
  const { note, notebook, one } = await stage.shared(1)
  const { id: gone } = await stage.server.createNotebook({ name: "Gone" })
  await one.synced()
  await stage.server.deleteNotebook({ id: gone })
  await stage.server.updateNote({ id: note, body: "The heron left" })
  await stage.advance(duration)
  return { one, note, notebook, since: one.position }
}

export const pullScenes: ReadonlyArray<Scene> = [
  {
    name: "everything",
    proves: "a new client gets all records that exist, of all types",
    source: "contract 6, pull: no cursor = everything that exists",
    play: async (stage) => {
      const { note, one } = await stage.shared(1)
      await stage.server.createTag({ name: "travel" })
      await stage.server.createTemplate({ name: "Letter", body: "Hello reader" })
      await stage.server.createReminder({ note_id: note, remind_at: "2027-03-08T09:00:00Z" })
      await stage.server.createComment({ note_id: note, body: "A fine bird" })
      await stage.client()
      await stage.settled("heron", "swan", "Hello", "fine")
      await one.synced()
    }
  },
  {
    name: "pages",
    proves: "a pull continues while has_more is true, with a limit of 1 to 500",
    source: "contract 6, pull: limit 1–500",
    play: async (stage) => {
      await manyNotes(stage)
      const one = await stage.client()
      await one.synced()
      await stage.expectSame(one, await stage.everything())
      await stage.settled()
    }
  },
  {
    name: "changes",
    proves: "the next pull starts from the cursor, and brings edits and deletions",
    source: "interface, Sync: changes after the supplied cursor",
    play: async (stage) => {
      const { note, one } = await stage.shared(1)
      const { id: tag } = await stage.server.createTag({ name: "short" })
      await one.synced()
      await stage.server.deleteTag({ id: tag })
      await stage.server.updateNote({ id: note, title: "Waterbirds" })
      const since = one.position
      await stage.settled("Waterbirds")
      expect(
        one.asked("pull", since).every(({ body }) => typeof body?.cursor === "string"),
        "the client pulled without the cursor that it had"
      )
    }
  },
  {
    name: "cursor-kept",
    proves: "the cursor and the records are still there after an orderly end",
    source: "clients.md, By hand: store each page together with its cursor",
    play: async (stage) => {
      const { note, one } = await stage.shared(1)
      await one.reopen()
      const { records } = await one.read()
      expect(records.has(note), "after close and open, the client has no record of the word 'heron' of note 'Birds'")
      const since = one.position
      await stage.settled()
      expect(
        one.asked("pull", since).every(({ body }) => typeof body?.cursor === "string"),
        "after close and open, the client pulled everything again, without a cursor"
      )
    }
  },
  {
    name: "cut-page",
    proves: "a page that ends in the middle is not taken, and the pull continues",
    source: "contract 6, pull; RFC 9112, section 8",
    play: async (stage) => {
      await manyNotes(stage)
      const one = await stage.client()
      let pages = 0
      await syncedThrough(one, async ({ path }, send) => {
        const answer = await send()
        return isPull(path) && pages++ === 1 ? { ...answer, passed: "half" } : answer
      })
      await stage.settled()
    }
  },
  {
    name: "slow-page",
    proves: "a response in many small chunks, without a length, is read whole",
    source: "RFC 9112, section 7.1",
    play: async (stage) => {
      await stage.server.createNotebook({ name: "Zürich, 東京, 🪿" })
      const one = await stage.client()
      one.wire.network = async (_, send) => ({ ...(await send()), passed: "slowly" })
      await stage.settled("Zürich", "東京")
    }
  },
  {
    name: "restart-in-pull",
    proves: "a server that restarts between two pages costs no record",
    source: "contract 6, pull: the cursor survives the process",
    play: async (stage) => {
      await manyNotes(stage)
      const one = await stage.client()
      let pages = 0
      await syncedThrough(one, async ({ path }, send) => {
        if (!isPull(path) || pages++ !== 1) return send()
        await stage.restart()
        return undefined
      })
      await stage.settled()
    }
  },
  {
    name: "expired-cursor",
    proves: "after 410 cursor_expired the pull continues from resync_cursor, and deletions arrive",
    source: "contract 6, cursor: 24 h from issue, 410 with resync_cursor",
    play: async (stage) => {
      const { one, since } = await away(stage, "2 days")
      await stage.settled("left")
      const pulls = one.asked("pull", since)
      const refused = pulls.find(({ answer }) => answer?.code === "cursor_expired")
      expect(
        refused !== undefined && pulls.some(({ body }) => body?.cursor === refused.answer.resync_cursor),
        "the client did not pull from the resync_cursor of the 410"
      )
    }
  },
  {
    name: "expired-for-good",
    proves: "after 410 without a resync_cursor everything is pulled, and what does not come is dropped; own edits stay",
    source: "contract 6, cursor: when it is null, start without one and drop what the full pull did not name",
    play: async (stage) => {
      const { note, notebook, one } = await away(stage, "91 days")
      await one.write("note", note, { title: "Old birds" })
      await one.write("note", stage.id("note"), { notebook_id: notebook, title: "Written", body: "kingfisher" })
      await stage.settled("left", "Old", "kingfisher")
    }
  },
  {
    name: "full-pull-cut",
    proves: "a pull of everything that is interrupted drops nothing too early, and what is gone at its end",
    source: "contract 6, cursor; clients.md, By hand: returned",
    play: async (stage) => {
      await manyNotes(stage)
      const { one } = await away(stage, "91 days")
      let pages = 0
      await syncedThrough(one, async ({ path, body }, send) =>
        isPull(path) && body?.cursor != null && pages++ > 0 ? undefined : send()
      )
      await one.restart()
      await stage.settled("left")
    }
  },
  {
    name: "invalid-cursor",
    proves: "after 400 invalid_cursor everything is pulled, and own edits stay",
    source: "clients.md, Pull: the server has lost its secret key",
    play: async (stage) => {
      const { note, one } = await stage.shared(1)
      await stage.server.createTag({ name: "late" })
      await one.write("note", note, { body: "The heron sleeps\n\nThe swan swims\n" })
      const old = one.asked("pull").at(-1)!.answer.cursor
      const problem = {
        type: "about:blank",
        title: "Invalid cursor",
        status: 400,
        code: "invalid_cursor",
        detail: "cursor was not issued by this server"
      }
      one.wire.network = async ({ body }, send) => (body?.cursor === old ? instead(400, problem) : send())
      await stage.settled("sleeps", "late")
    }
  }
]
