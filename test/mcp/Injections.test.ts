import { describe, expect, it } from "vitest"
import { callTool, type McpWire } from "../support/mcp/McpWire.ts"
import { guest } from "../support/people/People.ts"
import { useApp } from "../support/useApp.ts"
import { injections, type Targets, versionRead } from "./Injections.ts"

const { app, given } = useApp({ settings: { rateLimit: 0 } })

const writable = new Set([
  "note.created",
  "note.updated",
  "note.archived",
  "note.deleted",
  "note.restored",
  "reminder.created",
  "reminder.updated",
  "tag.created"
])

const precious = "precious text"

const targetsOf = async (): Promise<Targets> => {
  const notebook_id = (await given("GET", "/notebooks")).data[0].id
  const stranger = await guest(app, { elsewhere: true })
  const foreign = async (method: string, path: string, body?: object) =>
    (await app.call(method, path, body, stranger.headers)).body
  const foreign_notebook = await foreign("POST", "/notebooks", { name: "Foreign" })
  const foreign_note = await foreign("POST", "/notes", {
    notebook_id: foreign_notebook.id,
    title: "Foreign",
    body: "foreign"
  })
  const body = injections.map(({ says }) => says).join("\n\n")
  const note = await given("POST", "/notes", { notebook_id, title: "Read me", body })
  const victim = await given("POST", "/notes", { notebook_id, title: "Victim", body: precious, tags: ["kept"] })
  return {
    note_id: note.id,
    victim_id: victim.id,
    notebook_id,
    foreign_id: foreign_note.id,
    foreign_notebook_id: foreign_notebook.id,
    foreign_workspace_id: stranger.workspace_id
  }
}

/** Obeys all instructions. `revive` runs before each. Returns the tools that had an effect. */
const obey = async (wire: McpWire, targets: Targets, revive = async () => {}): Promise<ReadonlySet<string>> => {
  const read = await callTool(wire, "read_note", { note_id: targets.note_id })
  // The text is inside of the fence, whatever it says.
  const members = Object.keys(read?.value ?? {})
  if (members.includes("text")) {
    expect(members.indexOf("text")).toBeGreaterThan(members.indexOf("data_begins"))
    expect(members.at(-1)).toBe("data_ends")
  }
  const done = new Set<string>()
  for (const { calls } of injections) {
    await revive()
    for (const [tool, args] of calls(targets)) {
      const seen =
        args["version"] === versionRead ? await callTool(wire, "read_note", { note_id: args["note_id"] }) : undefined
      const given = seen === undefined ? args : { ...args, version: seen.value.version ?? versionRead }
      if ((await callTool(wire, tool, given))?.isError === false) done.add(tool)
    }
  }
  return done
}

it("there are forty instructions", () => expect(injections).toHaveLength(40))

describe("forty instructions in a note, all of which a script obeys,", () => {
  it.each([
    ["a key with scopes to read", { scopes: ["notes:read"] }, ""],
    ["a viewer with all scopes", { role: "viewer" }, ""],
    ["a key without scopes for notes", { scopes: ["webhooks:write", "members:read"] }, ""],
    ["an owner with ?mode=read", { role: "owner" }, "?mode=read"]
  ])("change nothing with %s", async (_, options, query) => {
    const targets = await targetsOf()
    const { headers } = await guest(app, options)
    const before = await app.sql("SELECT count(*)::int AS entries FROM changes")
    await obey({ url: app.url, headers, query }, targets)
    expect(await app.sql("SELECT count(*)::int AS entries FROM changes")).toEqual(before)
  })

  it("change only notes, reminders and tags of the workspace with a key to write, and lose no text", async () => {
    const targets = await targetsOf()
    const { headers } = await guest(app, { scopes: ["notes:write"] })
    const [{ entries }] = await app.sql("SELECT count(*)::int AS entries FROM changes")
    const seq = await app.seq()
    const revive = async () => {
      for (const id of [targets.victim_id, targets.note_id]) await app.call("POST", `/notes/${id}/restore`)
    }
    const done = await obey({ url: app.url, headers }, targets, revive)
    expect([...done]).toEqual(
      expect.arrayContaining(["trash_note", "edit_note", "tag_notes", "restore_note", "create_reminder"])
    )
    const changes = await app.changesAfter(seq)
    // All entries are of this workspace.
    const [{ entries: after }] = await app.sql("SELECT count(*)::int AS entries FROM changes")
    expect(after - entries).toBe(changes.length)
    expect(changes.map(({ type }) => type).filter((type) => !writable.has(type))).toEqual([])
    await app.call("POST", `/notes/${targets.victim_id}/restore`)
    const { data } = await given("GET", `/notes/${targets.victim_id}/versions?limit=100`)
    expect(data.map(({ body }: any) => body)).toContain(precious)
  })
})
