import { expect, isPush, type Scene } from "./Scene.ts"

export const conflictScenes: ReadonlyArray<Scene> = [
  {
    name: "both-edited",
    proves: "where two clients have edited other lines of a note, it has both edits",
    source: "contract 6, conflict; interface: conflicts are returned, not overwritten",
    play: async (stage) => {
      const { note, one, two } = await stage.shared(2)
      await one.write("note", note, { body: "The heron waits still\n\nThe swan swims\n" })
      await two.write("note", note, { body: "The heron waits\n\nThe swan swims away\n" })
      await stage.settled("still", "away")
    }
  },
  {
    name: "same-words",
    proves: "where two clients have replaced the same words, no word is lost",
    source: "clients.md, How a conflict ends",
    play: async (stage) => {
      const { note, one, two } = await stage.shared(2, "The heron waits")
      await one.write("note", note, { body: "The heron sleeps" })
      await two.write("note", note, { body: "The heron flies" })
      await stage.settled("sleeps", "flies")
    }
  },
  {
    name: "both-renamed",
    proves: "where two clients have renamed a note or a notebook, no title is lost without the user",
    source: "clients.md, How a conflict ends: the edit also becomes a conflict copy",
    play: async (stage) => {
      const { note, notebook, one, two } = await stage.shared(2)
      await one.write("note", note, { title: "Waders" })
      await two.write("note", note, { title: "Swimmers" })
      await one.write("notebook", notebook, { color: "#112233" })
      await two.write("notebook", notebook, { name: "Travels" })
      await stage.settled("Waders", "Swimmers", "Travels")
    }
  },
  {
    name: "both-tagged",
    proves: "where two clients have tagged a note, it has both tags, without one that a client has removed",
    source: "clients.md, How a conflict ends: tags",
    play: async (stage) => {
      const { note, one, two } = await stage.shared(2)
      await stage.server.updateNote({ id: note, tags: ["old"] })
      await one.synced()
      await two.synced()
      await one.write("note", note, { tags: ["blue"] })
      await two.write("note", note, { tags: ["old", "green"] })
      const { tags } = (await stage.settled()).get(note)!.data
      expect([...tags].toSorted().join() === "blue,green", `the tags are ${tags.join(", ")}, and not blue, green`)
    }
  },
  {
    name: "both-moved",
    proves: "two clients that have moved a note to different notebooks end with the same place",
    source: "contract 6, conflict",
    play: async (stage) => {
      const { note, one, two } = await stage.shared(2)
      for (const [each, name] of [
        [one, "East"],
        [two, "West"]
      ] as const) {
        const folder = stage.id("notebook")
        await each.write("notebook", folder, { name })
        await each.write("note", note, { notebook_id: folder })
      }
      await stage.settled("East", "West", "heron")
    }
  },
  {
    name: "trashed-while-typed",
    proves: "words that were typed into a note that another client has deleted are not lost",
    source: "contract 6, conflict: deleted_on_server; clients.md: changed here, deleted there",
    play: async (stage) => {
      const { note, one, two } = await stage.shared(2)
      await one.write("note", note, { body: "The heron waits\n\nThe swan swims\n\negret\n" })
      await two.remove("note", note)
      await two.synced()
      await stage.settled("egret", "heron")
    }
  },
  {
    name: "deleted-while-edited",
    proves: "a deletion does not take words that another client has typed meanwhile",
    source: "clients.md, How a conflict ends: deleted here, changed there",
    play: async (stage) => {
      const { note, one, two } = await stage.shared(2)
      await one.remove("note", note)
      await two.write("note", note, { body: "The heron waits\n\nThe swan swims\n\negret\n" })
      await two.synced()
      await stage.settled("egret")
    }
  },
  {
    name: "deleted-and-made-again",
    proves: "a note that its user deletes and makes again offline is there, with its new words",
    source: "contract 6, push: an upsert at a tombstone's revision restores it",
    play: async (stage) => {
      const { note, one } = await stage.shared(1)
      await one.remove("note", note)
      expect(!(await one.read()).records.has(note), "the client still shows the note 'Birds' that its user has deleted")
      await one.write("note", note, { body: "The egret waits" })
      const server = await stage.settled("egret")
      expect(server.has(note), "the note is not on the server, although its user has made it again")
    }
  },
  {
    name: "erased-while-typed",
    proves: "words that were typed into a note that was erased for good are not lost",
    source: "contract 6, conflict: unknown_revision; clients.md: server is null",
    play: async (stage) => {
      const { note, one } = await stage.shared(1)
      await one.write("note", note, { body: "The heron waits\n\negret\n" })
      await stage.server.deleteNote({ id: note, permanent: true })
      await stage.settled("egret")
    }
  },
  {
    name: "notebook-deleted",
    proves: "a note that was made in a notebook that another client has deleted is not lost",
    source: "clients.md, Push: unresolved_reference",
    play: async (stage) => {
      const { notebook, one } = await stage.shared(1)
      await one.write("note", stage.id("note"), { notebook_id: notebook, title: "Written", body: "egret" })
      await stage.server.deleteNotebook({ id: notebook })
      await stage.settled("egret")
    }
  },
  {
    name: "same-tag",
    proves: "two clients that have made a tag of the same name end with one, and with all notes tagged",
    source: "contract 6, push: already_exists names the record that is there",
    play: async (stage) => {
      const { note, notebook, one, two } = await stage.shared(2)
      await one.write("tag", stage.id("tag"), { name: "urgent", color: "#112233" })
      await one.write("note", note, { tags: ["urgent"] })
      await two.write("tag", stage.id("tag"), { name: "Urgent" })
      await two.write("note", stage.id("note"), { notebook_id: notebook, title: "Second", tags: ["urgent"] })
      const server = [...(await stage.settled("Second")).values()]
      expect(server.filter(({ type }) => type === "tag").length === 1, "the server has more than one tag")
      const tagged = server.filter(({ data }) => data["tags"]?.length === 1)
      expect(tagged.length === 2, `${tagged.length} notes have the tag, and not 2`)
    }
  },
  {
    name: "same-names",
    proves: "notebooks and notes of the same name by two clients stay two",
    source: "contract 6, push: ids, not names, say what is the same",
    play: async (stage) => {
      const { one, two } = await stage.shared(2)
      for (const [each, word] of [
        [one, "egret"],
        [two, "crane"]
      ] as const) {
        const folder = stage.id("notebook")
        await each.write("notebook", folder, { name: "Notes" })
        await each.write("note", stage.id("note"), { notebook_id: folder, title: "Today", body: word })
      }
      await stage.settled("egret", "crane")
    }
  },
  {
    name: "always-faster",
    proves: "a client that finds a newer state at each of three attempts ends with all words",
    source: "clients.md, How a conflict ends: if another client is faster again",
    play: async (stage) => {
      const { note, one } = await stage.shared(1, "The heron waits\n")
      await one.write("note", note, { body: "The heron waits\nalpha\n" })
      const words = ["beta", "gamma", "delta"]
      one.wire.network = async ({ path, body }, send) => {
        const word = isPush(path) && body?.changes?.length > 0 ? words.shift() : undefined
        if (word !== undefined) {
          const { body: text } = await stage.server.getNote({ id: note })
          await stage.server.updateNote({ id: note, body: `${word}\n${text}` })
        }
        return send()
      }
      await stage.settled("heron", "alpha", "beta", "gamma", "delta")
    }
  }
]
