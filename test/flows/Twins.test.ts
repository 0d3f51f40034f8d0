import { beforeAll, describe, expect, it } from "vitest"
import { Files, someBytes } from "../support/Files.ts"
import { eventually } from "../support/flows/eventually.ts"
import { Importing } from "../support/Importing.ts"
import { Team } from "../support/people/Team.ts"
import { useApp } from "../support/useApp.ts"

/**
 * Ids are unique per workspace: an exported workspace that is imported into an empty one keeps its ids and versions.
 * From then on both are independent.
 */
const { app } = useApp()
const files = new Files(app)

interface Twin {
  readonly team: Team
  readonly mark: string
  /** Returns the share page of the note to a reader, in the requested media type. */
  readonly shared: (accept: string) => Promise<string>
  /** The same for a note without files. */
  readonly sharedBare: (accept: string) => Promise<string>
}

const mine = "Nutmeg"
const theirs = "Paprika"
const bytes = someBytes()
let ids: Readonly<Record<"note" | "bare" | "notebook" | "template" | "comment" | "reminder" | "attachment", string>>
let one: Twin
let other: Twin

const shareOf = async (team: Team, note_id: string, mark: string) => {
  const password = `${mark} and pepper`
  const { url } = await team.post("/shares", { note_id, password })
  return async (accept: string) => {
    const answer = await fetch(files.at(url), { headers: { accept, "share-password": password } })
    return answer.text()
  }
}

/** Writes the mark of a workspace into all of its records. */
const marked = async (team: Team, mark: string): Promise<Twin> => {
  await team.patch(`/notes/${ids.note}`, { title: mark, body: `${mark} ![[cat.png]]`, tags: [mark] })
  await team.patch(`/notes/${ids.bare}`, { body: mark })
  await team.patch(`/notebooks/${ids.notebook}`, { name: mark })
  await team.patch(`/templates/${ids.template}`, { name: mark, body: mark })
  await team.post(`/notes/${ids.note}/comments`, { body: mark, parent_id: ids.comment })
  const [shared, sharedBare] = [await shareOf(team, ids.note, mark), await shareOf(team, ids.bare, mark)]
  return { team, mark, shared, sharedBare }
}

beforeAll(async () => {
  const first = await Team.start(app)
  const notebook = await first.post("/notebooks", { name: "Spices" })
  const note = await first.post("/notes", { notebook_id: notebook.id, title: "T", body: "first", tags: ["t"] })
  const bare = await first.post("/notes", { notebook_id: notebook.id, title: "Bare", body: "first" })
  const template = await first.post("/templates", { name: "T", body: "first" })
  const comment = await first.post(`/notes/${note.id}/comments`, { body: "first" })
  const reminder = await first.post("/reminders", { note_id: note.id, remind_at: "2026-03-02T12:00:00.000Z" })
  const attachment = await first.post("/attachments", { note_id: note.id, filename: "cat.png" })
  await files.put(attachment, bytes)
  ids = {
    note: note.id,
    bare: bare.id,
    notebook: notebook.id,
    template: template.id,
    comment: comment.id,
    reminder: reminder.id,
    attachment: attachment.id
  }
  const exported = await new Importing(first).exported("json")
  const second = await Team.start(app)
  await new Importing(second).all("json", "export.zip", exported.bytes)
  one = await marked(first, mine)
  other = await marked(second, theirs)
})

const lists = ["/notes", "/notebooks", "/tags", "/templates"]

/** Everything that a member can read of a workspace, by the request. */
const seenBy = async ({ shared, sharedBare, team }: Twin): Promise<ReadonlyMap<string, string>> => {
  const seen = new Map<string, string>()
  const keep = (what: string, found: unknown) => seen.set(what, JSON.stringify(found))
  for (const list of [...lists, `/notes/${ids.note}/comments`]) keep(list, await team.get(list))
  keep("note", await team.get(`/notes/${ids.note}`))
  keep("history", await team.get(`/notes/${ids.note}/versions`))
  keep("pull", await team.post("/sync/pull", {}))
  for (const mark of [mine, theirs]) {
    const found = await team.post("/search", { query: mark })
    keep(`search for ${mark}`, found.hits)
  }
  for (const accept of ["text/html", "application/json", "text/markdown"]) {
    keep(accept, await shared(accept))
    keep(`${accept} without files`, await sharedBare(accept))
  }
  const { files: exported } = await new Importing(team).exported("json")
  keep(
    "export",
    [...exported].map(([name, content]) => [name, content.toString()])
  )
  return seen
}

describe("two workspaces with the same ids", () => {
  it("show nothing of each other, regardless of which is read first", async () => {
    for (const [twin, mark, foreign] of [
      [one, mine, theirs],
      [other, theirs, mine],
      [one, mine, theirs]
    ] as const) {
      for (const [what, text] of await seenBy(twin)) {
        expect(text, `${what} of ${mark}`).not.toContain(foreign)
        if (what !== "history" && what !== `search for ${foreign}`) expect(text, `${what} of ${mark}`).toContain(mark)
      }
    }
  })

  it("keep an attachment when the other workspace deletes the one with the same id", async () => {
    await app.call("DELETE", `/attachments/${ids.attachment}`, undefined, one.team.owner.headers)
    const { url } = await other.team.get(`/attachments/${ids.attachment}`)
    expect((await files.call("GET", url)).bytes).toEqual(bytes)
    expect(await other.shared("text/html")).toMatch(/<img [^>]*cat\.png/)
  })

  it("fire reminders independently", async () => {
    await app.advance("25 hours")
    for (const { team } of [one, other]) {
      const fired = () =>
        app.sql("SELECT resource_id AS id FROM changes WHERE workspace_id = $1 AND type = 'reminder.fired'", [team.id])
      await eventually("the reminder has fired", async () => (await fired()).length > 0)
      expect(await fired()).toEqual([{ id: ids.reminder }])
    }
  })
})
