import { expect, it } from "vitest"
import type { Schemas } from "../../src/clients/client/SheafClient.ts"
import { linesOf } from "../../src/clients/console/notes/ActivityText.ts"

type Activity = Schemas["NoteActivity"]

let made = 0

const item = (given: Partial<Activity>): Activity => ({
  id: `ev_${++made}`,
  type: "note.updated",
  resource_type: "note",
  resource_id: "nt_this",
  occurred_at: "2026-03-01T12:00:00.000Z",
  actor: { kind: "user", user_id: "us_anna", name: "Anna", api_key: null },
  device: { id: "sy_phone", name: "Phone" },
  via: { by: "sync", mutation_id: "m", conflict_of: null, import_id: null, change_set_id: null, app: null, tool: null },
  version: null,
  fields: null,
  restored_from: null,
  deleted_version: null,
  conflict: null,
  ...given
})

const via = (more: Partial<NonNullable<Activity["via"]>>): Pick<Activity, "via"> => ({
  via: {
    by: "sync",
    mutation_id: null,
    conflict_of: null,
    import_id: null,
    change_set_id: null,
    app: null,
    tool: null,
    ...more
  }
})

const lines = (...items: ReadonlyArray<Activity>) =>
  linesOf(items, "nt_this", (user_id) => (user_id === "us_anna" ? "Anna" : undefined))
const textOf = (given: Partial<Activity>): string => lines(item(given))[0]!.text

it("an item of what happened is a sentence with its actor, action, device and tool", () => {
  const key = { id: "ak_script", name: "Script" }
  expect([
    textOf({ fields: ["body", "tags"], version: 2 }),
    textOf({ fields: ["notebook_id"], device: null }),
    textOf({ ...via({ by: "mcp", tool: "edit_note" }), fields: ["body"], device: null }),
    textOf({
      actor: { kind: "api_key", user_id: "us_anna", name: "Anna", api_key: key },
      fields: ["title"],
      device: null
    }),
    textOf({ type: "comment.created", actor: { kind: "user", user_id: "us_left", name: null, api_key: null } }),
    textOf({
      type: "reminder.fired",
      actor: { kind: "server", user_id: null, name: null, api_key: null },
      device: null
    }),
    textOf({ type: "note.restored", fields: ["archived"] }),
    textOf({ restored_from: 3, fields: ["body"] }),
    textOf({ ...via({ by: "import", import_id: "im_this" }), fields: ["body"], device: null }),
    textOf({ ...via({ by: "import", import_id: "im_this" }), type: "note.created", device: null })
  ]).toEqual([
    "Anna changed the text and the tags on Phone",
    "Anna moved the note to another notebook",
    "Anna changed the text by an assistant (edit_note)",
    "Anna, with the API key Script, changed the title",
    "A former member wrote a comment on Phone",
    "Sheaf sent a reminder",
    "Anna moved the note out of the archive on Phone",
    "Anna restored version 3 on Phone",
    "Anna changed the text by an import",
    "Anna imported the note"
  ])
})

it("a conflict, its merge and its copy are lines of their own, and the copy leads to its note", () => {
  const conflict = { reason: "stale_revision", version: 11, client_version: 10, mutation_id: "m" } as const
  const settled = via({ conflict_of: "nt_this" })
  expect(
    lines(
      item({ ...settled, version: 12, fields: ["body"] }),
      item({ ...settled, type: "note.created", resource_id: "nt_copy" }),
      item({ type: "sync.conflict", conflict })
    ).map(({ other, text, versions }) => [text, versions, other])
  ).toEqual([
    ["Anna merged a change with version 11 on Phone", [12, 12], null],
    ["Anna created a conflict copy on Phone", null, { id: "nt_copy", isCopy: true }],
    ["Anna sent a conflicting change (of version 10, while version 11 was newer) on Phone", null, null]
  ])
  expect(lines(item({ ...via({ conflict_of: "nt_first" }), type: "note.created", version: 1 }))[0]!.other).toEqual({
    id: "nt_first",
    isCopy: false
  })
})

it("versions of one day that read the same are one line", () => {
  const edit = (version: number, occurred_at: string) => item({ version, fields: ["body"], occurred_at })
  expect(
    lines(
      edit(5, "2026-03-03T12:02:00.000Z"),
      edit(4, "2026-03-03T12:01:00.000Z"),
      item({ version: 3, fields: ["title"], occurred_at: "2026-03-03T12:00:00.000Z" }),
      edit(2, "2026-03-03T11:59:00.000Z"),
      edit(1, "2026-02-01T12:00:00.000Z")
    ).map(({ versions }) => versions)
  ).toEqual([
    [5, 4],
    [3, 3],
    [2, 2],
    [1, 1]
  ])
})

it("the first line of each change set names what its undo concerns", () => {
  const key = { id: "ak_script", name: "Script" }
  const byKey = { actor: { kind: "api_key", user_id: "us_anna", name: "Anna", api_key: key } } as const
  const named = [
    item({ ...via({ change_set_id: "cs_1" }), ...byKey }),
    item({ ...via({ change_set_id: "cs_1" }), ...byKey, type: "note.archived" }),
    item({ ...via({ change_set_id: "cs_2", app: "Claude" }), ...byKey }),
    item({ ...via({ change_set_id: "cs_3", by: "import" }) }),
    item({ ...via({ change_set_id: "cs_4", by: "revert" }) }),
    item({ ...via({ change_set_id: "cs_5" }) }),
    item({})
  ]
  expect(lines(...named).map(({ set, undo }) => [set, undo])).toEqual([
    ["cs_1", "Undo what Script did"],
    ["cs_1", null],
    ["cs_2", "Undo what Claude did"],
    ["cs_3", "Undo what the import did"],
    ["cs_4", "Undo the undo"],
    ["cs_5", "Undo what Anna did"],
    [null, null]
  ])
})
