import { expect, type Scene } from "./Scene.ts"

export const crashScenes: ReadonlyArray<Scene> = [
  {
    name: "killed-after-write",
    proves: "what a write has replied to survives kill -9",
    source: "interface: offline-first clients",
    play: async (stage) => {
      const { note, notebook, one } = await stage.shared(1)
      const id = stage.id("note")
      await one.write("note", note, { title: "Herons" })
      await one.write("note", id, { notebook_id: notebook, title: "New", body: "egret" })
      await one.restart()
      const { records } = await one.read()
      expect(
        records.get(note)?.data["title"] === "Herons",
        "after kill -9, the client has lost the word 'Herons', whose write it had replied to"
      )
      expect(
        records.get(id)?.data["body"] === "egret",
        "after kill -9, the client has lost the word 'egret', whose write it had replied to"
      )
      await stage.settled("Herons", "egret")
    }
  },
  {
    name: "killed-at-each-request",
    proves: "kill -9 before and after each request of a sync loses nothing and doubles nothing",
    source: "clients.md, By hand: store it in one transaction, and before the next request",
    play: async (stage) => {
      const { note, notebook, one } = await stage.shared(1)
      const words: Array<string> = []
      let isKilled = true
      for (let at = 0; isKilled; at++) {
        const word = `word${at}`
        words.push(word, `server${at}`)
        await one.write("note", stage.id("note"), { notebook_id: notebook, title: `Title ${at}`, body: word })
        await one.write("note", note, { title: `Birds ${at}` })
        await stage.server.createNote({ notebook_id: notebook, title: `Other ${at}`, body: `server${at}` })
        isKilled = false
        let requests = 0
        one.wire.network = async (_, send) => {
          // Even numbers: before the server has the request; odd ones: after.
          if (requests++ !== at >> 1) return send()
          if (at % 2 === 1) await send()
          isKilled = true
          await one.kill()
          return undefined
        }
        await one.sync()
        one.wire.network = undefined
        if (isKilled) await one.restart()
      }
      const server = await stage.settled(...words)
      const notes = [...server.values()].filter(({ type }) => type === "note").length
      expect(notes === words.length + 1, `the server has ${notes} notes, and ${words.length + 1} were made`)
    }
  },
  {
    name: "two-at-once",
    proves:
      "two clients that edit and sync in turns, some of whose responses are lost, end with the same and all words",
    source: "contract 6, pull: never missed, whatever ran at the same time",
    play: async (stage) => {
      const { note, notebook, one, two } = await stage.shared(2, "")
      const words: Array<string> = []
      const bodies = async () =>
        [await one.read(), await two.read()].map(({ records }) => String(records.get(note)!.data["body"]))
      let pushes = 0
      for (const each of [one, two]) {
        each.wire.network = async ({ path }, send) => {
          const answer = await send()
          return path.startsWith("/sync/push") && pushes++ % 3 === 0 ? undefined : answer
        }
      }
      for (let round = 0; round < 4; round++) {
        const texts = await bodies()
        for (const [at, each] of [one, two].entries()) {
          const word = `word${round}x${at}`
          words.push(word, `note${round}x${at}`)
          await each.write("note", note, { body: `${texts[at]}${word}\n` })
          await each.write("note", stage.id("note"), { notebook_id: notebook, title: `note${round}x${at}` })
        }
        await Promise.all([one.sync(), two.sync()])
      }
      for (const each of [one, two]) each.wire.network = undefined
      await stage.settled(...words)
    }
  },
  {
    name: "restored-server",
    proves: "after a restore of the server from a backup, clients bring back what it has lost",
    source: "contract 6, what an epoch binds; clients.md, Pull: after a restore",
    play: async (stage) => {
      const { note, notebook, one } = await stage.shared(2)
      await stage.backup()
      await one.write("note", stage.id("note"), { notebook_id: notebook, title: "Late", body: "egret" })
      await one.write("note", note, { body: "The heron waits\n\nThe swan swims\n\nbittern\n" })
      await stage.settled("egret", "bittern")
      await stage.restore()
      await stage.settled("egret", "bittern", "heron")
    }
  },
  {
    name: "restored-and-edited",
    proves: "edits that waited during a restore, and those of others after it, are merged with what it has lost",
    source: "clients.md, Pull: edits that waited on top",
    play: async (stage) => {
      const { note, one } = await stage.shared(1)
      await stage.backup()
      await one.write("note", note, { body: "The heron waits\n\nThe swan swims\n\nbittern\n" })
      await one.synced()
      await one.write("note", note, { title: "Marsh" })
      await stage.restore()
      await stage.server.updateNote({ id: note, body: "crane\n\nThe heron waits\n\nThe swan swims\n" })
      await stage.settled("bittern", "Marsh", "crane")
    }
  }
]
