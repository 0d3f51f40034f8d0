import fc from "fast-check"
import { expect } from "vitest"
import { SheafError, type Schemas } from "../../src/client/SheafClient.ts"
import type { DraftEvent, DraftRequest } from "../../src/console/drafts/DraftEvent.ts"
import { transition } from "../../src/console/drafts/DraftLife.ts"
import { draftState, isKept, storedOf } from "../../src/console/drafts/DraftState.ts"
import { isProcessed } from "../../src/console/drafts/NoteConflict.ts"
import { hasWordsOf, type NoteContent, sameContent } from "../../src/console/drafts/NoteContent.ts"
import { failureOf, type SaveFailure } from "../../src/console/drafts/SaveFailure.ts"
import type { StoredDraft } from "../../src/console/drafts/StoredDraft.ts"

type Note = Schemas["Note"]

/** A note with the version after that of another one. */
export const noteOf = (before: Partial<Note>, change: Partial<NoteContent>): Note =>
  ({ notebook_id: "nb_1", ...before, ...change, version: (before.version ?? 0) + 1 }) as Note

export const owner = { account: "ac", workspace: "ws", notebook_id: "nb_1", untitled: "Untitled" }

export const notFound = failureOf(new SheafError({ code: "not_found", status: 404, detail: "No such note" }))
export const refused = failureOf(
  new SheafError({ code: "insufficient_role", status: 403, detail: "Only editors write" })
)

const outcomes = ["ok", "ok", "ok", "offline", "lost", "refused", "signed out", "defect"] as const

type Step =
  | { readonly kind: "type" | "title" | "edit" | "others" | "others' title"; readonly place: number }
  | { readonly kind: "save" | "receive" | "close" | "reload" | "trash" | "save as new" }
  | { readonly kind: "resolve"; readonly choice: "theirs" | "yours" | "result" }
  | { readonly kind: "outcome"; readonly outcome: (typeof outcomes)[number] }

const place = fc.nat({ max: 9 })
export const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 8, arbitrary: fc.record({ kind: fc.constantFrom("type", "type", "title", "edit"), place }) },
  { weight: 4, arbitrary: fc.record({ kind: fc.constantFrom("others", "others' title"), place }) },
  { weight: 5, arbitrary: fc.record({ kind: fc.constant("save") }) },
  {
    weight: 3,
    arbitrary: fc.record({ kind: fc.constantFrom("receive", "receive", "close", "reload", "save as new") })
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant("trash") }) },
  {
    weight: 4,
    arbitrary: fc.record({ kind: fc.constant("resolve"), choice: fc.constantFrom("theirs", "yours", "result") })
  },
  { weight: 8, arbitrary: fc.record({ kind: fc.constant("outcome"), outcome: fc.constantFrom(...outcomes) }) }
)

/** A draft with a device and a server that stores versions of notes, and requests that end when a step says so. */
export class DraftWorld {
  private state = draftState(owner, "key 0")
  private device: StoredDraft | undefined
  private request: DraftRequest | undefined
  /** The versions of each note. */
  private readonly notes = new Map<string, Array<Note>>()
  private readonly created = new Map<string, Note>()
  private readonly trash = new Set<string>()
  private readonly words: Array<string> = []
  private made = 0

  take(step: Step): void {
    this.run(step)
    const { phase } = this.state
    expect(this.request !== undefined).toBe(["saving", "resolving"].includes(phase.kind))
    if (!isKept(this.state)) expect(this.device?.content).toEqual(this.state.content)
    const { content, edited } = this.device ?? {}
    const texts = [this.state.content, content, edited?.result, ...[...this.notes.values()].flat()]
    const all = texts.map((text) => `${text?.title} ${text?.body}`).join(" ")
    expect(this.words.filter((word) => !all.includes(word))).toEqual([])
  }

  private run(step: Step): void {
    const { content, note, phase } = this.state
    const conflict = "conflict" in phase ? phase.conflict : undefined
    const versions = note === undefined ? undefined : this.notes.get(note.id)
    const newest = versions?.at(-1)
    const isThere = note !== undefined && !this.trash.has(note.id)
    switch (step.kind) {
      case "type":
        return this.dispatch({ type: "typed", change: { body: this.withWord(content.body, step.place) } })
      case "title":
        return this.dispatch({ type: "typed", change: { title: this.withWord(content.title, step.place) } })
      case "edit": {
        if (phase.kind !== "conflict") return
        const { result } = phase.conflict
        return this.dispatch({ type: "edited", result: { ...result, body: this.withWord(result.body, step.place) } })
      }
      case "others":
        if (isThere && newest !== undefined)
          versions!.push(noteOf(newest, { body: this.withWord(newest.body, step.place, false) }))
        return
      case "others' title":
        if (isThere && newest !== undefined)
          versions!.push(noteOf(newest, { title: this.withWord(newest.title, step.place, false) }))
        return
      case "save":
        return this.dispatch({ type: "save", isUrgent: this.made % 2 === 0 })
      case "receive":
        return newest && this.dispatch({ type: "received", note: newest })
      case "close":
        return this.dispatch({ type: "close" })
      case "trash":
        return void (note && this.trash.add(note.id))
      case "save as new":
        return this.dispatch({ type: "saveAsNew", notebook_id: "nb_2", key: this.key() })
      case "resolve":
        return conflict && this.dispatch({ type: "resolve", result: conflict[step.choice] })
      case "reload":
        // The request of the page is lost with it.
        this.request = undefined
        this.state = draftState(owner, this.key(), this.device?.note ?? newest, this.device)
        return this.dispatch({ type: "attend" })
      case "outcome":
        if (this.request !== undefined) this.dispatch(this.outcome(this.request, step.outcome))
    }
  }

  private key(): string {
    return `key ${++this.made}`
  }

  /** A text with a new word before another one, or instead of one that the user has not typed. */
  private withWord(text: string, place: number, isOwn = true): string {
    const word = `${isOwn ? "own" : "other"}${++this.made}x`
    if (isOwn) this.words.push(word)
    const words = text.split(" ")
    const at = place % (words.length + 1)
    words.splice(at, place > 6 && !words[at]?.startsWith("own") ? 1 : 0, word)
    return words.join(" ")
  }

  private dispatch(event: DraftEvent): void {
    const [state, ...effects] = transition(this.state, event)
    this.state = state
    for (const effect of effects) {
      if (effect === "store") this.device = { ...storedOf(state), key: "draft", changed_at: 0 }
      else if (effect === "remove") this.device = undefined
      else if (typeof effect === "object" && "send" in effect) {
        expect([this.request, this.device === undefined]).toEqual([undefined, false])
        this.request = effect.send
      }
    }
  }

  /** What becomes of a request: as the server and the network have it. */
  private outcome(request: DraftRequest, outcome: (typeof outcomes)[number]): DraftEvent {
    this.request = undefined
    const fails = (failure: SaveFailure): DraftEvent => ({ type: "failed", failure, key: this.key() })
    if (outcome === "refused") return fails(refused)
    if (outcome === "signed out") return fails({ kind: "signedOut" })
    if (outcome === "defect") return fails({ kind: "defect" })
    const unreachable = fails({ kind: "unreachable", retryAfter: undefined })
    if (outcome === "offline") return unreachable
    const processed = this.process(request)
    return outcome === "lost" ? unreachable : processed
  }

  private process(request: DraftRequest): DraftEvent {
    if (request.kind === "create") {
      const { content, key } = request.creation
      const note = this.created.get(key) ?? noteOf({ id: `nt_${++this.made}`, version: 0 }, content)
      if (!this.created.has(key)) this.notes.set(note.id, [note])
      this.created.set(key, note)
      return { type: "stored", note }
    }
    const known = request.kind === "update" ? request.note : request.conflict.note
    if (this.trash.has(known.id)) return { type: "failed", failure: notFound, key: this.key() }
    const versions = this.notes.get(known.id)!
    const newest = versions.at(-1)!
    const store = (content: NoteContent): Note => {
      const note = noteOf(newest, content)
      versions.push(note)
      return note
    }
    if (request.kind === "update") {
      const { content, isRepeated } = request
      if (newest.version === known.version) return { type: "stored", note: store(content) }
      const next = versions[known.version]!
      return {
        type: "behind",
        known: isRepeated && sameContent(next, content) ? { ...known, ...content } : known,
        note: newest
      }
    }
    const { result, yours } = request.conflict
    const sent = hasWordsOf(result, yours) ? result : yours
    if (newest.version === known.version) return { type: "decided", sent, note: store(sent) }
    return isProcessed(known, sent, newest)
      ? { type: "decided", sent, note: newest }
      : { type: "overtaken", note: newest }
  }
}
