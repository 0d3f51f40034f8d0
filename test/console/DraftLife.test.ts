import fc from "fast-check"
import { describe, expect, it } from "vitest"
import type { DraftEvent } from "../../src/clients/console/drafts/DraftEvent.ts"
import { answered, transition } from "../../src/clients/console/drafts/DraftLife.ts"
import { type DraftState, draftState, storedOf } from "../../src/clients/console/drafts/DraftState.ts"
import type { SaveFailure } from "../../src/clients/console/drafts/SaveFailure.ts"
import { DraftWorld, noteOf, notFound, owner, refused, steps } from "../support/DraftWorld.ts"
import { rounds } from "../support/Slow.ts"
import { stateTable } from "../support/StateTable.ts"

type Kind = DraftState["phase"]["kind"]

const version = (number: number, title: string, body: string) =>
  noteOf({ id: "nt_1", version: number - 1 }, { title, body })

const first = version(1, "Title", "One.")
const second = version(2, "Title", "One. Theirs.")
const otherTitle = version(2, "Their title", "One.")
const typed: DraftEvent = { type: "typed", change: { body: "One. Two." } }

const after = (state: DraftState, ...events: ReadonlyArray<DraftEvent>): DraftState =>
  events.reduce((state, event) => transition(state, event)[0], state)

const failed = (failure: SaveFailure): DraftEvent => ({ type: "failed", failure, key: "another key" })
const save: DraftEvent = { type: "save", isUrgent: false }
const behind: DraftEvent = { type: "behind", known: first, note: otherTitle }
const resolve: DraftEvent = { type: "resolve", result: { title: "Both titles", body: "One." } }
const stored: DraftEvent = { type: "stored", note: version(2, "Title", "One. Two.") }
const offline = failed({ kind: "offline", retryAfter: 2_000 })

/** A draft in each phase, which a pane shows. */
const saved = draftState(owner, "key", first)
const unsaved = after(saved, typed)
const saving = after(unsaved, save)
const conflict = after(saved, { type: "typed", change: { title: "Your title" } }, save, behind)
const resolving = after(conflict, resolve)
const phases: Readonly<Record<Kind, DraftState>> = { saved, unsaved, saving, conflict, resolving }

/** Each event, and those that depend on more than the phase in each form. */
const events = {
  typed: { type: "typed", change: { body: "One. Two. Three." } },
  "typed back": { type: "typed", change: { title: "Title", body: "One." } },
  edited: { type: "edited", result: { title: "Edited", body: "One." } },
  resolve,
  "save after a pause": save,
  "save now": { type: "save", isUrgent: true },
  attend: { type: "attend" },
  close: { type: "close" },
  leave: { type: "leave" },
  discard: { type: "discard", key: "another key" },
  saveAsNew: { type: "saveAsNew", notebook_id: "nb_2", key: "another key" },
  received: { type: "received", note: second },
  stored,
  "stored an earlier text": { type: "stored", note: version(2, "Title", "One. T") },
  "behind, to merge": { type: "behind", known: first, note: second },
  "behind, to decide": { type: "behind", known: first, note: version(2, "Title", `One. ${"x".repeat(1_048_570)}`) },
  decided: { type: "decided", sent: { title: "Both titles", body: "One." }, note: version(3, "Both titles", "One.") },
  "decided in part": {
    type: "decided",
    sent: { title: "Your title", body: "One." },
    note: version(3, "Your title", "One.")
  },
  "overtaken elsewhere": { type: "overtaken", note: version(3, "Their title", "One. Theirs.") },
  "overtaken at the title": { type: "overtaken", note: version(3, "Their other title", "One.") },
  "failed: gone": failed(notFound),
  "failed: refused": failed(refused),
  "failed: signed out": failed({ kind: "signedOut" }),
  "failed: offline": offline,
  "failed: defect": failed({ kind: "defect" })
} satisfies Record<string, DraftEvent>

type Row = keyof typeof events
/** The next phase and the effects; a cell that is left out changes nothing. */
type Cells = Readonly<Partial<Record<Row, string>>>
type Table = Readonly<Record<Kind, Cells>>

/** The cells of a draft that a pane shows. */
const table: Table = {
  saved: {
    typed: "unsaved: store, pause",
    "typed back": "saved: remove",
    "save after a pause": "saved: remove",
    "save now": "saved: remove",
    close: "saved: leave",
    leave: "saved: leave",
    discard: "saved: remove",
    saveAsNew: "saving: store, send",
    received: "saved:"
  },
  unsaved: {
    typed: "unsaved: store, pause",
    "typed back": "saved: remove",
    "save after a pause": "saving: store, send",
    "save now": "saving: store, send",
    close: "saving: store, send",
    leave: "unsaved: leave",
    discard: "saved: remove",
    saveAsNew: "saving: store, send",
    received: "unsaved:"
  },
  saving: {
    typed: "saving: store, pause",
    "typed back": "saving: store, pause",
    "save now": "saving:",
    close: "saving:",
    leave: "saving:",
    discard: "saved: remove",
    saveAsNew: "saving: store, send",
    received: "saving:",
    stored: "saved: remove",
    "stored an earlier text": "unsaved: store, pause",
    "behind, to merge": "saving: store, send",
    "behind, to decide": "conflict: store",
    "failed: gone": "unsaved: store",
    "failed: refused": "unsaved: store",
    "failed: signed out": "unsaved: store",
    "failed: offline": "unsaved: store, repeat",
    "failed: defect": "unsaved: store, repeat"
  },
  conflict: {
    typed: "conflict: store",
    "typed back": "conflict: store",
    edited: "conflict: store",
    resolve: "resolving: store, send",
    close: "conflict: leave",
    leave: "conflict: leave",
    discard: "saved: remove",
    saveAsNew: "saving: store, send",
    received: "conflict:"
  },
  resolving: {
    typed: "resolving: store",
    "typed back": "resolving: store",
    close: "resolving:",
    leave: "resolving:",
    discard: "saved: remove",
    saveAsNew: "saving: store, send",
    received: "resolving:",
    decided: "saved: remove",
    "decided in part": "saving: store, send",
    "overtaken elsewhere": "resolving: store, send",
    "overtaken at the title": "conflict: store",
    "failed: gone": "unsaved: store",
    "failed: refused": "conflict: store",
    "failed: signed out": "conflict: store",
    "failed: offline": "conflict: store",
    "failed: defect": "conflict: store"
  }
}

/** The cells that differ for a draft whose pane was closed. */
const closed: Table = {
  saved: {
    typed: "saving: store, send",
    "typed back": "saved: remove, leave",
    "save after a pause": "saved: remove, leave",
    "save now": "saved: remove, leave",
    discard: "saved: remove, leave",
    received: "saved: leave"
  },
  unsaved: {
    typed: "saving: store, send",
    "typed back": "saved: remove, leave",
    discard: "saved: remove, leave"
  },
  saving: {
    discard: "saved: remove, leave",
    stored: "saved: remove, leave",
    "stored an earlier text": "saving: store, send",
    "behind, to decide": "conflict: store, leave",
    "failed: gone": "unsaved: store, leave",
    "failed: refused": "unsaved: store, leave",
    "failed: signed out": "unsaved: store, leave",
    "failed: offline": "unsaved: store, repeat, leave",
    "failed: defect": "unsaved: store, repeat, leave"
  },
  conflict: {
    typed: "conflict: store, leave",
    "typed back": "conflict: store, leave",
    edited: "conflict: store, leave",
    discard: "saved: remove, leave"
  },
  resolving: {
    discard: "saved: remove, leave",
    decided: "saved: remove, leave",
    "overtaken at the title": "conflict: store, leave",
    "failed: gone": "unsaved: store, leave",
    "failed: refused": "conflict: store, leave",
    "failed: signed out": "conflict: store, leave",
    "failed: offline": "conflict: store, leave",
    "failed: defect": "conflict: store, leave"
  }
}

/** The cells that differ for a draft that is sent without a pane. */
const absent: Table = {
  saved: {
    attend: "saved: pause"
  },
  unsaved: {
    attend: "unsaved: pause"
  },
  saving: {
    attend: "saving: pause",
    "behind, to merge": "unsaved: store",
    "behind, to decide": "unsaved: store"
  },
  conflict: {
    attend: "conflict: pause"
  },
  resolving: {
    attend: "resolving: pause"
  }
}

const stepOf = (state: DraftState, event: DraftEvent): string => {
  const [next, ...effects] = transition(state, event)
  return `${next.phase.kind}: ${effects.join(", ")}`.trim()
}

const rows = Object.keys(events) as Array<Row>
const kinds = Object.keys(phases) as Array<Kind>
const readers = Object.entries({ shown: {}, closed, absent } satisfies Record<string, Partial<Table>>)

describe("a draft", () => {
  for (const [reader, others] of readers as ReadonlyArray<[DraftState["reader"], Partial<Table>]>) {
    it.each(kinds)(`that is ${reader} and %s has a cell for each event`, (kind) => {
      const state = { ...phases[kind], reader }
      const cells: Cells = { ...table[kind], ...others[kind] }
      const expected = (row: Row) => cells[row] ?? `${kind}:`
      expect(rows.map((row) => [row, stepOf(state, events[row])])).toEqual(rows.map((row) => [row, expected(row)]))
      // A cell that is left out changes nothing.
      for (const row of rows) if (cells[row] === undefined) expect(transition(state, events[row])[0]).toBe(state)
    })
  }

  it("has the phases of the table in the architecture", () => {
    const documented = stateTable("draft event")
    const types = [...new Set(Object.values(events).map(({ type }) => type))]
    expect([documented.events, documented.states]).toEqual([kinds, types])
    for (const { event: kind, next, state: type } of documented.cells) {
      const found = Object.values(events)
        .filter((event) => event.type === type)
        .flatMap((event) =>
          readers.map(([reader]) => transition({ ...phases[kind as Kind], reader } as DraftState, event)[0].phase.kind)
        )
      const expected = next === type ? [kind] : next.split(", ")
      expect([type, kind, [...new Set(found)].sort()]).toEqual([type, kind, expected.sort()])
    }
  })

  it("sends the first text again until its response comes, and then what was typed since", () => {
    const lost = after(saving, offline, events.typed)
    const content = { title: "Title", body: "One. Two." }
    expect(storedOf(lost)).toMatchObject({ sent: content, content: { body: "One. Two. Three." } })
    const again = after(lost, save)
    expect(again.sent).toEqual(content)
    expect(after(again, stored)).toMatchObject({ phase: { kind: "unsaved" }, sent: undefined })
    // A text that was typed back is not the one that the server may have stored.
    expect(after(lost, events["typed back"]).phase.kind).toBe("unsaved")
  })

  it("creates a note under one key, and under another after a refusal, which this device stores", () => {
    const fresh = after(draftState(owner, "key"), typed)
    const keyOf = (state: DraftState) => after(state, save).creation?.key
    expect([keyOf(fresh), keyOf(after(fresh, save, offline))]).toEqual(["key", "key"])
    const again = after(fresh, save, events["failed: refused"])
    expect(stepOf(after(fresh, save), events["failed: refused"])).toBe("unsaved: store")
    expect([storedOf(again).creation_key, keyOf(again)]).toEqual(["another key", "another key"])
    expect(after(fresh, save, events["failed: gone"]).trouble?.kind).toBe("refused")
    expect(stepOf(after(fresh, { type: "typed", change: { body: " " } }), save)).toBe("saved: remove")
  })

  it("shows what has come during an attempt, and why the last attempt has failed until one succeeds", () => {
    const later = { type: "received", note: version(3, "Title", "One. Two. Theirs.") } as const
    expect(after(saving, later, stored).content.body).toBe("One. Two. Theirs.")
    expect(after(saving, later, offline, events.discard).content.body).toBe("One. Two. Theirs.")
    expect(after(saving, offline, save).trouble?.kind).toBe("offline")
    expect(after(saving, offline, save, stored).trouble).toBeUndefined()
  })

  it("that is discarded during an attempt does not come back, whatever the server has stored", () => {
    const discarded = after(saving, events.discard)
    expect([discarded.content.body, discarded.sent, discarded.phase.kind]).toEqual(["One.", undefined, "saved"])
    // The server has stored it: that is a version of the note like another one.
    const [shown, ...effects] = answered(saving, discarded, stored)
    expect([shown.content.body, shown.phase.kind, effects]).toEqual(["One. Two.", "saved", []])
    // What was typed since then is made from the version before, and not sent as an edit of the one that was stored.
    const since = after(discarded, { type: "typed", change: { body: "One. New." } }, save)
    for (const outcome of [stored, offline, events["failed: refused"]]) {
      const [next] = answered(saving, since, outcome)
      expect(next).toMatchObject({ note: first, sent: { body: "One. New." }, phase: { kind: "saving" } })
      expect(JSON.stringify(storedOf(next))).not.toContain("Two")
    }
    expect(after(resolving, events.discard)).toMatchObject({ note: otherTitle, content: { title: "Their title" } })
  })

  it("that is saved as a new note during an attempt has its text there, whatever becomes of the attempt", () => {
    const typedSince = after(saving, offline, events.typed, save)
    for (const outcome of [stored, offline, events["failed: refused"]]) {
      const [next] = answered(typedSince, after(typedSince, events.saveAsNew), outcome)
      expect(next).toMatchObject({ notebook_id: "nb_2", note: undefined, sent: undefined, phase: { kind: "saving" } })
      expect(next.creation).toEqual({ key: "another key", content: { title: "Title", body: "One. Two. Three." } })
    }
  })

  it("whose note is deleted during a decision becomes a new note with both texts in its history", () => {
    const gone = after(conflict, events.edited, { type: "resolve", result: phases.conflict.content }, events.typed)
    const asNew = after(gone, events["failed: gone"], events.saveAsNew)
    expect(asNew.creation?.content).toEqual({ title: "Your title", body: "One. Two. Three." })
    const edited = after(conflict, events.edited, events.saveAsNew)
    expect([edited.creation?.content.title, edited.content.title]).toEqual(["Your title", "Edited"])
    const note = noteOf({ id: "nt_2", version: 0 }, edited.creation!.content)
    expect(after(edited, { type: "stored", note }).sent).toEqual({ title: "Edited", body: "One." })
  })

  it("keeps what is typed during a decision in each result, also when the decision fails", () => {
    const link = { type: "typed", change: { body: "One.\nLink." } } as const
    const state = after(conflict, events.edited, resolve, link, offline)
    expect(state.phase).toMatchObject({ conflict: { result: { title: "Edited", body: "One.\nLink." } } })
    expect(storedOf(state).edited?.result).toEqual({ title: "Edited", body: "One.\nLink." })
  })

  it("that was sent without a pane continues with the words of both when a user opens it", () => {
    const state = after({ ...saving, reader: "absent" }, events["behind, to merge"])
    expect([state.phase.kind, state.content.body]).toEqual(["unsaved", "One. Two."])
    expect(after(state, events.attend, save, events["behind, to merge"]).content.body).toContain("Theirs. Two.")
  })

  it("is left by its tab only when no request runs, and is left again after each later event", () => {
    expect(transition(after(saving, events.leave), events["failed: offline"])).toContain("leave")
    expect(transition(after(resolving, events.leave), events["failed: offline"])).toContain("leave")
    const left = { ...saved, reader: "closed" } as const
    expect(transition(left, save)).toEqual([left, "remove", "leave"])
  })

  it("keeps each typed word, and none that was discarded comes back, in whatever order things happen", async () => {
    await fc.assert(
      fc.asyncProperty(steps, async (steps) => {
        const world = new DraftWorld()
        for (const each of steps) await world.take(each)
        await world.settle()
      }),
      { numRuns: rounds(150, 10_000), seed: Number(process.env["SEED"] ?? 1) }
    )
  })
})
