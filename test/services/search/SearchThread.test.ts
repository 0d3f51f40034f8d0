import { Effect } from "effect"
import { expect, it } from "vitest"
import { SearchThread } from "../../../services/search/SearchThread.ts"
import { useApp } from "../../support/useApp.ts"

const { app } = useApp()

const kill = () => app.run(Effect.flatMap(Effect.service(SearchThread), (thread) => thread.kill))

const titles = async (query: string) => {
  const { body, status } = await app.call("POST", "/search", { query })
  expect(status).toBe(201)
  return body.hits.map(({ title }: any) => title)
}

it("the thread of the search begins anew when it has died, and knows what was written before, since, and meanwhile", async () => {
  const notebook_id = (await app.call("GET", "/notebooks")).body.data[0].id
  const write = (title: string) => app.call("POST", "/notes", { notebook_id, title })
  await write("Perseverance one")
  expect(await titles("perseverance")).toEqual(["Perseverance one"])
  await kill()
  await write("Perseverance two")
  expect((await titles("perseverance")).sort()).toEqual(["Perseverance one", "Perseverance two"])
  // Whoever waits when it dies is answered by the next one.
  const [first, second] = await Promise.all([titles("perseverance"), titles("perseverance two"), kill()])
  expect(first).toHaveLength(2)
  expect(second[0]).toBe("Perseverance two")
})
