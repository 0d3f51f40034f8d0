import { expect, isPush, lostPushes, type Scene, syncedThrough } from "./Scene.ts"
import { planLimits } from "../TestSettings.ts"
import { instead } from "./Wire.ts"

export const pushScenes: ReadonlyArray<Scene> = [
  {
    name: "made-offline",
    proves: "a notebook, notes in it and a tag that were made offline are on the server, each once",
    source: "contract 6, push: client-made ids; clients.md, Push: new notebooks come first",
    play: async (stage) => {
      const one = await stage.client()
      const [notebook, note, tag] = [stage.id("notebook"), stage.id("note"), stage.id("tag")]
      await one.write("notebook", notebook, { name: "Journeys" })
      await one.write("note", note, { notebook_id: notebook, title: "Vienna", body: "By train", tags: ["travel"] })
      await one.write("tag", tag, { name: "later", color: "#112233" })
      await one.write("template", stage.id("template"), { name: "Letter", body: "Hello reader" })
      const { records } = await one.read()
      expect(
        records.get(note)?.data["title"] === "Vienna",
        "before a sync, the client has no record of its own note 'Vienna'"
      )
      const server = await stage.settled("Vienna", "train", "Hello")
      expect(server.has(note) && server.has(tag), "the server has other ids than those of the client")
    }
  },
  {
    name: "edited-offline",
    proves: "edits, a move, a tag and a deletion that were made offline are on the server",
    source: "interface, Sync: push",
    play: async (stage) => {
      const { note, notebook, one } = await stage.shared(1)
      const { id: other } = await stage.server.createNote({ notebook_id: notebook, title: "Other" })
      await one.synced()
      const folder = stage.id("notebook")
      await one.write("note", note, { title: "Water" })
      await one.write("notebook", folder, { name: "Archive", parent_id: notebook })
      await one.write("note", note, { notebook_id: folder, body: "The heron flies" })
      await one.write("note", note, { tags: ["seen"], pinned: true })
      await one.remove("note", other)
      const server = await stage.settled("Water", "flies")
      const { notebook_id, pinned, tags } = server.get(note)!.data
      expect(
        notebook_id === folder && pinned === true && tags[0] === "seen",
        "the note on the server lacks the move, the pin or the tag"
      )
      expect(!server.has(other), "the deleted note 'Other' is still on the server")
    }
  },
  {
    name: "other-members",
    proves: "an edit of one member leaves what others have written into another one",
    source: "contract 6, push: data is partial",
    play: async (stage) => {
      const { note, one } = await stage.shared(1)
      await one.write("note", note, { title: "Mine" })
      await stage.server.updateNote({ id: note, body: "The crane waits", pinned: true })
      await stage.settled("Mine", "crane")
    }
  },
  {
    name: "520-edits",
    proves: "520 records that were made offline are pushed in portions of at most 500 entries",
    source: "contract 6, push: at most 500",
    play: async (stage) => {
      const one = await stage.client()
      const notebook_id = stage.id("notebook")
      await one.write("notebook", notebook_id, { name: "Many" })
      for (let at = 0; at < 520; at++)
        await one.write("note", stage.id("note"), { notebook_id, title: `Note ${at}`, body: `word${at}` })
      await stage.settled("word0", "word519")
    }
  },
  {
    name: "too-large",
    proves: "a push that is refused as a whole with 413 is split, and only the entry that is too large is kept back",
    source: "clients.md, Push: push halves of it",
    play: async (stage) => {
      const { notebook, one } = await stage.shared(1)
      one.wire.network = async ({ body, path }, send) =>
        isPush(path) && JSON.stringify(body).length > 9_000
          ? instead(413, {
              status: 413,
              code: "payload_too_large",
              title: "Too large",
              detail: "Too large",
              limit_bytes: 9_000
            })
          : send()
      const words = Array.from({ length: 6 }, (_, at) => `bird${at}`)
      for (const word of words)
        await one.write("note", stage.id("note"), { notebook_id: notebook, title: word, body: "x ".repeat(2_000) })
      await one.write("note", stage.id("note"), { notebook_id: notebook, title: "whale", body: "x ".repeat(9_000) })
      await stage.settled(...words, "whale")
    }
  },
  {
    name: "lost-push",
    proves: "a push whose response was lost is sent again unchanged, and changes nothing twice",
    source: "contract 6, push: a repeated mutation_id gives the same result again",
    play: async (stage) => {
      const { note, notebook, one } = await stage.shared(1)
      await one.write("note", note, { title: "Herons" })
      await one.write("note", stage.id("note"), { notebook_id: notebook, title: "New", body: "egret" })
      const since = one.position
      for (let times = 0; times < 3; times++) await syncedThrough(one, lostPushes)
      const server = await stage.settled("Herons", "egret")
      expect(
        server.get(note)!.data["version"] === 2,
        `the edit was stored ${server.get(note)!.data["version"] - 1} times`
      )
      const ids = one.asked("push", since).flatMap(({ body }) => body.changes.map((each: any) => each.mutation_id))
      expect(new Set(ids).size === 2, "the client sent an edit again with another mutation_id, or without one")
    }
  },
  {
    name: "lost-then-edited",
    proves: "an edit after a lost response does not replace what another client has written meanwhile",
    source: "clients.md, Push: do not guess the revision of a later edit",
    play: async (stage) => {
      const { note, one } = await stage.shared(1)
      await one.write("note", note, { body: "The heron waits\n\nThe swan swims\n\nalpha\n" })
      await syncedThrough(one, lostPushes)
      const { body } = await stage.server.getNote({ id: note })
      await stage.server.updateNote({ id: note, body: `beta\n\n${body}` })
      await one.write("note", note, { body: "The heron waits\n\nThe swan swims\n\nalpha\n\ngamma\n" })
      await stage.settled("alpha", "beta", "gamma")
    }
  },
  {
    name: "lost-then-killed",
    proves: "a push whose response was lost is sent again unchanged also after kill -9 of the client",
    source: "clients.md, Push: until it has a result, also after a crash",
    play: async (stage) => {
      const { note, notebook, one } = await stage.shared(1)
      await one.write("note", note, { title: "Herons" })
      await one.write("note", stage.id("note"), { notebook_id: notebook, title: "New", body: "egret" })
      const since = one.position
      await syncedThrough(one, async ({ path }, send) => {
        const answer = await send()
        if (!isPush(path)) return answer
        await one.kill()
        return undefined
      })
      await one.restart()
      await one.write("note", note, { pinned: true })
      const server = await stage.settled("Herons", "egret")
      const { version } = server.get(note)!.data
      expect(version === 3, `the note has version ${version} after two edits`)
      const pushes = one.asked("push", since).map(({ body }) => body.changes.map((each: any) => each.mutation_id))
      expect(
        pushes[0].every((id: string) => pushes[1].includes(id)),
        "after kill -9, the client did not send the same mutation_ids again"
      )
    }
  },
  {
    name: "refused",
    proves: "an entry that the server refuses is kept for the user, not repeated, and keeps no other back",
    source: "contract 6, push: a bad one hurts only itself",
    play: async (stage) => {
      const { note, notebook, one } = await stage.shared(1)
      await one.write("note", note, { title: "long ".repeat(60) })
      await one.write("note", stage.id("note"), { notebook_id: notebook, title: "Good", body: "egret" })
      await stage.settled("egret")
      const { kept } = await one.read()
      expect(
        kept.some(({ code, id }) => id === note && code === "validation_failed"),
        "kept has no entry with the code validation_failed for the title that is too long"
      )
    }
  },
  {
    name: "corrected",
    proves: "the next edit of a refused record corrects it",
    source: "clients.md, Push: the next edit of the record is joined with it",
    play: async (stage) => {
      const { notebook, one } = await stage.shared(1)
      const id = stage.id("note")
      await one.write("note", id, { notebook_id: notebook, title: "long ".repeat(60), body: "egret" })
      await one.synced()
      await one.write("note", id, { title: "Short" })
      await stage.settled("egret", "Short")
      expect((await one.read()).kept.length === 0, "kept still has the edit that was corrected")
    }
  },
  {
    name: "quota",
    proves: "a note beyond the quota is kept for the user, and edits of other notes are stored",
    source: "contract 2: 403 quota_exceeded",
    settings: { policies: { limits: { ...planLimits, team: { ...planLimits.team, notes: 1 } } } },
    play: async (stage) => {
      const { note, notebook, one } = await stage.shared(1)
      await one.write("note", stage.id("note"), { notebook_id: notebook, title: "Second", body: "egret" })
      await one.write("note", note, { title: "Herons" })
      await stage.settled("Herons", "egret")
      expect(
        (await one.read()).kept.some(({ code }) => code === "quota_exceeded"),
        "kept has no entry with the code quota_exceeded"
      )
    }
  },
  {
    name: "read-only",
    proves: "a client that has lost the right to write still pulls, and keeps what its user has written",
    source: "contract 2: 403 insufficient_scope",
    play: async (stage) => {
      const { note, notebook, one } = await stage.shared(1)
      const { key } = (await stage.server.createApiKey({ name: "reader", scopes: ["notes:read", "files:read"] })) as {
        key?: string
      }
      await one.write("note", stage.id("note"), { notebook_id: notebook, title: "Mine", body: "egret" })
      await stage.server.updateNote({ id: note, body: "The crane waits" })
      one.wire.network = (_, send) => send(key)
      await one.sync()
      await one.sync()
      const { kept, records } = await one.read()
      expect(
        records.get(note)?.data["body"] === "The crane waits",
        "the client has no record of the word 'crane', that note 'Birds' has on the server"
      )
      const mine = [...records.values(), ...kept].some(({ data }) => String(data["body"]).includes("egret"))
      expect(mine, "the word 'egret' of the user is lost after 403 insufficient_scope")
    }
  },
  {
    name: "signed-out",
    proves: "401 loses no edit: they are pushed when the credential is valid again",
    source: "interface, Errors 1; clients.md: after 401 sign in again",
    play: async (stage) => {
      const { note, one } = await stage.shared(1)
      await one.write("note", note, { title: "Typed" })
      await syncedThrough(one, (_, send) => send("sfk_ended"))
      await one.restart()
      await stage.settled("Typed")
    }
  },
  {
    name: "no-network",
    proves: "edits without a network are kept, also across an end of the client, and pushed later",
    source: "interface: offline-first clients",
    play: async (stage) => {
      const { note, one } = await stage.shared(1)
      await one.write("note", note, { title: "Typed" })
      await syncedThrough(one, async () => undefined)
      await one.reopen()
      expect(
        (await one.read()).records.get(note)?.data["title"] === "Typed",
        "after close and open, the client has lost the word 'Typed'"
      )
      await stage.settled("Typed")
    }
  },
  {
    name: "wrong-clock",
    proves: "a note whose time of creation the server refuses is pushed without it; one of the past keeps it",
    source: "contract 6: push takes created_at (not in the future, not before 1970)",
    play: async (stage) => {
      const { notebook, one } = await stage.shared(1)
      const [future, past] = [stage.id("note"), stage.id("note")]
      await one.write("note", future, {
        notebook_id: notebook,
        title: "Future",
        created_at: "2026-03-03T00:00:00.000Z"
      })
      await one.write("note", past, { notebook_id: notebook, title: "Past", created_at: "2025-01-01T00:00:00.000Z" })
      const server = await stage.settled("Future", "Past")
      expect(server.has(future), "the note 'Future' is not on the server: its created_at was refused, and not left out")
      expect(
        server.get(past)!.data["created_at"] === "2025-01-01T00:00:00.000Z",
        "the note 'Past' has lost its created_at"
      )
    }
  },
  {
    name: "clock-back",
    proves: "a clock of the server that is set back by a day costs no change",
    source: "contract 6: the order of changes is that of their commits",
    play: async (stage) => {
      const { note, one } = await stage.shared(1)
      await one.write("note", note, { title: "Herons" })
      await one.synced()
      await stage.advance("-1 day")
      await stage.server.updateNote({ id: note, body: "The crane waits" })
      await one.write("note", note, { pinned: true })
      await stage.settled("Herons", "crane")
    }
  }
]
