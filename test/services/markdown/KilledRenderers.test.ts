import { Effect, ManagedRuntime } from "effect"
import { expect, it } from "vitest"
import { Markdown } from "../../../services/markdown/Markdown.ts"
import { rounds } from "../../support/Slow.ts"
import { useApp } from "../../support/useApp.ts"

const { given } = useApp()

it("renderers are ended at the limit of their heap, again and again, while notes are read and rendered", async () => {
  const lane = { threads: 1, maxMillis: 60_000, maxMegabytes: 40, isKept: true }
  const small = ManagedRuntime.make(Markdown.layerOf({ short: lane, long: lane }))
  const notebook_id = (await given("GET", "/notebooks")).data[0].id
  const { id } = await given("POST", "/notes", { notebook_id, title: "Read", body: "some *words*" })
  const body = Array.from({ length: 60_000 }, (_, line) => `- *${line}*`).join("\n")
  const render = (round: number, text: string) =>
    small.runPromise(
      Effect.flatMap(Markdown, (markdown) =>
        markdown.render(
          { workspace_id: "ws_1", note_id: `nt_${round}`, state: text },
          { owner: "one", client: "a" },
          { title: "Title", body: text, files: [], breaks: true, isForMembers: false }
        )
      )
    )
  for (let round = 0; round < rounds(2, 100); round++) {
    let isOver = false
    const killed = render(round, body).finally(() => (isOver = true))
    let reads = 0
    do {
      const [note, rendered] = await Promise.all([given("GET", `/notes/${id}`), given("GET", `/notes/${id}/rendered`)])
      expect([note.body, rendered.html]).toEqual(["some *words*", "<p>some <em>words</em></p>"])
      reads++
    } while (!isOver)
    expect((await killed).html.pieces[0]).toMatch(/^<pre class="plain"/)
    expect((await render(round, "*after*")).html.pieces).toEqual(["<p><em>after</em></p>"])
    expect(reads).toBeGreaterThan(0)
  }
  await small.dispose()
}, 300_000)
