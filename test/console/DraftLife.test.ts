import fc from "fast-check"
import { describe, expect, it } from "vitest"
import type { DraftEffect, DraftEvent } from "../../src/console/drafts/DraftEvent.ts"
import { transition } from "../../src/console/drafts/DraftLife.ts"
import { type DraftState, draftState, storedOf } from "../../src/console/drafts/DraftState.ts"
import type { SaveFailure } from "../../src/console/drafts/SaveFailure.ts"
import { DraftWorld, noteOf, notFound, owner, refused, step } from "../support/DraftWorld.ts"
import { rounds } from "../support/Slow.ts"

type Kind = DraftState["phase"]["kind"]

const version = (number: number, title: string, body: string) =>
  noteOf({ id: "nt_1", version: number - 1 }, { title, body })

const first = version(1, "Title", "One.")
const second = version(2, "Title", "One. Theirs.")
const otherTitle = version(2, "Their title", "One.")
const bothTitles = version(3, "Their other title", "One.")
const typed: DraftEvent = { type: "typed", change: { body: "One. Two." } }

const after = (state: DraftState, ...events: ReadonlyArray<DraftEvent>): DraftState =>
  events.reduce((state, event) => transition(state, event)[0], state)

const failed = (failure: SaveFailure): DraftEvent => ({ type: "failed", failure, key: "another key" })
const save: DraftEvent = { type: "save", isUrgent: false }
const behind: DraftEvent = { type: "behind", known: first, note: otherTitle }
const resolve: DraftEvent = { type: "resolve", result: { title: "Both titles", body: "One." } }

/** A draft in each phase, which a pane shows. */
const saved = draftState(owner, "key", first)
const unsaved = after(saved, typed)
const saving = after(unsaved, save)
const conflict = after(saved, { type: "typed", change: { title: "Your title" } }, save, behind)
const phases: Readonly<Record<Kind, DraftState>> = {
  saved,
  unsaved,
  saving,
  offline: after(saving, failed({ kind: "unreachable", retryAfter: undefined })),
  refused: after(saving, failed(refused)),
  conflict,
  resolving: after(conflict, resolve),
  gone: after(saving, failed(notFound))
}

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
  "received an older one": { type: "received", note: first },
  stored: { type: "stored", note: version(2, "Title", "One. Two.") },
  "stored an earlier text": { type: "stored", note: version(2, "Title", "One. T") },
  "behind, to merge": { type: "behind", known: first, note: second },
  "behind, to decide": { type: "behind", known: first, note: version(2, "Title", `One. ${"x".repeat(1_048_570)}`) },
  decided: { type: "decided", sent: { title: "Both titles", body: "One." }, note: version(3, "Both titles", "One.") },
  "decided, others wrote": {
    type: "decided",
    sent: { title: "Both titles", body: "One." },
    note: version(4, "Both titles", "One. Theirs.")
  },
  "decided in part": {
    type: "decided",
    sent: { title: "Your title", body: "One." },
    note: version(3, "Your title", "One.")
  },
  "overtaken elsewhere": { type: "overtaken", note: version(3, "Their title", "One. Theirs.") },
  "overtaken at the title": { type: "overtaken", note: bothTitles },
  "failed: gone": failed(notFound),
  "failed: refused": failed(refused),
  "failed: signed out": failed({ kind: "signedOut" }),
  "failed: unreachable": failed({ kind: "unreachable", retryAfter: 2_000 }),
  "failed: defect": failed({ kind: "defect" })
} satisfies Record<string, DraftEvent>

type Row = keyof typeof events
/** The next phase and the effects; a cell that is left out changes nothing. */
type Cells = Readonly<Partial<Record<Row, string>>>

/** What is the same before and between attempts. */
const waiting = {
  "typed back": "saved: store, pause",
  "save after a pause": "saving: update",
  "save now": "saving: update",
  close: "saving: store, update",
  leave: "same: leave",
  discard: "saved: remove"
}

const table: Readonly<Record<Kind, Cells>> = {
  saved: {
    typed: "unsaved: store, pause",
    "typed back": "saved: store, pause",
    "save after a pause": "saved: remove",
    "save now": "saved: remove",
    close: "saved: remove, leave",
    leave: "same: leave",
    discard: "saved: remove",
    received: "saved:"
  },
  unsaved: { ...waiting, typed: "unsaved: store, pause" },
  offline: { ...waiting, typed: "offline: store, pause", "typed back": "offline: store, pause" },
  refused: {
    ...waiting,
    typed: "refused: store, pause",
    saveAsNew: "saving: store, create"
  },
  saving: {
    typed: "saving: store, pause",
    "typed back": "saving: store, pause",
    "save now": "saving:",
    close: "saving:",
    leave: "same: leave",
    received: "saving:",
    stored: "saved: remove",
    "stored an earlier text": "unsaved: store, pause",
    "behind, to merge": "saving: store, update, merged",
    "behind, to decide": "conflict: store",
    "failed: gone": "gone: store",
    "failed: refused": "refused: store",
    "failed: signed out": "unsaved: store",
    "failed: unreachable": "offline: store, repeat after 2000",
    "failed: defect": "unsaved: store, repeat after 0"
  },
  conflict: {
    typed: "conflict: store",
    "typed back": "conflict: store",
    edited: "conflict: store",
    resolve: "resolving: store, decide",
    close: "conflict: leave",
    leave: "same: leave",
    discard: "saved: remove"
  },
  resolving: {
    typed: "resolving: store",
    "typed back": "resolving: store",
    edited: "resolving: store",
    close: "resolving:",
    leave: "same: leave",
    decided: "saved: remove",
    "decided, others wrote": "saved: remove",
    "decided in part": "saving: store, update",
    "overtaken elsewhere": "resolving: store, decide",
    "overtaken at the title": "conflict: store",
    "failed: gone": "gone: store",
    "failed: refused": "conflict: store",
    "failed: signed out": "conflict: store",
    "failed: unreachable": "conflict: store",
    "failed: defect": "conflict: store"
  },
  gone: {
    typed: "gone: store",
    "typed back": "gone: store",
    close: "gone: leave",
    leave: "same: leave",
    discard: "saved: remove",
    saveAsNew: "saving: store, create"
  }
}

/** What is the same for a closed draft between attempts: it was left, and is needed again. */
const left = {
  typed: "saving: hold, store, update",
  "typed back": "saved: hold, remove, leave",
  discard: "saved: remove, leave"
}

/** The cells that differ for a draft whose pane was closed. */
const closed: Readonly<Record<Kind, Cells>> = {
  saved: left,
  unsaved: left,
  offline: { ...left, "typed back": "saving: hold, store, update" },
  refused: left,
  saving: {
    typed: "saving: store",
    "typed back": "saving: store",
    stored: "saved: remove, leave",
    "stored an earlier text": "saving: store, update",
    "behind, to decide": "conflict: store, leave",
    "failed: gone": "gone: store, leave",
    "failed: refused": "refused: store, leave",
    "failed: signed out": "unsaved: store, leave",
    "failed: unreachable": "offline: store, leave",
    "failed: defect": "unsaved: store, leave"
  },
  conflict: {
    typed: "conflict: hold, store, leave",
    "typed back": "conflict: hold, store, leave",
    discard: "saved: remove, leave"
  },
  resolving: {
    decided: "saved: remove, leave",
    "decided, others wrote": "saved: remove, leave",
    "overtaken at the title": "conflict: store, leave",
    "failed: gone": "gone: store, leave",
    "failed: refused": "conflict: store, leave",
    "failed: signed out": "conflict: store, leave",
    "failed: unreachable": "conflict: store, leave",
    "failed: defect": "conflict: store, leave"
  },
  gone: {
    typed: "gone: hold, store, leave",
    "typed back": "gone: hold, store, leave",
    discard: "saved: remove, leave"
  }
}

/** The cells that differ for a draft that is sent without a pane. */
const absent: Readonly<Record<Kind, Cells>> = {
  saved: { attend: "saved:" },
  unsaved: { attend: "unsaved: pause" },
  offline: { attend: "offline: pause" },
  refused: { attend: "refused: pause" },
  saving: { attend: "saving:", "behind, to merge": "conflict: store" },
  conflict: { attend: "conflict: store" },
  resolving: { attend: "resolving:" },
  gone: { attend: "gone:" }
}

const nameOf = (effect: DraftEffect): string => {
  if (typeof effect === "string") return effect
  if ("send" in effect) return effect.send.kind
  return "merged" in effect ? "merged" : `repeat after ${effect.retryAfter}`
}

const cellOf = (state: DraftState, event: DraftEvent): string => {
  const [next, ...effects] = transition(state, event)
  return `${next.phase.kind}: ${effects.map(nameOf).join(", ")}`.trim()
}

describe("a draft", () => {
  for (const [reader, others] of [
    ["shown", {}],
    ["closed", closed],
    ["absent", absent]
  ] as const) {
    it.each(Object.values(phases))(`that is ${reader} and $phase.kind has a cell for each event`, (shown) => {
      const state = { ...shown, reader }
      const { kind } = state.phase
      const cells: Cells = { ...table[kind], ...{ ...others }[kind] }
      const expected = (row: Row) => (cells[row] ?? `${kind}:`).replace("same", kind)
      const rows = Object.keys(events) as Array<Row>
      expect(rows.map((row) => [row, cellOf(state, events[row])])).toEqual(rows.map((row) => [row, expected(row)]))
      // A cell that is left out changes nothing.
      for (const row of rows) if (cells[row] === undefined) expect(transition(state, events[row])[0]).toBe(state)
    })
  }

  it("sends the first text again until its response comes, and then what was typed since", () => {
    const lost = after(saving, events["failed: unreachable"], events.typed)
    const [again, ...effects] = transition(lost, save)
    const content = { title: "Title", body: "One. Two." }
    expect(effects).toEqual([{ send: { kind: "update", note: first, content, isRepeated: true } }])
    expect(storedOf(lost)).toMatchObject({ sent: content, content: { body: "One. Two. Three." } })
    const [next] = transition(again, events.stored)
    expect([next.phase.kind, next.sent]).toEqual(["unsaved", undefined])
    // A text that was typed back is not the one that the server may have stored.
    expect(after(lost, events["typed back"], save).phase.kind).toBe("saving")
  })

  it("creates a note under one key, and under another after a refusal or as a new note", () => {
    const fresh = after(draftState(owner, "key"), typed)
    const keyOf = (state: DraftState) => after(state, save).creation?.key
    expect([keyOf(fresh), keyOf(after(fresh, save, events["failed: unreachable"]))]).toEqual(["key", "key"])
    expect(keyOf(after(fresh, save, events["failed: refused"]))).toBe("another key")
    expect(cellOf(after(fresh, save), events["failed: gone"])).toBe("refused: store")
    expect(after(phases.gone, events.saveAsNew).creation).toMatchObject({ key: "another key" })
    expect(cellOf(after(fresh, { type: "typed", change: { body: " " } }), save)).toBe("saved: remove")
  })

  it("shows what has come during an attempt, and again why an attempt is needed", () => {
    const later = { type: "received", note: version(3, "Title", "One. Two. Theirs.") } as const
    expect(after(saving, later, events.stored).content.body).toBe("One. Two. Theirs.")
    expect(after(phases.offline, save).phase).toMatchObject({ kind: "saving", after: { kind: "offline" } })
  })

  it("that was sent without a pane continues with the words of both when a user opens it", () => {
    const state = after({ ...saving, reader: "absent" }, events["behind, to merge"])
    expect(state.phase.kind).toBe("conflict")
    expect(storedOf(state).edited).toBeUndefined()
    expect(cellOf(state, events.attend)).toBe("unsaved: store, pause, merged")
    expect(after(state, events.attend).content.body).toContain("Theirs. Two.")
  })

  it("keeps what is typed during a decision in each result, also when the decision fails", () => {
    const link = { type: "typed", change: { body: "One.\nLink." } } as const
    const state = after(conflict, events.edited, resolve, link, events["failed: unreachable"])
    expect(state.phase).toMatchObject({ conflict: { result: { title: "Edited", body: "One.\nLink." } } })
    expect(storedOf(state).edited?.result.title).toBe("Edited")
  })

  it("stops to repeat a decision while others change the note all the time", () => {
    let state = phases.resolving
    for (let number = 3; number < 20; number++) {
      state = after(state, { type: "overtaken", note: version(number, "Their title", `One. Theirs ${number}.`) })
    }
    expect(state.phase.kind).toBe("conflict")
  })

  it("is on the device before it is sent, and keeps each typed word, in whatever order things happen", () => {
    fc.assert(
      fc.property(fc.array(step, { minLength: 5, maxLength: 60 }), (steps) => {
        const world = new DraftWorld()
        for (const each of steps) world.take(each)
      }),
      { numRuns: rounds(300, 10_000), seed: Number(process.env["SEED"] ?? 1) }
    )
  })
})
