import { Effect, ManagedRuntime } from "effect"
import { afterAll, describe, expect, it } from "vitest"
import { Markdown } from "../../../services/markdown/Markdown.ts"
import { renderThread } from "../../../services/markdown/MarkdownThread.ts"
import { plainly, type Rendered, whole } from "../../../services/markdown/Rendered.ts"
import { RenderedCache } from "../../../services/markdown/RenderedCache.ts"
import { sampled } from "../../support/Slow.ts"

const htmlOf = ({ html }: Rendered) => whole(html, String)

/** Shorter limits of time than those of a server: heavy notes reach them. */
const runtime = ManagedRuntime.make(
  Markdown.layerOf({
    short: { threads: 2, maxMillis: 500, maxMegabytes: 128, isKept: true },
    long: { threads: 1, maxMillis: 1_000, maxMegabytes: 384, isKept: false }
  })
)
afterAll(() => runtime.dispose())

let notes = 0
const noteText = (body: string) => ({ title: "Title", body, files: [], breaks: true, isForMembers: false })
const versionOf = (workspace_id: string, note_id = `nt_${++notes}`, state = "1") => ({ workspace_id, note_id, state })
const readerOf = (owner: string, client = "192.0.2.1") => ({ owner, client })
const render = (body: string, workspace = "ws_1", note_id?: string) =>
  runtime.runPromise(
    Effect.flatMap(Markdown, (markdown) =>
      markdown.render(versionOf(workspace, note_id), readerOf(workspace), noteText(body))
    )
  )

const lines = (count: number, line: (index: number) => string): string =>
  Array.from({ length: count }, (_, index) => line(index)).join("\n")

/** Bodies that make a parser do far more work than their length suggests. */
const bombs: Readonly<Record<string, string>> = {
  "a megabyte of brackets": "[".repeat(1_000_000),
  "a megabyte of images that do not end": "![".repeat(500_000),
  "quotes in quotes": ">".repeat(50_000),
  "lists in lists": lines(1_500, (depth) => `${" ".repeat(depth * 2)}- a`),
  "emphasis that does not end": "*a **a ".repeat(9_000),
  "emphasis around emphasis": `${"*".repeat(30_000)}a${"*".repeat(30_000)}`,
  "10 000 footnotes": lines(10_000, (index) => `a[^${index}]\n\n[^${index}]: note\n`),
  "a table of few columns and many rows": `|a|b|\n|-|-|\n${"|1|2|\n".repeat(150_000)}`,
  "a table whose rows are filled up": `${"|a".repeat(2_000)}|\n${"|-".repeat(2_000)}|\n${"|\n".repeat(100_000)}`,
  "elements in elements": "<div>".repeat(12_000),
  "runs of backticks": lines(1_400, (length) => "`".repeat(length)),
  "links that might be references": `[a]: b\n\n${"[a] ".repeat(200_000)}`
}

describe("rendering of notes", () => {
  it("renders a note once until it changes", async () => {
    const first = await render("*a*", "ws_1", "same")
    expect(htmlOf(first)).toBe("<p><em>a</em></p>")
    expect(await render("other", "ws_1", "same")).toBe(first)
    expect(htmlOf(await render("other", "ws_2", "same"))).toBe("<p>other</p>")
  })

  it.each(sampled(Object.entries(bombs), 3))(
    "ends in bounded time, rendered or not: %s",
    async (_, body) => {
      const thread = renderThread({ maxMillis: 200, maxMegabytes: 96, isKept: true })
      const rendered = await thread.run({ title: "Title", body, files: [], breaks: true, isForMembers: false })
      if (rendered !== undefined) expect(htmlOf(rendered).length).toBeGreaterThan(0)
      // The thread is available for the next note.
      const after = await thread.run({ title: "Title", body: "*after*", files: [], breaks: true, isForMembers: false })
      expect(after?.html.pieces).toEqual(["<p><em>after</em></p>"])
      await thread.end()
    },
    60_000
  )

  it.each(sampled(["%%", "$$a\n", "`%% ", "$", "==", "> [!note]- ", "^a", "<!--"], 2))(
    "publishes no private text of a megabyte of %j, rendered or not",
    async (part) => {
      const text = part.repeat(Math.ceil(1_048_576 / part.length))
      const note = {
        title: "Title",
        body: `---\na: SECRET\n---\n${text}\n\n%%SECRET%%`,
        files: [],
        breaks: true,
        isForMembers: false
      }
      const thread = renderThread({ maxMillis: 1_000, maxMegabytes: 96, isKept: true })
      const { description, html, markdown } = (await thread.run(note)) ?? plainly(note)
      await thread.end()
      expect([...html.pieces, ...markdown.pieces, description].join("").includes("SECRET")).toBe(false)
    },
    60_000
  )

  it("shows the plain text of a note that cannot be rendered", async () => {
    const body = `${">".repeat(50_000)}<b>&`
    expect((await render(body)).html.pieces).toEqual([
      `<pre class="plain" tabindex="0">${"&gt;".repeat(50_000)}&lt;b&gt;&amp;</pre>`
    ])
  })

  it("delays no note of another owner, however many workspaces and networks one owner has", async () => {
    const heavy = lines(2_000, (index) => `- *${index}*`)
    let ended = 0
    const made = Effect.gen(function* () {
      const markdown = yield* Markdown
      for (let index = 0; index < 60; index++) {
        const work = markdown.render(
          versionOf(`ws_of_one_${index % 10}`),
          readerOf("one", `198.51.100.${index % 6}`),
          noteText(heavy)
        )
        yield* Effect.forkChild(
          Effect.ensuring(
            Effect.ignore(work),
            Effect.sync(() => ended++)
          )
        )
      }
      yield* Effect.yieldNow
      const before = ended
      const rendered = yield* markdown.render(versionOf("ws_of_another"), readerOf("another"), noteText("some *words*"))
      expect(htmlOf(rendered)).toBe("<p>some <em>words</em></p>")
      // The other owner waits for at most one thread, which may have been rendering one of these notes.
      expect(ended - before).toBeLessThanOrEqual(2)
    })
    await runtime.runPromise(made)
  })

  it("renders a changed note in the lane of long notes when it exceeded the limits before", async () => {
    const bounds = { maxMegabytes: 128, threads: 2 }
    const other = ManagedRuntime.make(
      Markdown.layerOf({
        short: { ...bounds, threads: 1, maxMillis: 1, isKept: true },
        long: { ...bounds, maxMillis: 60_000, isKept: false }
      })
    )
    const body = lines(500, (index) => `- *${index}*`)
    const made = (version: ReturnType<typeof versionOf>, text: string) =>
      other.runPromise(
        Effect.flatMap(Markdown, (markdown) => markdown.render(version, readerOf("one"), noteText(text)))
      )
    // The first note of a thread has one more second.
    await made(versionOf("ws_1"), "a")
    expect(htmlOf(await made(versionOf("ws_1", "nt_heavy"), body))).toMatch(/^<pre class="plain"/)
    expect(htmlOf(await made(versionOf("ws_1", "nt_heavy", "2"), body))).toMatch(/^<ul>/)
    await other.dispose()
  })

  it("does not wait for a note that does not get its turn soon", async () => {
    const heavy = ">".repeat(50_000)
    const version = versionOf("ws_busy")
    const made = Effect.gen(function* () {
      const markdown = yield* Markdown
      const render = (text: string) => markdown.render(versionOf("ws_busy"), readerOf("busy"), noteText(text))
      // One note for each thread of short notes.
      for (let index = 0; index < 2; index++) {
        yield* Effect.forkChild(render(heavy), { startImmediately: true })
      }
      expect(yield* markdown.renderSoon(version, readerOf("busy"), noteText("a"))).toBeUndefined()
    })
    await runtime.runPromise(made)
    const again = Effect.flatMap(Markdown, (markdown) =>
      markdown.renderSoon(version, readerOf("another"), noteText("a"))
    )
    await expect.poll(async () => (await runtime.runPromise(again))?.html.pieces).toEqual(["<p>a</p>"])
  })

  it("renders the next notes when a thread has died", async () => {
    const deep = render(`${"<div>".repeat(12_000)}${" ".repeat(70_000)}`, "ws_bad")
    const others = await Promise.all(["a", "b", "c"].map((text) => render(text, "ws_good")))
    expect(others.map((each) => htmlOf(each))).toEqual(["<p>a</p>", "<p>b</p>", "<p>c</p>"])
    await deep
  })
})

describe("the cache of rendered notes", () => {
  const rendered = (length: number) => plainly({ body: "x".repeat(length / 2), isForMembers: false })

  it("is limited in bytes, and evicts the least recently used note", () => {
    const cache = new RenderedCache(8_000)
    cache.keep("a", rendered(1_000))
    cache.keep("b", rendered(1_000))
    cache.keep("c", rendered(100_000))
    expect([cache.get("a") !== undefined, cache.get("c")]).toEqual([true, undefined])
    cache.keep("d", rendered(1_000))
    expect(["a", "b", "d"].map((key) => cache.get(key) !== undefined)).toEqual([true, false, true])
    expect(cache.bytes).toBeLessThanOrEqual(8_000)
    for (let index = 0; index < 100; index++) cache.keep("same", rendered(1_000))
    expect(cache.bytes).toBeLessThanOrEqual(8_000)
  })
})
