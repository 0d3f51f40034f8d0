import { Clock, Context, Effect, Layer } from "effect"
import { Database } from "../database/Database.ts"
import { type Forbidden, Invalid, type NotFound, type Stale, type Unavailable } from "../Errors.ts"
import { pathOf, type Tree } from "../markdown/LinkedPlace.ts"
import { quoteAt } from "../markdown/syntax/QuotedText.ts"
import { relinked, type Renamed, targetsFor } from "../markdown/contents/LinkRewriting.ts"
import type { Note, NoteChange } from "../notes/Note.ts"
import * as Edits from "../notes/NoteEdits.ts"
import * as LinkedNotes from "../notes/LinkedNotes.ts"
import { Notes } from "../notes/Notes.ts"
import { notes as noteRows } from "../notes/NoteTable.ts"
import { Principal } from "../Principal.ts"
import { Randomness } from "../Randomness.ts"
import { oneLine } from "../Text.ts"
import { traced } from "../Traced.ts"
import { Quotas } from "../workspaces/Quotas.ts"
import { CurrentDraft, type Draft } from "../writer/Draft.ts"
import { Writer } from "../writer/Writer.ts"
import { Contents } from "./Contents.ts"
import * as LinkingNotes from "./LinkingNotes.ts"
import { type Linking, maxNotes, namesOf, type Source } from "./LinkingNotes.ts"
import type { RenamedLinks } from "./NotePatch.ts"

/** Maximum number of notes whose links one write changes. */
const step = 100
/** Maximum number of times that links are read again, of notes that others change at the same time. */
const maxRounds = 5

/** The former and present names of notes, by their ids. */
type Names = ReadonlyMap<string, ReadonlyArray<string>>

/** The notes to which links led: by the ids of the notes with the links, and the targets of these. */
type Leading = ReadonlyMap<string, ReadonlyMap<string, string>>

/** Changes of a note after which links to it are kept or rewritten (contract 5, Links in a body). */
export class Renames extends Context.Service<
  Renames,
  {
    /**
     * Changes a note. With `update`, the links that led to it by its title or path before, and would not any more, are
     * rewritten, in steps and as one change set; with `keep` their notes are counted.
     */
    readonly update: (
      id: string,
      change: NoteChange,
      condition: Edits.NoteCondition | undefined,
      links: "update" | "keep"
    ) => Effect.Effect<
      { readonly note: Note; readonly links: RenamedLinks },
      Forbidden | Invalid | NotFound | Stale | Unavailable,
      Principal
    >
  }
>()("sheaf/contents/Renames") {
  static readonly layer = Layer.effect(
    Renames,
    Effect.gen(function* () {
      const { read } = yield* Database
      const contents = yield* Contents
      const notes = yield* Notes
      const quotas = yield* Quotas
      const randomness = yield* Randomness
      const writer = yield* Writer
      const linkedNotes = LinkedNotes.make(read)
      const treeOf = LinkedNotes.treeOf(read)
      const { concerned, present, sourcesOf } = LinkingNotes.make(read)

      /** The texts by which the links of a notebook to a note are replaced; undefined for one that still leads to it. */
      const replaced = Effect.fnUntraced(function* (
        workspace_id: string,
        notebook_id: string,
        targets: ReadonlyArray<string>,
        isName: (key: string) => boolean,
        note: Renamed,
        tree: Tree
      ) {
        const options = new Map(
          targets.map((target) => [target, targetsFor(target, isName, note, pathOf(tree, notebook_id))])
        )
        const found = yield* linkedNotes({ workspace_id, notebook_id }, [...targets, ...[...options.values()].flat()])
        const leads = (target: string): boolean => {
          const place = found.get(target)
          return place !== undefined && "id" in place && place.id === note.id && place.by !== "former"
        }
        return new Map(
          targets.flatMap((target) => (leads(target) ? [] : [[target, options.get(target)!.find(leads)] as const]))
        )
      })

      /** What must be known of the note as it is now, which had the names `old`; undefined if it is gone. */
      const renamed = Effect.fnUntraced(function* (workspace_id: string, id: string, old: ReadonlyArray<string>) {
        const row = yield* present(workspace_id, id)
        if (row === undefined) return undefined
        const { aliases, notebook_id, title } = row
        const names = new Set([...old, ...namesOf(row)])
        const tree = yield* treeOf(workspace_id)
        const note: Renamed = { id, title, path: pathOf(tree, notebook_id), aliases: new Set(aliases) }
        return { note, notebook_id, tree, isName: (key: string) => names.has(key) }
      })
      type Known = NonNullable<Effect.Success<ReturnType<typeof renamed>>>

      /** The linking notes with links that do not lead to the note any more. */
      const broken = Effect.fnUntraced(function* (
        workspace_id: string,
        linking: ReadonlyArray<Linking>,
        { isName, note, tree }: Known
      ) {
        const all: Array<Linking> = []
        for (const [notebook_id, some] of Map.groupBy(linking, (each) => each.notebook_id)) {
          const targets = [...new Set(some.flatMap((each) => each.targets))]
          const texts = yield* replaced(workspace_id, notebook_id, targets, isName, note, tree)
          for (const each of some) {
            const own = each.targets.filter((target) => texts.has(target))
            if (own.length > 0) all.push({ ...each, targets: own })
          }
        }
        return all
      })

      /** What must be known of notes, by their ids; those that are gone are left out. */
      const allRenamed = Effect.fnUntraced(function* (workspace_id: string, names: Names) {
        const all = new Map<string, Known>()
        for (const [id, old] of names) {
          const known = yield* renamed(workspace_id, id, old)
          if (known !== undefined) all.set(id, known)
        }
        return all
      })

      /** The body with its links rewritten. */
      const rewritten = (
        { body, links }: Source,
        leading: ReadonlyMap<string, string>,
        texts: ReadonlyMap<string, string | undefined>,
        known: ReadonlyMap<string, Known>
      ): string => {
        let made = body
        for (const { end_at, kind, start_at, target } of links.toReversed()) {
          const led = known.get(leading.get(target) ?? "")
          if (led === undefined || !texts.has(target)) continue
          const text = body.slice(start_at, end_at)
          const quote = kind === "property" ? quoteAt(body, start_at) : undefined
          const next = relinked({ text, written: target, quote, target: texts.get(target) }, led.isName, led.note)
          if (next !== undefined) made = made.slice(0, start_at) + next + made.slice(end_at)
        }
        return made
      }

      /**
       * Writes the notes that are still at the version that was read. Returns the ids of the others, of all if a note to which
       * links lead has got yet another name; and of those that were written.
       */
      const write = (
        changed: ReadonlyArray<Pick<Source, "id" | "version" | "body">>,
        known: ReadonlyMap<string, Known>
      ) =>
        writer.change(
          Effect.fnUntracedEager(function* (draft: Draft) {
            for (const { note, notebook_id } of known.values()) {
              const target = yield* draft.get(noteRows, note.id)
              const isNamed = target?.title === note.title && target.notebook_id === notebook_id
              if (!isNamed || target.deleted_at !== null) return { left: changed.map(({ id }) => id), written: [] }
            }
            const left: Array<string> = []
            const written: Array<string> = []
            for (const { body, id, version } of changed) {
              const row = yield* draft.get(noteRows, id)
              if (row?.version !== version || row.deleted_at !== null) {
                left.push(id)
                continue
              }
              // A link of a note that cannot be changed leads to the note by its former name.
              yield* draft
                .attempt(() => draft.withinReach(() => Edits.update(draft, quotas, id, { body })))
                .pipe(
                  Effect.tap(() => Effect.sync(() => written.push(id))),
                  Effect.catchTag(["Forbidden", "Invalid", "NotFound", "Stale"], () => Effect.void)
                )
            }
            return { left, written }
          }),
          [...known.keys(), ...changed.map(({ id }) => id)].map((id) => [noteRows, id] as const)
        )

      /** Rewrites links of some notes. Returns the ids of the notes that were changed. */
      const relink = Effect.fnUntraced(function* (workspace_id: string, leading: Leading, names: Names) {
        const changed: Array<string> = []
        let ids = [...leading.keys()]
        for (let round = 0; round < maxRounds && ids.length > 0; round++) {
          if (round > 0) yield* contents.catchUp(workspace_id)
          const known = yield* allRenamed(workspace_id, names)
          const sources = yield* sourcesOf(workspace_id, ids)
          const made: Array<Pick<Source, "id" | "version" | "body">> = []
          for (const [notebook_id, some] of Map.groupBy(sources, (each) => each.notebook_id)) {
            // In one notebook a text leads to one note.
            const wanted = new Map(some.flatMap(({ id }) => [...leading.get(id)!]))
            const texts = new Map<string, string | undefined>()
            for (const [id, { isName, note, tree }] of known) {
              const own = [...wanted].flatMap(([target, led]) => (led === id ? [target] : []))
              for (const each of yield* replaced(workspace_id, notebook_id, own, isName, note, tree)) texts.set(...each)
            }
            for (const source of some) {
              const body = rewritten(source, leading.get(source.id)!, texts, known)
              if (body !== source.body) made.push({ id: source.id, version: source.version, body })
            }
          }
          const { left, written } = yield* write(made, known)
          changed.push(...written)
          const stale = new Set(left)
          const current = new Set(sources.map(({ id }) => id))
          ids = ids.filter((id) => !current.has(id) || stale.has(id))
        }
        return changed
      })

      const update = Effect.fnUntraced(function* (
        id: string,
        change: NoteChange,
        condition: Edits.NoteCondition | undefined,
        links: "update" | "keep"
      ) {
        const { workspace_id } = yield* Principal
        yield* contents.catchUp(workspace_id)
        const title = change.title ?? (yield* present(workspace_id, id))?.title ?? ""
        const linked = yield* concerned(workspace_id, id, oneLine(title))
        const note = yield* notes.update(id, change, condition)
        const names = new Map(linked.map(({ id, old }) => [id, old]))
        const known = yield* allRenamed(workspace_id, names)
        const affected = new Map<string, Map<string, string>>()
        for (const { id, linking } of linked) {
          const led = known.get(id)
          if (led === undefined) continue
          for (const { note_id, targets } of yield* broken(workspace_id, linking, led)) {
            const own = affected.get(note_id) ?? new Map<string, string>()
            for (const target of targets) own.set(target, id)
            affected.set(note_id, own)
          }
        }
        if (links === "keep" || affected.size === 0) {
          return { note, links: { notes: affected.size, change_set_id: null } }
        }
        const all = [...affected].slice(0, maxNotes)
        const changed: Array<string> = []
        for (let from = 0; from < all.length; from += step) {
          const some = new Map(all.slice(from, from + step))
          changed.push(...(yield* Effect.uninterruptible(relink(workspace_id, some, names))))
        }
        const { change_set } = yield* Principal
        // The note may have links to itself.
        const after = changed.includes(id) ? yield* notes.get(id) : undefined
        return {
          note: after === undefined ? note : (JSON.parse(after.json) as Note),
          links: { notes: changed.length, change_set_id: changed.length === 0 ? null : change_set!.id }
        }
      })

      return Renames.of({
        update: traced("Renames.update")(function* (id, change, condition, links) {
          // The links are read from rows that follow the commit.
          if ((yield* CurrentDraft)?.isDry === true) {
            return yield* Invalid.field("links", "invalid", "has no dry run: leave it out")
          }
          const principal = yield* Principal
          const set = { id: randomness.id("cs", yield* Clock.currentTimeMillis), origin: "links" as const }
          const own =
            links === "update" && principal.change_set === undefined ? { ...principal, change_set: set } : principal
          return yield* Effect.provideService(update(id, change, condition, links), Principal, own)
        })
      })
    })
  )
}
