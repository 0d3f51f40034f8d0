import { describe, expect, it } from "vitest"
import { type CallOptions, type SheafClient, SheafError } from "../../../src/clients/client/SheafClient.ts"
import { placed } from "../../../src/clients/console/lists/RowOrder.ts"
import { Selection } from "../../../src/clients/console/lists/Selection.ts"
import {
  archiving,
  type ListedNote,
  moving,
  tagging,
  withEach
} from "../../../src/clients/console/several/SeveralNotes.ts"

const problem = (code: "precondition_failed" | "not_found" | "no_response") =>
  new SheafError({ code, status: 0, detail: code, current_version: 0 } as ConstructorParameters<typeof SheafError>[0])

const note = (id: string, more: Partial<ListedNote> = {}): ListedNote => ({
  id,
  title: id,
  version: 1,
  notebook_id: "nb_a",
  tags: [],
  archived: false,
  ...more
})

/** A server with these notes, which counts the requests that run at the same time. */
const serverOf = (given: ReadonlyArray<ListedNote>) => {
  const notes = new Map(given.map((each) => [each.id, each]))
  const seen = { atOnce: 0, most: 0, updates: 0, sets: new Set<string | undefined>() }
  const client = {
    getNote: async ({ id }: { id: string }) => notes.get(id),
    updateNote: async ({ id, version, ...change }: { id: string; version: number }, options: CallOptions) => {
      seen.sets.add(options.changeSet)
      seen.most = Math.max(seen.most, ++seen.atOnce)
      seen.updates++
      await Promise.resolve()
      seen.atOnce--
      const current = notes.get(id)
      if (current === undefined) throw problem("not_found")
      if (current.version !== version) throw problem("precondition_failed")
      const changed = { ...current, ...change, version: version + 1 }
      notes.set(id, changed)
      return changed
    }
  }
  return { client: client as unknown as SheafClient, notes, seen }
}

const inSet = { changeSet: "cs_of-what-is-done-with-these-notes" }

describe("several notes", () => {
  it("are changed at most four at once, each under its version, in one change set", async () => {
    const given = Array.from({ length: 30 }, (_, at) => note(`n${at}`, { tags: at % 2 === 0 ? ["Trip"] : ["other"] }))
    const { notes, seen, client } = serverOf(given)
    // Another user has changed one since the list was read.
    notes.set("n3", { ...given[3]!, version: 7, tags: ["theirs"] })
    const progress: Array<number> = []
    const { changed, failed } = await withEach(given, tagging(client, "trip"), inSet, (done) => progress.push(done))
    expect(seen.most).toBeGreaterThan(1)
    expect(seen.most).toBeLessThanOrEqual(4)
    expect(failed).toEqual([])
    expect(changed).toHaveLength(15)
    expect(progress.at(-1)).toBe(30)
    expect(notes.get("n3")!.tags).toEqual(["theirs", "trip"])
    expect(notes.get("n2")!.tags).toEqual(["Trip"])
    expect([...seen.sets]).toEqual([inSet.changeSet])
  })

  it("that are as wanted already are not changed", async () => {
    const { notes, client, seen } = serverOf([note("a"), note("b"), note("c", { archived: true })])
    const archived = await withEach([...notes.values()], archiving(client, true), inSet)
    expect(archived.changed.map(({ id }) => id)).toEqual(["a", "b"])
    expect(seen.updates).toBe(2)
  })

  it("are changed although an earlier state was as wanted", async () => {
    const listed = note("a", { notebook_id: "nb_b" })
    const { notes, client } = serverOf([{ ...listed, notebook_id: "nb_a", version: 2 }])
    const { changed, failed } = await withEach([listed], moving(client, "nb_b"), inSet)
    expect([changed, failed]).toEqual([[listed], []])
    expect(notes.get("a")).toMatchObject({ notebook_id: "nb_b", version: 3 })
  })

  it("fail one by one, and all together once the server is away", async () => {
    const given = [note("a"), note("gone"), note("b")]
    const { notes, client } = serverOf(given)
    notes.delete("gone")
    const { changed, failed } = await withEach(given, moving(client, "nb_b"), inSet)
    expect(changed.map(({ id }) => id)).toEqual(["a", "b"])
    expect(failed.map(({ error, note }) => [note.id, error.problem.code])).toEqual([["gone", "not_found"]])
    let tried = 0
    const many = Array.from({ length: 200 }, (_, at) => note(`n${at}`))
    const away = await withEach(many, () => (tried++, Promise.reject(problem("no_response"))), inSet)
    expect(tried).toBeLessThanOrEqual(4)
    expect(away.failed).toHaveLength(200)
  })
})

describe("a selection", () => {
  const rows = ["a", "b", "c", "d", "e"].map((id) => ({ id }))
  const ids = (selection: Selection) => [...selection.ids.value].join("")

  it("grows and shrinks from the row where it began", () => {
    const selection = new Selection()
    selection.extend(rows, "b", "c")
    expect(ids(selection)).toBe("bc")
    selection.extend(rows, "c", "d")
    expect(ids(selection)).toBe("bcd")
    selection.extend(rows, "d", "a")
    expect(ids(selection)).toBe("ab")
    selection.toggle("e")
    selection.extend(rows, undefined, "d")
    expect(ids(selection)).toBe("de")
    selection.selectAll(rows)
    selection.toggle("c")
    expect(ids(selection)).toBe("abde")
    selection.clear()
    selection.extend(rows, undefined, "d")
    expect(ids(selection)).toBe("d")
  })
})

describe("the rows of a sorted list", () => {
  const row = (
    id: string,
    title: string,
    more: Partial<{ pinned: boolean; text: string; updated_at: string }> = {}
  ) => ({
    id,
    title,
    pinned: false,
    created_at: `2026-01-0${id}T00:00:00Z`,
    updated_at: "2026-02-01T00:00:00Z",
    ...more
  })
  const [ape, bee, cat, dog] = [row("4", "Ape"), row("3", "bee"), row("2", "Cat"), row("1", "dog")]
  const all = [ape!, bee!, cat!, dog!]
  const titles = (rows: ReadonlyArray<{ readonly title: string }>) => rows.map(({ title }) => title).join(" ")

  it.each([
    ["stay in their places when only the text has changed", [row("2", "Cat", { text: "new" })], "Ape bee Cat dog"],
    ["move when the title has changed", [row("4", "Cow")], "bee Cat Cow dog"],
    ["are before the others when they are pinned", [row("1", "dog", { pinned: true })], "dog Ape bee Cat"],
    ["come in when they are new", [row("5", "Bear"), row("6", "Eel")], "Ape Bear bee Cat dog Eel"]
  ])("%s", (_, fresh, expected) => {
    const changed = new Set(fresh.map(({ id }) => id))
    expect(titles(placed(all, changed, fresh, "title", true))).toBe(expected)
  })

  it("leave when they are gone, and wait behind the last row that was read", () => {
    expect(titles(placed(all, new Set(["2"]), [], "title", true))).toBe("Ape bee dog")
    expect(titles(placed(all, new Set(["5"]), [row("5", "Eel")], "title", false))).toBe("Ape bee Cat dog")
    expect(titles(placed([...all].reverse(), new Set(["5"]), [row("5", "Cow")], "-title", false))).toBe(
      "dog Cow Cat bee Ape"
    )
    expect(titles(placed(all, new Set(["9"]), [row("9", "New")], "-created_at", false))).toBe("New Ape bee Cat dog")
    const edited = row("4", "Ape", { updated_at: "2026-03-01T00:00:00Z" })
    expect(titles(placed(all, new Set(["4"]), [edited], "updated_at", true))).toBe("bee Cat dog Ape")
  })
})
