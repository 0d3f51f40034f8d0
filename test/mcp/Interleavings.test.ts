import fc from "fast-check"
import { expect, it } from "vitest"
import { callTool, type McpWire } from "../support/mcp/McpWire.ts"
import { guest } from "../support/people/People.ts"
import { rounds } from "../support/Slow.ts"
import { useApp } from "../support/useApp.ts"

const { app, given } = useApp({ settings: { rateLimit: 0 } })

const actions = ["read", "append", "prepend", "replace", "under", "earlier", "trash", "back"] as const

/** Each group of steps runs at once: `who` 0 and 1 are agents, 2 is a person. */
const steps = fc.array(
  fc.array(fc.record({ who: fc.integer({ min: 0, max: 2 }), action: fc.constantFrom(...actions) }), {
    minLength: 1,
    maxLength: 3
  }),
  { minLength: 3, maxLength: 9 }
)

interface Actor {
  /** What it last read. */
  version: number
  body: string
}

/** The words that were typed into the note and accepted. */
type Typed = Array<string>

let words = 0

const begun = "start\n\n# Log\n\n# End\n"

/** An agent repeats a stale edit with the version that the refusal names. */
const agent = async (wire: McpWire, id: string, actor: Actor, action: (typeof actions)[number], typed: Typed) => {
  const word = `word${++words}.`
  const edits = {
    append: { append: word },
    prepend: { prepend: word },
    replace: { replacements: [{ old_text: "# Log", new_text: `${word}\n# Log` }] },
    under: { under_heading: { heading: "Log", text: word } }
  }
  switch (action) {
    case "read": {
      const read = await callTool(wire, "read_note", { note_id: id })
      if (read?.isError === false) Object.assign(actor, { version: read.value.version, body: read.value.text })
      return
    }
    case "earlier":
      return void (await callTool(wire, "restore_note", { note_id: id, to_version: 1, version: actor.version }))
    case "trash":
      return void (await callTool(wire, "trash_note", { note_id: id, version: actor.version }))
    case "back":
      return void (await callTool(wire, "restore_note", { note_id: id }))
    default: {
      const edit = { note_id: id, ...edits[action], mutation_id: word }
      let made = await callTool(wire, "edit_note", { ...edit, version: actor.version })
      if (made?.value.code === "precondition_failed") {
        made = await callTool(wire, "edit_note", { ...edit, version: made.value.current_version })
      }
      if (made?.isError === false) {
        typed.push(word)
        actor.version = made.value.version
      }
    }
  }
}

/** A person writes the whole text that the application has, with the version that it has read. */
const person = async (id: string, actor: Actor, action: (typeof actions)[number], typed: Typed) => {
  const word = `word${++words}.`
  if (action === "read") {
    const { body, status } = await app.call("GET", `/notes/${id}`)
    if (status === 200) Object.assign(actor, { version: body.version, body: body.body })
  } else if (action === "trash") await app.call("DELETE", `/notes/${id}`)
  else if (action === "back") await app.call("POST", `/notes/${id}/restore`)
  else {
    const body = action === "earlier" ? word : `${actor.body}${word}\n`
    const made = await app.call("PATCH", `/notes/${id}`, { body, version: actor.version })
    if (made.status === 200) {
      typed.push(word)
      Object.assign(actor, { version: made.body.version, body: made.body.body })
    }
  }
}

it(
  "of two agents and a person lose no word: each is in the note or its history",
  async () => {
    const inbox = (await given("GET", "/notebooks")).data[0].id
    const own: McpWire = { url: app.url, headers: { authorization: `Bearer ${app.key}` } }
    const wires = [own, { url: app.url, headers: (await guest(app)).headers }] as const
    let accepted = 0
    await fc.assert(
      fc.asyncProperty(steps, async (groups) => {
        const { id } = await given("POST", "/notes", { notebook_id: inbox, title: "Shared", body: begun })
        const actors = Array.from({ length: 3 }, (): Actor => ({ version: 1, body: begun }))
        const typed: Typed = []
        for (const group of groups) {
          // An actor has one step at a time.
          const each = new Map(group.map((step) => [step.who, step]))
          await Promise.all(
            [...each.values()].map(({ action, who }) =>
              who === 2 ? person(id, actors[2]!, action, typed) : agent(wires[who]!, id, actors[who]!, action, typed)
            )
          )
        }
        await app.call("POST", `/notes/${id}/restore`)
        let kept = ""
        for (let path = `/notes/${id}/versions?limit=100`, cursor = ""; ;) {
          const { data, next_cursor } = await given("GET", `${path}${cursor}`)
          kept += data.map(({ body }: any) => body).join("\n")
          if (next_cursor === null) break
          cursor = `&cursor=${next_cursor}`
        }
        accepted += typed.length
        expect(typed.filter((word) => !kept.includes(word))).toEqual([])
      }),
      { numRuns: rounds(15, 1_000) }
    )
    expect(accepted).toBeGreaterThan(rounds(15, 1_000))
  },
  rounds(60_000, 1_200_000)
)
