import { revertedSet, someSet } from "./SetSteps.ts"
import { archiveOf, ended } from "./Transfers.ts"
import { contentAt, formOf, put } from "./Uploads.ts"
import { type Kind, prefixes, type World } from "./World.ts"

const words = ["Plan", "Secret", "Trip"]

/** Changes what the key does not reach. In the other world there are ids of nothing. */
export const outside = async (world: World, other: World, numbers: ReadonlyArray<number>): Promise<void> => {
  const [kind, a, b] = numbers as [number, number, number]
  const notebooks = world.unseen.get("notebook")!
  const notes = world.unseen.get("note")!
  const forget = (of: Kind, id: string) => {
    if (world.unseen.get(of)!.includes(id)) return
    world.unseen.get(of)!.push(id)
    other.unseen
      .get(of)!
      .push(`${prefixes[of]}_${"0".repeat(18)}${String(world.unseen.get(of)!.length).padStart(4, "0")}`)
  }
  const id = notes[a % Math.max(1, notes.length)]
  if (notebooks.length === 0 || kind % 8 === 0) {
    forget("notebook", (await world.given("POST", "/notebooks", { name: "Private" })).id)
  } else if (id === undefined || kind % 8 < 3) {
    const body = `---\nsecret: 1\naliases: [Alias, ${words[b % 3]}]\n---\n[[Plan]] [[Trip]]\n- [ ] hidden 📅 2026-12-02`
    const note = { notebook_id: notebooks[a % notebooks.length], title: words[b % 3], body, tags: ["hidden"] }
    const made = await world.given("POST", "/notes", note)
    forget("note", made.id)
    forget("comment", (await world.given("POST", `/notes/${made.id}/comments`, { body: "hidden" })).id)
    const task = (await world.given("GET", `/tasks?filter=note_id = ${made.id}`)).data[0]
    forget("task", task.id)
    const reminder = { note_id: made.id, remind_at: "2030-01-01T00:00:00.000Z", channel: "webhook" }
    forget("reminder", (await world.given("POST", "/reminders", reminder)).id)
    forget("share", (await world.given("POST", "/shares", { note_id: made.id })).id)
    const upload = { note_id: made.id, filename: `${words[b % 3]}.txt` }
    const attachment = await world.given("POST", "/attachments/uploads", upload)
    if (b % 4 > 0) await put(world.team.app, attachment, contentAt(b))
    forget("attachment", attachment.id)
    // An ordinary id, as the key has none.
    forget("event", (await world.given("GET", "/events?limit=1")).data[0].id)
    forget("tag", (await world.given("GET", "/tags?filter=name = hidden")).data[0].id)
  } else if (kind % 8 === 6) {
    const members = { source: "auto", filename: "vault.zip", notebook_id: notebooks[a % notebooks.length] }
    const nothing = { note: id, notebook: "", attachment: "", comment: "" }
    const { body } = await world.sent("/imports", formOf(members, archiveOf([0, 0, 0, a, b, 0, kind], nothing)))
    await ended(world.team.app, body.id)
  } else {
    const change =
      kind % 8 < 6
        ? { title: words[b % 3], pinned: a % 2 === 0, archived: b % 2 === 0 }
        : { body: `[[Trip]] ${b}`, tags: ["hidden", "more"] }
    const { app, owner } = world.team
    const set = someSet()
    const headers = { ...owner.headers, "change-set": set }
    const isDeleted = kind % 8 === 7
    const made = await app.call(isDeleted ? "DELETE" : "PATCH", `/notes/${id}`, isDeleted ? undefined : change, headers)
    if (made.status !== 200 || (await app.call("GET", `/change-sets/${set}`, undefined, headers)).status !== 200) return
    forget("change_set", set)
    if (b % 2 === 0) forget("revert", await revertedSet(app, owner.headers, set, b % 4 === 0))
  }
}

/** Moves a note into what the key reaches, or out of it, in both worlds: from different notebooks. */
export const across = async (worlds: ReadonlyArray<World>, [kind, a, b]: ReadonlyArray<number>): Promise<void> => {
  for (const world of worlds) {
    const [notebooks, notes] = [world.seen.get("notebook")!, world.seen.get("note")!]
    const target = notebooks[a! % 3]!
    if (kind! % 2 === 0) {
      const made = await world.given("POST", "/notes", {
        notebook_id: world.elsewhere,
        title: words[b! % 3],
        body: "came"
      })
      // The key may have deleted the notebook.
      await world.team.app.call("PATCH", `/notes/${made.id}`, { notebook_id: target }, world.team.owner.headers)
      notes.push(made.id)
    } else {
      const { headers } = world.team.owner
      const to = b! % 2 === 0 ? world.elsewhere : target
      await world.team.app.call("PATCH", `/notes/${notes[a! % notes.length]}`, { notebook_id: to }, headers)
    }
  }
}
