import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { contents, sendFile } from "../support/flows/Contents.ts"
import { rounds } from "../support/Slow.ts"
import { expectTruth } from "../support/people/Truth.ts"
import { useApp } from "../support/useApp.ts"

const { app } = useApp()

/** Few tag names, in several spellings, so that they collide. */
const tagName = fc.constantFrom("a", "A", "b", "B", "c", "d", "é", "e\u0301", "É")
const tags = fc.array(tagName, { maxLength: 4 })
/** Selects one of the ids created so far, including deleted ones; sometimes an id that never existed. */
const pick = fc.nat(19)
const body = fc.option(fc.string({ maxLength: 20, unit: "grapheme" }), { nil: undefined })

const step = fc.oneof(
  { weight: 6, arbitrary: fc.record({ op: fc.constant("createNote" as const), to: pick, tags, body }) },
  {
    weight: 6,
    arbitrary: fc.record({
      op: fc.constant("updateNote" as const),
      id: pick,
      to: fc.option(pick),
      tags: fc.option(tags),
      body
    })
  },
  {
    weight: 2,
    arbitrary: fc.record({
      op: fc.constantFrom("archive" as const, "restore" as const, "duplicate" as const),
      id: pick
    })
  },
  { weight: 2, arbitrary: fc.record({ op: fc.constant("trash" as const), id: pick }) },
  { weight: 1, arbitrary: fc.record({ op: fc.constant("purge" as const), id: pick }) },
  {
    weight: 2,
    arbitrary: fc.record({
      op: fc.constant("restoreVersion" as const),
      id: pick,
      version: fc.integer({ min: 1, max: 4 })
    })
  },
  { weight: 4, arbitrary: fc.record({ op: fc.constant("createNotebook" as const), to: fc.option(pick) }) },
  { weight: 4, arbitrary: fc.record({ op: fc.constant("moveNotebook" as const), id: pick, to: fc.option(pick) }) },
  { weight: 2, arbitrary: fc.record({ op: fc.constant("deleteNotebook" as const), id: pick, to: fc.option(pick) }) },
  { weight: 2, arbitrary: fc.record({ op: fc.constant("createTag" as const), name: tagName }) },
  { weight: 3, arbitrary: fc.record({ op: fc.constant("renameTag" as const), id: pick, to: tagName }) },
  {
    weight: 2,
    arbitrary: fc.record({
      op: fc.constant("mergeTags" as const),
      names: fc.array(tagName, { minLength: 1, maxLength: 3 }),
      to: tagName
    })
  },
  { weight: 1, arbitrary: fc.record({ op: fc.constant("deleteTag" as const), id: pick }) },
  {
    weight: 5,
    arbitrary: fc.record({
      op: fc.constant("attach" as const),
      to: pick,
      content: fc.nat(contents.length - 1),
      how: fc.constantFrom("byHash" as const, "sent" as const, "begun" as const)
    })
  },
  {
    weight: 2,
    arbitrary: fc.record({
      op: fc.constant("updateFile" as const),
      id: pick,
      to: fc.option(pick),
      filename: fc.constantFrom("a.png", "b.bin")
    })
  },
  { weight: 2, arbitrary: fc.record({ op: fc.constant("deleteFile" as const), id: pick }) }
)
type Step = typeof step extends fc.Arbitrary<infer S> ? S : never

/** The ids created by a run. */
interface World {
  readonly notes: Array<string>
  readonly notebooks: Array<string>
  readonly tags: Array<string>
  readonly files: Array<string>
}

const call = async (world: World, each: Step) => {
  const noteId = (index: number) => world.notes[index % (world.notes.length + 1)] ?? "nt_never"
  const notebookId = (index: number) => world.notebooks[index % (world.notebooks.length + 1)] ?? "nb_never"
  const tagId = (index: number) => world.tags[index % (world.tags.length + 1)] ?? "tg_never"
  const fileId = (index: number) => world.files[index % (world.files.length + 1)] ?? "at_never"
  switch (each.op) {
    case "attach": {
      const { bytes, claimed } = contents[each.content]!
      const begun = await app.call("POST", "/attachments/uploads", {
        note_id: noteId(each.to),
        filename: "f.bin",
        ...(each.how === "byHash" ? claimed : {})
      })
      if (begun.status !== 201 || begun.body.status === "ready" || each.how === "begun") return begun
      // The note may have been deleted meanwhile, and the attachment with it.
      const status = await sendFile(app, begun.body.upload_url, bytes)
      expect([200, 404]).toContain(status)
      return begun
    }
    case "updateFile":
      return app.call("PATCH", `/attachments/${fileId(each.id)}`, {
        filename: each.filename,
        ...(each.to === null ? {} : { note_id: noteId(each.to) })
      })
    case "deleteFile":
      return app.call("DELETE", `/attachments/${fileId(each.id)}`)
    case "createNote":
      return app.call("POST", "/notes", {
        notebook_id: notebookId(each.to),
        title: "t",
        tags: each.tags,
        body: each.body
      })
    case "updateNote":
      return app.call("PATCH", `/notes/${noteId(each.id)}`, {
        ...(each.to === null ? {} : { notebook_id: notebookId(each.to) }),
        ...(each.tags === null ? {} : { tags: each.tags }),
        body: each.body
      })
    case "archive":
    case "restore":
    case "duplicate":
      return app.call("POST", `/notes/${noteId(each.id)}/${each.op}`)
    case "trash":
      return app.call("DELETE", `/notes/${noteId(each.id)}`)
    case "purge":
      return app.call("DELETE", `/notes/${noteId(each.id)}?permanent=true`)
    case "restoreVersion":
      return app.call("POST", `/notes/${noteId(each.id)}/versions/${each.version}/restore`)
    case "createNotebook":
      return app.call("POST", "/notebooks", { name: "n", parent_id: each.to === null ? null : notebookId(each.to) })
    case "moveNotebook":
      return app.call("POST", `/notebooks/${notebookId(each.id)}/move`, {
        parent_id: each.to === null ? null : notebookId(each.to)
      })
    case "deleteNotebook":
      return app.call(
        "DELETE",
        `/notebooks/${notebookId(each.id)}${each.to === null ? "" : `?move_notes_to=${notebookId(each.to)}`}`
      )
    case "createTag":
      return app.call("POST", "/tags", { name: each.name })
    case "renameTag":
      return app.call("PATCH", `/tags/${tagId(each.id)}`, { name: each.to })
    case "mergeTags":
      return app.call("POST", "/tags/merge", { sources: each.names, target: each.to })
    case "deleteTag":
      return app.call("DELETE", `/tags/${tagId(each.id)}`)
  }
}

/** The initial state of each run: a notebook in another one, and a note with tags in each. */
const ground: ReadonlyArray<Step> = [
  { op: "createNotebook", to: null },
  { op: "createNotebook", to: 0 },
  { op: "createNote", to: 0, tags: ["a", "b"], body: "one" },
  { op: "createNote", to: 1, tags: ["B", "É"], body: "two" },
  { op: "attach", to: 0, content: 2, how: "sent" }
]

/** Runs up to three steps at the same time, so that they share batches; the next ones can use the ids they created. */
const play = async (world: World, steps: ReadonlyArray<Step>, width: number) => {
  for (let index = 0; index < steps.length; index += width) {
    const wave = steps.slice(index, index + width)
    const { data } = (await app.call("GET", "/tags?limit=100")).body
    world.tags.splice(0, Infinity, ...data.map((tag: any) => tag.id))
    const answers = await Promise.all(wave.map((each) => call(world, each)))
    for (const [place, { body, status, text }] of answers.entries()) {
      expect([200, 201, 404, 409, 422], `${JSON.stringify(wave[place])}: ${text}`).toContain(status)
      if (typeof body.id !== "string" || body.deleted === true) continue
      if (body.id.startsWith("nt_") && !world.notes.includes(body.id)) world.notes.push(body.id)
      if (body.id.startsWith("at_") && !world.files.includes(body.id)) world.files.push(body.id)
      if (body.id.startsWith("nb_") && !world.notebooks.includes(body.id)) world.notebooks.push(body.id)
    }
  }
}

describe("any sequence of changes to notes, their files, notebooks and tags", () => {
  it("keeps counts, links, records, history, tree and log consistent", async () => {
    let played = 0
    await fc.assert(
      fc.asyncProperty(
        fc.array(step, { minLength: 10, maxLength: 60, size: "max" }),
        fc.integer({ min: 1, max: 3 }),
        async (steps, width) => {
          const world: World = { notes: [], notebooks: [], tags: [], files: [] }
          await play(world, ground, 1)
          await play(world, steps, width)
          played++
          await expectTruth(app)
        }
      ),
      { numRuns: rounds(5, 30), endOnFailure: true }
    )
    expect(played).toBeGreaterThan(0)
  })
})
