import { Effect } from "effect"
import { mkdirSync, mkdtempSync, readdirSync, rmSync, statSync, utimesSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { expect, it, vi } from "vitest"
import { SearchThread } from "../../../services/search/SearchThread.ts"
import { parse } from "../../support/PrometheusText.ts"
import { startApp, type TestApp } from "../../support/TestApp.ts"
import { useApp } from "../../support/useApp.ts"

const { app } = useApp()

const kill = (at: TestApp = app) => at.run(Effect.flatMap(Effect.service(SearchThread), (thread) => thread.kill))

const search = async (query: string, at: TestApp = app) => {
  const { body, status } = await at.call("POST", "/search", { query })
  expect(status).toBe(201)
  return body
}

const titles = async (query: string) => (await search(query)).hits.map(({ title }: any) => title)

it("the search thread restarts after it has died, and finds notes that were written before, during and after that", async () => {
  const notebook_id = (await app.call("GET", "/notebooks")).body.data[0].id
  const write = (title: string) => app.call("POST", "/notes", { notebook_id, title })
  await write("Perseverance one")
  expect(await titles("perseverance")).toEqual(["Perseverance one"])
  await kill()
  await write("Perseverance two")
  expect((await titles("perseverance")).sort()).toEqual(["Perseverance one", "Perseverance two"])
  // A search that is running when the thread dies is repeated by the next thread.
  const [first, second] = await Promise.all([titles("perseverance"), titles("perseverance two"), kill()])
  expect(first).toHaveLength(2)
  expect(second[0]).toBe("Perseverance two")
})

it("a search that exceeds the memory of the indexes is marked as partial, counted, and logged once an hour", async () => {
  const lines: Array<string> = []
  const spy = vi.spyOn(console, "error").mockImplementation((line) => void lines.push(String(line)))
  const small = await startApp({ settings: { searchMemory: 600_000, logLevel: "warn" } })
  try {
    const notebook_id = (await small.call("POST", "/notebooks", { name: "Large" })).body.id
    const changes = Array.from({ length: 400 }, (_, each) => ({
      type: "note",
      op: "upsert",
      data: {
        notebook_id,
        title: `Chapter ${each}`,
        body: Array.from({ length: 100 }, (_, word) => `word${each}x${word}`).join(" ")
      }
    }))
    expect(await search("chapter", small)).not.toHaveProperty("partial")
    await small.call("POST", "/sync/push", { changes })
    expect(await search("chapter", small)).toMatchObject({ partial: true })
    expect(await search("chapter", small)).toMatchObject({ partial: true })
    // The newest notes are in the index.
    expect((await search("word399x5", small)).hits.map(({ title }: any) => title)).toEqual(["Chapter 399"])
    expect((await search("word0x5", small)).hits.map(({ title }: any) => title)).not.toContain("Chapter 0")
    const warnings = () => lines.filter((line) => line.includes("SEARCH_MEMORY")).map((line) => JSON.parse(line))
    expect(warnings()).toMatchObject([{ level: "WARN", annotations: { workspace_id: small.workspace_id } }])
    await small.advance("61 minutes")
    expect(await search("chapter", small)).toMatchObject({ partial: true })
    expect(warnings()).toHaveLength(2)
    const metrics = parse(await (await fetch(`${new URL(small.url).origin}/metrics`)).text())
    const value = (name: string) => metrics.get(name)?.samples[0]?.value
    expect(value("sheaf_search_partial_total")).toBe(5)
    expect(value("sheaf_search_index_bytes")).toBeGreaterThan(0)
    expect(value("sheaf_search_index_files")).toBeGreaterThanOrEqual(0)
    expect(value("sheaf_search_index_file_bytes")).toBeGreaterThanOrEqual(0)
  } finally {
    await small.stop()
    spy.mockRestore()
  }
})

it("a node has a private folder for its indexes, and deletes the folders of nodes that ended more than a week ago", async () => {
  const folders = join(app.dataDir, "search")
  expect(statSync(join(folders, "local")).mode & 0o777).toBe(0o700)
  const folder = (days: number) => {
    const made = mkdtempSync(join(folders, "node-"))
    mkdirSync(join(made, "ws_1"))
    const time = new Date(Date.now() - days * 24 * 3_600_000)
    utimesSync(made, time, time)
    return made
  }
  folder(8)
  const recent = folder(6)
  await kill()
  await search("perseverance")
  await expect
    .poll(() =>
      readdirSync(folders)
        .map((name) => join(folders, name))
        .sort()
    )
    .toEqual([join(folders, "local"), recent].sort())
})

it("all notes are searched in memory, and a warning is logged, when the folder of indexes cannot be written to", async () => {
  const lines: Array<string> = []
  const spy = vi.spyOn(console, "error").mockImplementation((line) => void lines.push(String(line)))
  const warnings = () => lines.map((line) => JSON.parse(line)).filter(({ level }) => level === "WARN")
  const other = await startApp({ settings: { logLevel: "warn" } })
  try {
    const folder = join(other.dataDir, "search")
    await kill(other)
    rmSync(folder, { recursive: true, force: true })
    writeFileSync(folder, "")
    const notebook_id = (await other.call("GET", "/notebooks")).body.data[0].id
    await other.call("POST", "/notes", { notebook_id, title: "Perseverance" })
    const found = await search("perseverance", other)
    expect(found).toMatchObject({ hits: [{ title: "Perseverance" }] })
    expect(found).not.toHaveProperty("partial")
    const message = (text: string, annotations = {}) =>
      expect.objectContaining({ message: text, annotations: expect.objectContaining(annotations) })
    await expect
      .poll(warnings)
      .toEqual(
        expect.arrayContaining([
          message("the folder of search indexes cannot be written to"),
          message("a search index was not saved", { workspace_id: other.workspace_id })
        ])
      )
  } finally {
    await other.stop()
    spy.mockRestore()
  }
})
