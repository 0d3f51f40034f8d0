import { expect, it } from "vitest"
import { useApp } from "../../support/useApp.ts"

const { app } = useApp({ settings: { dailyChecks: true } })

const readyz = async () => {
  const response = await fetch(new URL("/readyz", app.url))
  return [response.status, await response.text()]
}
const runs = () => app.sql("SELECT id, ended_at FROM check_runs ORDER BY started_at")

it("a server checks itself once a day, and /readyz and a metric have the result", async () => {
  expect(await readyz()).toEqual([200, "ready\n"])
  await app.advance("2 minutes")
  expect(await runs()).toEqual([{ id: expect.any(String), ended_at: expect.any(String) }])
  // The PostgreSQL of the tests waits for no disk, and their clock stays in the past.
  expect(await readyz()).toEqual([200, "ready, the checks found faults: database settings; clock\n"])
  const metrics = await (await fetch(new URL("/metrics", app.url))).text()
  expect(metrics).toMatch(/^sheaf_checks_faulty 2$/m)
  await app.advance("20 hours")
  expect(await runs()).toHaveLength(1)
  await app.advance("5 hours")
  expect(await runs()).toHaveLength(2)
})
