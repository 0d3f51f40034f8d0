import { readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { expect, it } from "vitest"
import { type NoteType, noteTypes } from "../../services/Resources.ts"
import { useApp } from "../support/useApp.ts"

const { app, given } = useApp()

const word = "quetzalcoatlus"
const inSet = { "change-set": "cs_erased00000000000000" }
const at = "2031-05-01T08:00:00.000Z"

/** Creates, changes and leaves a record of each type that belongs to a note, with the word in all of its texts. */
const written: Readonly<Record<NoteType, (note_id: string) => Promise<unknown>>> = {
  note: async (id) => given("PATCH", `/notes/${id}`, { body: `${word} again` }),
  comment: async (id) => {
    const path = `/notes/${id}/comments`
    const comment = await given("POST", path, { body: word })
    await given("PATCH", `${path}/${comment.id}`, { body: `${word} again` })
    // A change set has the text before each change.
    await app.call("PATCH", `${path}/${comment.id}`, { body: `${word} by a set` }, inSet)
    const reply = await given("POST", path, { body: word, parent_id: comment.id })
    await given("DELETE", `${path}/${reply.id}`)
    const other = await given("POST", path, { body: word })
    await app.call("DELETE", `${path}/${other.id}`, undefined, inSet)
  },
  attachment: async (note_id) => {
    const form = new FormData()
    form.set("note_id", note_id)
    form.set("file", new Blob([word.repeat(100)]), `${word}.txt`)
    const headers = { authorization: `Bearer ${app.key}`, "idempotency-key": `file-${note_id}` }
    const response = await fetch(`${app.url}/attachments`, { method: "POST", headers, body: form })
    expect(response.status).toBe(201)
    const { id } = (await response.json()) as { readonly id: string }
    await app.call("PATCH", `/attachments/${id}`, { filename: `${word} by a set.txt` }, inSet)
  },
  reminder: async (note_id) => {
    const { id } = await given("POST", "/reminders", { note_id, remind_at: at })
    await given("PATCH", `/reminders/${id}`, { remind_at: at.replace("2031", "2032") })
  },
  share: async (note_id) => {
    const { url } = await given("POST", "/shares", { note_id })
    expect(await (await fetch(new URL(new URL(url).pathname, app.url))).text()).toContain(word)
  }
}

/** The tables and files that have the word, or the id. */
const remains = async (text: string): Promise<ReadonlyArray<string>> => {
  const tables = await app.sql(
    "SELECT relname AS name FROM pg_class WHERE relkind = 'r' AND relnamespace = 'public'::regnamespace"
  )
  const found: Array<string> = []
  for (const { name } of tables) {
    const [row] = await app.sql(`SELECT t::text AS text FROM ${name} t WHERE strpos(lower(t::text), $1) > 0 LIMIT 1`, [
      text
    ])
    if (row !== undefined) found.push(`${name}: ${row.text}`)
  }
  for (const entry of readdirSync(app.dataDir, { recursive: true, withFileTypes: true })) {
    const path = join(entry.parentPath, entry.name)
    if (entry.isFile() && readFileSync(path).includes(text)) found.push(path)
  }
  return found
}

const deletions: ReadonlyArray<readonly [name: string, headers: Record<string, string>]> = [
  ["a request", {}],
  ["a request of a change set", { "change-set": "cs_deletes0000000000000" }]
]

it.each(deletions)(
  "%s erases a note and all records that belong to it from every table and file",
  async (name, headers) => {
    const [{ id: notebook_id }] = (await given("GET", "/notebooks")).data
    // Deliveries wait, and repeat what they send in their rows.
    await given("POST", "/webhooks", { url: "https://hooks.example/x", events: ["*"] })
    const { id } = (
      await app.call(
        "POST",
        "/notes",
        { notebook_id, title: word, body: `---\naliases: [${word}]\n---\n# ${word}` },
        { "idempotency-key": `note-${name.length}` }
      )
    ).body
    for (const type of noteTypes) await written[type](id)
    // Its former title, and the rows of its contents.
    await given("PATCH", `/notes/${id}`, {
      title: "Renamed",
      body: `---\naliases: [${word}]\nsubject: ${word}\n---\n# ${word}\n\n- [ ] ${word} [[${word}]]`
    })
    expect((await given("GET", `/notes/${id}/links?direction=out`)).data).toMatchObject([
      { target: word, target_id: id }
    ])
    const data = { notebook_id, title: `${word} pushed` }
    const change = { type: "note", op: "upsert", id, revision: 1, mutation_id: `stale-${id}`, conflict_of: id, data }
    await given("POST", "/sync/push", { changes: [change] })
    expect((await given("POST", "/search", { query: word })).hits).toHaveLength(1)
    await app.idle()
    const found = (await remains(word)).map((each) => each.split(":")[0])
    const contents = ["former_names", "note_contents", "note_links", "note_link_keys", "note_tasks"]
    expect(found).toEqual(expect.arrayContaining(contents))
    expect(found.length).toBeGreaterThan(noteTypes.length)

    // The records go to the trash with their note, and come back with it.
    await given("DELETE", `/notes/${id}`)
    await given("POST", `/notes/${id}/restore`)
    const deleted = await app.call("DELETE", `/notes/${id}?permanent=true`, undefined, headers)
    expect(deleted.status).toBe(200)
    // The bytes of files are kept for a while.
    await app.advance("31 days")
    expect((await given("POST", "/search", { query: word })).hits).toEqual([])
    // The search merges its segments in the background.
    await expect.poll(() => remains(word), { timeout: 60_000 }).toEqual([])
  }
)
