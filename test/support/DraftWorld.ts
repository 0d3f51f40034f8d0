import assert from "node:assert/strict"
import fc from "fast-check"
import { type Schemas, type SheafClient, SheafError } from "../../src/clients/client/SheafClient.ts"
import type { DraftEvent } from "../../src/clients/console/drafts/DraftEvent.ts"
import { answered, transition } from "../../src/clients/console/drafts/DraftLife.ts"
import { outcomeOf } from "../../src/clients/console/drafts/DraftRequests.ts"
import {
  type DraftState,
  draftState,
  isKept,
  isRunning,
  storedOf
} from "../../src/clients/console/drafts/DraftState.ts"
import type { DraftStep } from "../../src/clients/console/drafts/DraftStep.ts"
import { contentOf, type NoteConflict } from "../../src/clients/console/drafts/NoteConflict.ts"
import type { NoteContent } from "../../src/clients/console/drafts/NoteContent.ts"
import { failureOf } from "../../src/clients/console/drafts/SaveFailure.ts"
import type { StoredDraft } from "../../src/clients/console/drafts/StoredDraft.ts"

type Note = Schemas["Note"]

/** A note with the version after that of another one. */
export const noteOf = (before: Partial<Note>, change: Partial<NoteContent>): Note =>
  ({ notebook_id: "nb_1", ...before, ...change, version: (before.version ?? 0) + 1 }) as Note

export const owner = { account: "ac", workspace: "ws", notebook_id: "nb_1", untitled: "Untitled" }

const problems = {
  not_found: new SheafError({ code: "not_found", status: 404, detail: "No such note" }),
  precondition_failed: new SheafError({ code: "precondition_failed", status: 412, detail: "Another version" } as never),
  offline: new SheafError({ code: "no_response", status: 0, detail: "No response was received" }),
  refused: new SheafError({ code: "insufficient_role", status: 403, detail: "Only editors write" }),
  "signed out": new SheafError({ code: "unauthorized", status: 401, detail: "The session has ended" } as never),
  defect: new TypeError("defect")
}

export const notFound = failureOf(problems.not_found)
export const refused = failureOf(problems.refused)

/** How a request ends. One that is `lost` is processed, and its response does not arrive. */
const ways = ["ok", "ok", "ok", "offline", "lost", "refused", "signed out", "defect"] as const
type Way = (typeof ways)[number]

const kinds = <const Kind extends string>(...each: ReadonlyArray<Kind>) => fc.constantFrom(...each)
const place = fc.nat({ max: 9 })

const step = fc.oneof(
  { weight: 8, arbitrary: fc.record({ kind: kinds("type", "title", "title", "edit"), place }) },
  { weight: 5, arbitrary: fc.record({ kind: kinds("others", "others' title", "others' title"), place }) },
  { weight: 6, arbitrary: fc.record({ kind: kinds("save", "save", "save", "send", "receive") }) },
  { weight: 1, arbitrary: fc.record({ kind: kinds("close", "leave", "reload", "open without a pane") }) },
  { weight: 1, arbitrary: fc.record({ kind: kinds("save as new", "discard", "discard", "trash") }) },
  { weight: 3, arbitrary: fc.record({ kind: kinds("resolve"), choice: kinds("theirs", "yours", "result") }) },
  { weight: 12, arbitrary: fc.record({ kind: kinds("end"), way: kinds(...ways) }) }
)

type Step = typeof step extends fc.Arbitrary<infer Step> ? Step : never

export const steps = fc.array(step, { minLength: 10, maxLength: 80, size: "max" })

const textOf = (...contents: ReadonlyArray<NoteContent | undefined>): string =>
  contents.map((content) => `${content?.title} ${content?.body}`).join(" ")

/** A draft with a device and a server that stores versions of notes, and requests that end when a step says so. */
export class DraftWorld {
  private state = draftState(owner, "key 0")
  private device: StoredDraft | undefined
  private isSending = false
  /** The state of which the running request was made. */
  private sent: DraftState | undefined
  /** The versions of each note. */
  private readonly notes = new Map<string, Array<Note>>()
  /** What the server has stored under each idempotency key: a note, or a refusal. */
  private readonly created = new Map<string, Note | undefined>()
  private readonly trash = new Set<string>()
  /** What the user has typed and not discarded, and what must not come back. */
  private words: Array<string> = []
  private discarded: Array<string> = []
  private made = 0

  async take(step: Step): Promise<void> {
    await this.run(step)
    if (isRunning(this.state)) assert.ok(this.isSending)
    if (!isKept(this.state)) assert.deepEqual(this.device?.content, this.state.content)
    const { content, creation, edited, first } = this.device ?? {}
    const stored = textOf(content, first, creation?.content, edited?.result, ...this.versions())
    assert.deepEqual(
      this.words.filter((word) => !stored.includes(word)),
      []
    )
    const all = stored + textOf(this.state.content)
    assert.deepEqual(
      this.discarded.filter((word) => all.includes(word)),
      []
    )
  }

  /** With a network, the server gets the text in a few attempts. Decides for the result of a conflict. */
  async settle(): Promise<void> {
    for (let tries = 0; !isKept(this.state) && tries < 12; tries++) {
      const { phase, trouble } = this.state
      if (phase.kind === "conflict") this.dispatch({ type: "resolve", result: phase.conflict.result })
      else if (trouble?.kind === "gone") this.dispatch({ type: "saveAsNew", notebook_id: "nb_2", key: this.key() })
      else if (this.state.reader === "absent") this.dispatch({ type: "attend" })
      else this.dispatch({ type: "save", isUrgent: true })
      await this.take({ kind: "end", way: "ok" })
    }
    assert.ok(isKept(this.state))
    const { content, note } = this.state
    if (note !== undefined && !this.trash.has(note.id)) assert.ok(textOf(...this.versions()).includes(content.body))
  }

  private versions(): ReadonlyArray<Note> {
    return [...this.notes.values()].flat()
  }

  private async run(step: Step): Promise<void> {
    const { content, note, phase } = this.state
    const conflict = "conflict" in phase ? phase.conflict : undefined
    const newest = note && this.notes.get(note.id)!.at(-1)!
    const others = (change: (newest: Note) => Partial<NoteContent>) =>
      newest && !this.trash.has(newest.id) && this.notes.get(newest.id)!.push(noteOf(newest, change(newest)))
    switch (step.kind) {
      case "type":
        return this.dispatch({ type: "typed", change: { body: this.withWord(content.body, step.place) } })
      case "title":
        return this.dispatch({ type: "typed", change: { title: this.withWord(content.title, step.place) } })
      case "edit": {
        // The dialog can only be edited before the decision.
        if (conflict === undefined || phase.kind === "resolving") return
        const body = this.withWord(conflict.result.body, step.place)
        return this.dispatch({ type: "edited", result: { ...conflict.result, body } })
      }
      case "others":
        return void others(({ body }) => ({ body: this.withWord(body, step.place, false) }))
      case "others' title":
        return void others(({ title }) => ({ title: this.withWord(title, step.place, false) }))
      case "save":
        return this.dispatch({ type: "save", isUrgent: this.made % 2 === 0 })
      case "receive":
        return newest && this.dispatch({ type: "received", note: newest })
      case "close":
      case "leave":
        return this.dispatch({ type: step.kind })
      case "trash":
        return void (note && this.trash.add(note.id))
      case "save as new":
        return this.dispatch({ type: "saveAsNew", notebook_id: "nb_2", key: this.key() })
      case "discard":
        return this.discard()
      case "resolve":
        if (phase.kind === "conflict") this.resolve(phase.conflict, step.choice)
        return
      case "reload":
      case "open without a pane":
        return this.reload(step.kind === "reload")
      case "send":
        if (isRunning(this.state)) this.sent ??= this.state
        return
      case "end":
        return this.end(step.way)
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
    words.splice(at, place > 6 && !words[at]?.includes("own") ? 1 : 0, word)
    return words.join(" ")
  }

  private dispatch(event: DraftEvent): void {
    this.apply(transition(this.state, event))
  }

  private apply([state, ...effects]: DraftStep): void {
    this.state = state
    for (const effect of effects) {
      if (effect === "store") this.device = { ...storedOf(state), key: "draft", changed_at: 0 }
      if (effect === "remove") this.device = undefined
      if (effect === "send") {
        assert.ok(this.device)
        this.isSending = true
      }
      if (effect === "leave") assert.ok(!isRunning(state))
    }
  }

  /** Ends a conflict. A user who takes a version drops what was edited in the result alone. */
  private resolve(conflict: NoteConflict, choice: "theirs" | "yours" | "result"): void {
    const kept = textOf(conflict[choice], this.state.content, ...this.versions())
    this.words = this.words.filter((word) => kept.includes(word))
    this.dispatch({ type: "resolve", result: conflict[choice] })
  }

  /** Drops what neither the server has nor a request that runs. */
  private discard(): void {
    const { creation, phase, sent } = this.sent ?? {}
    const conflict = phase !== undefined && "conflict" in phase ? phase.conflict : undefined
    const running = [sent, creation?.content, conflict?.yours, conflict?.result]
    const kept = textOf(...this.versions(), ...running)
    const isDropped = (word: string) => !kept.includes(word)
    this.discarded.push(...this.words.filter(isDropped))
    const inFlight = textOf(...running)
    this.words = this.words.filter((word) => !isDropped(word) && !inFlight.includes(word))
    this.dispatch({ type: "discard", key: this.key() })
  }

  /** The page ends, and another one continues what the device has. The server may have processed the request. */
  private async reload(isShown: boolean): Promise<void> {
    if (this.made % 2 === 0) await this.end("lost")
    const before = this.state.note
    this.isSending = false
    this.sent = undefined
    const { device } = this
    const note = device === undefined ? before && this.notes.get(before.id)!.at(-1) : device.note
    this.state = draftState(owner, this.key(), note, device)
    if (isShown) this.dispatch({ type: "attend" })
  }

  /** Ends the request that runs. The next one begins if the draft needs it, as `NoteDraft` does it. */
  private async end(way: Way): Promise<void> {
    if (!this.isSending) return
    const sent = this.sent ?? this.state
    this.sent = undefined
    if (isRunning(sent)) {
      const outcome = await outcomeOf(this.client(way), sent).catch((error: unknown) => ({
        type: "failed" as const,
        failure: failureOf(error),
        key: this.key()
      }))
      this.apply(answered(sent, this.state, outcome))
    }
    this.isSending = isRunning(this.state)
  }

  /** The server, and the network between. */
  private client(way: Way): SheafClient {
    const answer = <Result>(process: () => Result): Promise<Result> => {
      if (way !== "ok" && way !== "lost") return Promise.reject(problems[way])
      try {
        const result = process()
        return way === "ok" ? Promise.resolve(result) : Promise.reject(problems.offline)
      } catch (error) {
        return Promise.reject(error)
      }
    }
    const versionsOf = (id: string) => {
      if (this.trash.has(id)) throw problems.not_found
      return this.notes.get(id)!
    }
    const client = {
      createNote: ({ body, title }: NoteContent, { idempotencyKey: key }: { readonly idempotencyKey: string }) => {
        if (way === "refused" && !this.created.has(key)) this.created.set(key, undefined)
        return answer(() => {
          const first = this.created.get(key)
          if (this.created.has(key) && first === undefined) throw problems.refused
          // One key has one content.
          if (first !== undefined) assert.deepEqual({ title, body }, contentOf(first))
          const note = first ?? noteOf({ id: `nt_${++this.made}`, version: 0 }, { title, body })
          if (first === undefined) this.notes.set(note.id, [note])
          this.created.set(key, note)
          return note
        })
      },
      updateNote: ({ id, version, ...content }: NoteContent & { readonly id: string; readonly version: number }) =>
        answer(() => {
          const versions = versionsOf(id)
          const newest = versions.at(-1)!
          if (newest.version !== version) throw problems.precondition_failed
          const note = noteOf(newest, content)
          versions.push(note)
          return note
        }),
      getNote: ({ id }: { readonly id: string }) => answer(() => versionsOf(id).at(-1)!),
      getNoteVersion: ({ id, version }: { readonly id: string; readonly version: number }) =>
        answer(() => versionsOf(id)[version - 1]!)
    }
    return client as unknown as SheafClient
  }
}
